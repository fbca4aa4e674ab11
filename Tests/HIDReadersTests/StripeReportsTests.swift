import CardData
import ReaderKit
import ReaderTesting
import Testing

@testable import HIDReaders

/// A reader by the USB-IF's stripe page that sends each track in a report of its own.
@Suite struct StripeReportsTests {
    /// Report 1: track 1; report 2: track 2; report 3: track 3, each behind its length.
    private static let sizes: [(id: UInt8, size: Int)] = [(1, 80), (2, 41), (3, 108)]
    private static let wait = DriverAction.startTimer(StripeReports.patience)

    /// Items of fields `(report, usage, bytes)`.
    private static func reader(_ fields: [(id: UInt8, usage: UInt8, bytes: Int)]) -> StripePageDriver {
        var descriptor: [UInt8] = [
            0x05, 0x8E, 0x09, 0x01, 0xA1, 0x01, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08,
        ]
        for field in fields {
            if field.id != 0 { descriptor += [0x85, field.id] }
            descriptor += [0x09, field.usage, 0x95, UInt8(field.bytes), 0x82, 0x02, 0x01]
        }
        return StripePageDriver(
            DeviceIdentity(
                readerID: "hid", bus: .usb, vendorID: 0x1234, productID: 0x5678, node: "/dev/hidraw0",
                reportDescriptor: descriptor + [0xC0]))
    }

    private static func reader() -> StripePageDriver {
        reader(sizes.flatMap { id, size in [(id, 0x10 + id, 1), (id, 0x20 + id, size)] })
    }

    private static func report(_ id: UInt8, _ text: String) -> HIDReport {
        let size = sizes.first { $0.id == id }?.size ?? 0
        let filler = Array(repeating: UInt8(0), count: size - text.utf8.count)
        return HIDReport(id: id, bytes: [UInt8(text.utf8.count)] + Array(text.utf8) + filler)
    }

    /// The three reports of a card whose tracks all name it.
    private static func card(_ number: Int) -> [HIDReport] {
        [report(1, "%TEST \(number)?"), report(2, ";\(number)?"), report(3, ";\(number)=3?")]
    }

    private static func complaints(_ actions: [DriverAction]) -> [String] {
        actions.compactMap { if case .signal(.notice(.malformed(let why))) = $0 { why } else { nil } }
    }

    private static func texts(_ actions: [DriverAction]) -> [[String]] {
        MagTekReports.swipes(actions).map { $0.tracks.map { $0.text?.reveal() ?? "" } }
    }

    @Test func threeReportsAreOneSwipe() throws {
        var driver = Self.reader()
        #expect(driver.start().contains(.signal(.ready(expiresIn: nil))))
        let tracks = MagTekReports.tracks
        #expect(driver.receive(Self.report(1, tracks[0])) == [Self.wait])
        #expect(driver.receive(Self.report(2, tracks[1])) == [Self.wait])
        let last = driver.receive(Self.report(3, ""))
        #expect(last.first == .stopTimer)
        let swipe = try #require(MagTekReports.swipes(last).first)
        #expect(swipe.tracks.map(\.track) == [1, 2, 3])
        #expect(MagTekReports.clearTexts(swipe) == [tracks[0], tracks[1], ""])
        #expect(swipe.card?.kind == "payment")
        #expect(driver.timerFired() == [])
    }

    @Test func swipesOneBehindTheOther() {
        var driver = Self.reader()
        let actions = (Self.card(1) + Self.card(2)).flatMap { driver.receive($0) }
        #expect(Self.texts(actions) == [["%TEST 1?", ";1?", ";1=3?"], ["%TEST 2?", ";2?", ";2=3?"]])
        #expect(Self.complaints(actions).isEmpty)
    }

    /// No half of a card, and none of its reports in the next swipe.
    @Test func aPauseEndsASwipe() {
        var driver = Self.reader()
        #expect(Self.card(1).prefix(2).flatMap { driver.receive($0) } == [Self.wait, Self.wait])
        #expect(driver.timerFired() == [.signal(.malformed("swipe without the report of track 3"))])
        #expect(driver.timerFired() == [])
        let late = driver.receive(Self.card(1)[2])
        #expect(late == [.signal(.malformed("report of track 3 where that of track 1 was due")), Self.wait])
        #expect(driver.timerFired() == [])
        let next = Self.card(2).flatMap { driver.receive($0) }
        #expect(Self.texts(next) == [["%TEST 2?", ";2?", ";2=3?"]])
        #expect(Self.complaints(next).isEmpty)
    }

    /// The first report begins the next swipe also where no pause was seen.
    @Test(arguments: [1, 2]) func theNextSwipeEndsAnUnfinishedOne(came: Int) {
        var driver = Self.reader()
        let actions = (Self.card(1).prefix(came) + Self.card(2)).flatMap { driver.receive($0) }
        #expect(Self.texts(actions) == [["%TEST 2?", ";2?", ";2=3?"]])
        #expect(Self.complaints(actions) == ["report of track 1 where that of track \(came + 1) was due"])
    }

    /// Told once: what follows the misplaced report is of the same swipe.
    @Test func reportsInAnotherOrderAreNoSwipe() {
        var driver = Self.reader()
        let card = Self.card(1)
        let actions = [card[0], card[2], card[1], card[2]].flatMap { driver.receive($0) }
        #expect(Self.texts(actions).isEmpty)
        #expect(Self.complaints(actions) == ["report of track 3 where that of track 2 was due"])
    }

    /// A report that came twice: neither of the two is believed to be of what follows.
    @Test func aRepeatedTrackIsNoSwipe() {
        var driver = Self.reader()
        let (card, next) = (Self.card(1), Self.card(2))
        let actions = [card[0], card[1], next[1], card[2]].flatMap { driver.receive($0) }
        #expect(Self.texts(actions).isEmpty)
        #expect(Self.complaints(actions) == ["report of track 2 where that of track 3 was due"])
    }

    /// A broken report is told of once, takes its swipe with it, and nothing of the next one.
    @Test(arguments: [0, 1, 2], [-1, 1]) func aReportOfAnotherLength(place: Int, more: Int) {
        var driver = Self.reader()
        var card = Self.card(1)
        let size = card[place].bytes.count
        card[place].bytes = Array((card[place].bytes + [0]).prefix(size + more))
        let actions = (card + Self.card(2)).flatMap { driver.receive($0) }
        #expect(Self.texts(actions) == [["%TEST 2?", ";2?", ";2=3?"]])
        #expect(Self.complaints(actions) == ["report of \(size + more) bytes instead of \(size)"])
        _ = card.prefix(2).flatMap { driver.receive($0) }
        #expect((driver.timerFired() == []) == (place < 2))
    }

    /// Whichever reports are lost, with pauses between swipes: whatever is told is one whole card, and every whole card is told.
    @Test func lostReportsMixNoCards() {
        var random = SeededGenerator(state: 10)
        var driver = Self.reader()
        var whole: [[String]] = []
        var told: [[String]] = []
        for number in 1...2000 {
            let came = Self.card(number).filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
            if came.count == 3 { whole.append(["%TEST \(number)?", ";\(number)?", ";\(number)=3?"]) }
            told += Self.texts(came.flatMap { driver.receive($0) } + driver.timerFired())
        }
        #expect(told == whole)
        #expect(whole.count > 500)
    }

    /// The same without a pause, where the driver hears of each gap: cards with a gap within are missing, and no others.
    @Test func lostReportsWithoutPausesMixNoCards() {
        var random = SeededGenerator(state: 11)
        var driver = Self.reader()
        var whole: [[String]] = []
        var told: [[String]] = []
        for number in 1...2000 {
            var came = 0
            for report in Self.card(number) {
                if Int.random(in: 0..<4, using: &random) == 0 {
                    #expect(driver.inputsLost() == [])
                } else {
                    came += 1
                    told += Self.texts(driver.receive(report))
                }
            }
            if came == 3 { whole.append(["%TEST \(number)?", ";\(number)?", ";\(number)=3?"]) }
        }
        #expect(told == whole)
        #expect(whole.count > 500)
    }

    /// A full queue's last report is a card's first one, and what comes behind the gap is the rest of another card. Nothing is
    /// out of place: the loss itself is told by the session.
    @Test(arguments: [1, 2]) func reportsOnBothSidesOfAGap(before: Int) {
        var driver = Self.reader()
        var actions = Self.card(1).prefix(before).flatMap { driver.receive($0) }
        actions += driver.inputsLost()
        actions += (Self.card(2).dropFirst(before) + Self.card(3)).flatMap { driver.receive($0) }
        #expect(Self.texts(actions) == [["%TEST 3?", ";3?", ";3=3?"]])
        #expect(Self.complaints(actions).isEmpty)
    }

    /// The loss was told: the pause behind it says no more.
    @Test func aPauseBehindAGap() {
        var driver = Self.reader()
        _ = driver.receive(Self.card(1)[0])
        _ = driver.inputsLost()
        #expect(driver.timerFired() == [])
        #expect(Self.texts(Self.card(2).flatMap { driver.receive($0) }) == [["%TEST 2?", ";2?", ";2=3?"]])
    }

    /// Two tracks in one report and a third in another; the reports' numbers say nothing of the order.
    @Test func twoTracksInOneReport() throws {
        var driver = Self.reader([(9, 0x21, 20), (9, 0x22, 20), (4, 0x23, 20)])
        let text = Array("%A?".utf8) + Array(repeating: 0, count: 17)
        let number = Array(";1?".utf8) + Array(repeating: 0, count: 17)
        let actions =
            driver.receive(HIDReport(id: 9, bytes: text + number))
            + driver.receive(HIDReport(id: 4, bytes: number))
        #expect(Self.texts(actions) == [["%A?", ";1?", ";1?"]])
        #expect(
            driver.receive(HIDReport(id: 4, bytes: number)).first
                == .signal(.malformed("report of track 3 where that of track 1, track 2 was due")))
    }

    /// Where the descriptor does not tell which reports make a swipe.
    @Test(
        arguments: [
            // A track in two reports.
            [(1, 0x21, 80), (2, 0x22, 41), (3, 0x22, 41)],
            [(1, 0x21, 80), (2, 0x22, 41), (3, 0x21, 80), (3, 0x22, 41)],
            // Lengths in a report of their own.
            [(1, 0x11, 1), (1, 0x12, 1), (2, 0x21, 80), (3, 0x22, 41)],
            // A report without an id beside one with an id.
            [(0, 0x21, 80), (2, 0x22, 41)],
        ] as [[(UInt8, UInt8, Int)]])
    func whatADescriptorDoesNotTell(fields: [(UInt8, UInt8, Int)]) {
        var driver = Self.reader(fields.map { (id: $0.0, usage: $0.1, bytes: $0.2) })
        let why = driver.start().compactMap { action -> String? in
            if case .signal(.activationFailed(.failed, let why)) = action { why } else { nil }
        }
        #expect(
            why == ["it sends tracks in reports of their own, and nothing says which of them are of one card"]
        )
        let reports = fields.map { HIDReport(id: $0.0, bytes: Array(repeating: 0x25, count: $0.2)) }
        #expect(reports.flatMap { driver.receive($0) } == [])
    }

    /// A driver of fields `(report, usage)` of 20 bytes, those in `shifted` behind four bits of padding.
    private static func reader(_ fields: [(UInt8, UInt8)], shifted: Set<UInt8>) -> StripePageDriver {
        var descriptor: [UInt8] = [0x05, 0x8E, 0x09, 0x01, 0xA1, 0x01, 0x15, 0x00, 0x26, 0xFF, 0x00]
        for (id, usage) in fields {
            descriptor += [0x85, id]
            let padding: [UInt8] = [0x75, 4, 0x95, 1, 0x81, 0x01]
            if shifted.contains(usage) { descriptor += padding }
            descriptor += [0x75, 8, 0x09, usage, 0x95, 20, 0x81, 0x02]
            if shifted.contains(usage) { descriptor += padding }
        }
        return StripePageDriver(
            DeviceIdentity(
                readerID: "hid", bus: .usb, vendorID: 0x1234, productID: 0x5678, node: "/dev/hidraw0",
                reportDescriptor: descriptor + [0xC0]))
    }

    /// Without a track that the reader has, no swipe of several reports is whole.
    @Test(
        arguments: [
            ([(1, 0x21), (2, 0x22), (3, 0x23)], [0x23], "track 3"),
            ([(1, 0x21), (2, 0x22), (3, 0x23)], [0x21, 0x22], "track 1, track 2"),
            // The one that can be read has the only report that is left.
            ([(1, 0x22), (2, 0x24)], [0x24], "the JIS II stripe"),
            ([(1, 0x21), (1, 0x22), (2, 0x23)], [0x22], "track 2"),
        ] as [([(UInt8, UInt8)], Set<UInt8>, String)])
    func aTrackThatCannotBeRead(fields: [(UInt8, UInt8)], shifted: Set<UInt8>, names: String) {
        var driver = Self.reader(fields, shifted: shifted)
        let why =
            "it sends tracks in reports of their own, and \(names) does not begin and end with a byte"
        #expect(driver.start().last == .signal(.activationFailed(.failed, why: why)))
        let bytes = Array(";1?".utf8) + Array(repeating: 0, count: 17)
        #expect(fields.flatMap { driver.receive(HIDReport(id: $0.0, bytes: bytes)) } == [])
    }

    /// Of one report, the tracks that can be read are told.
    @Test func aTrackThatCannotBeReadInTheOnlyReport() {
        var driver = Self.reader([(1, 0x21), (1, 0x22)], shifted: [0x22])
        #expect(driver.start().last == .signal(.ready(expiresIn: nil)))
        let bytes = Array("%A?".utf8) + Array(repeating: 0, count: 38)
        #expect(Self.texts(driver.receive(HIDReport(id: 1, bytes: bytes))) == [["%A?"]])
    }

    /// A format is a text's: an empty or broken JIS II stripe has none.
    @Test(
        arguments: [
            ("\u{7F}A1\u{7F}", TrackFormat.jis2.name), ("", nil), ("%A1?", nil), ("\u{7F}A1", nil),
        ] as [(String, String?)])
    func theFormatOfAJISStripe(text: String, format: String?) throws {
        var driver = Self.reader([(1, 0x24), (1, 0x22)], shifted: [])
        let stripe = Array(text.utf8) + Array(repeating: 0, count: 20 - text.utf8.count)
        let number = Array(";1?".utf8) + Array(repeating: 0, count: 17)
        let swipes = MagTekReports.swipes(driver.receive(HIDReport(id: 1, bytes: stripe + number)))
        let reading = try #require(swipes.first?.tracks.first { $0.track == 1 })
        #expect(reading.format == format)
        #expect((reading.text != nil) == (format != nil))
        #expect(swipes.first?.tracks.last?.text?.reveal() == ";1?")
    }
}
