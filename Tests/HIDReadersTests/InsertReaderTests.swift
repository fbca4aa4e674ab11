import CardData
import ReaderKit
import ReaderTesting
import Testing

@testable import HIDReaders

/// A card that is pushed in and drawn out is one swipe: the better of its two reads.
@Suite struct InsertReaderTests {
    static func driver() -> SureSwipeDriver {
        SureSwipeDriver(
            DeviceIdentity(
                readerID: "magtek", bus: .usb, vendorID: 0x0801, productID: 0x0003, node: "/dev/hidraw0",
                reportDescriptor: TestDescriptors.vendor(
                    TestDescriptors.sureSwipe + [(0x39, 8, 1)], featureBytes: 24)))
    }

    static func report(good: Bool, inserting: Bool) throws -> HIDReport {
        let path =
            good ? "MagTek/generated/sureswipe_hid337.hex" : "MagTek/generated/sureswipe_hid337_allbad.hex"
        return HIDReport(bytes: try Vector(path).bytes() + [inserting ? 1 : 0])
    }

    @Test(arguments: [
        // Read well on the way in: told at once, and what comes on the way out changes nothing.
        (true, true, [3]), (true, false, [3]),
        // Read badly on the way in: the way out decides.
        (false, true, [3]), (false, false, [0]),
    ])
    func oneCardIsOneSwipe(first: Bool, second: Bool, readTracks: [Int]) throws {
        var driver = Self.driver()
        _ = driver.start()
        var actions = driver.receive(try Self.report(good: first, inserting: true))
        #expect(MagTekReports.swipes(actions).count == (first ? 1 : 0))
        actions += driver.receive(try Self.report(good: second, inserting: false))
        #expect(MagTekReports.swipes(actions).map(\.readTracks) == readTracks)
    }

    @Test func aReaderThatReadsOnlyOnWithdrawal() throws {
        var driver = Self.driver()
        let actions = driver.receive(try Self.report(good: true, inserting: false))
        #expect(MagTekReports.swipes(actions).count == 1)
    }

    @Test func aBadReadIsNotHeldForEver() throws {
        var driver = Self.driver()
        #expect(
            driver.receive(try Self.report(good: false, inserting: true)) == [
                .startTimer(InsertReads.patience)
            ])
        #expect(MagTekReports.swipes(driver.timerFired()).map(\.readTracks) == [0])
        #expect(
            MagTekReports.swipes(driver.receive(try Self.report(good: false, inserting: false))).isEmpty)
    }

    /// As many tracks of a good read, the others failed.
    private static func report(tracks: Set<Int>, inserting: Bool) throws -> HIDReport {
        var bytes = try report(good: true, inserting: inserting).bytes
        for index in 0..<3 where !tracks.contains(index + 1) {
            bytes[index] = 1
            bytes[3 + index] = 0
        }
        return HIDReport(bytes: bytes)
    }

    /// The better of two reads, whichever came first, and the first of two that are alike.
    @Test(
        arguments: [
            ([1], [1, 2, 3], [1, 2, 3]), ([1, 2], [3], [1, 2]), ([1], [2, 3], [2, 3]), ([1], [2], [1]),
            ([2], [], [2]), ([], [2], [2]),
        ] as [(Set<Int>, Set<Int>, Set<Int>)])
    func theBetterReadCounts(first: Set<Int>, second: Set<Int>, told: Set<Int>) throws {
        var driver = Self.driver()
        #expect(
            driver.receive(try Self.report(tracks: first, inserting: true)) == [
                .startTimer(InsertReads.patience)
            ])
        let swipes = MagTekReports.swipes(
            driver.receive(try Self.report(tracks: second, inserting: false)))
        #expect(swipes.map { Set($0.tracks.filter(\.isRead).map(\.track)) } == [told])
        #expect(MagTekReports.swipes(driver.timerFired()).isEmpty)
    }

    /// A loss between the two reads makes neither two swipes of a card nor one of two: each read is of one card.
    @Test(arguments: [true, false]) func aLossWithinACard(isFirstGood: Bool) throws {
        var driver = Self.driver()
        var actions = driver.receive(try Self.report(good: isFirstGood, inserting: true))
        #expect(driver.inputsLost() == [])
        actions += driver.receive(try Self.report(good: true, inserting: false))
        actions += driver.timerFired()
        #expect(MagTekReports.swipes(actions).map(\.readTracks) == [3])
    }

    /// After waiting only what is better than what was told.
    @Test(arguments: [(Set([1, 2, 3]), 1), ([1], 0), ([], 0)] as [(Set<Int>, Int)])
    func aLateWithdrawal(second: Set<Int>, told: Int) throws {
        var driver = Self.driver()
        _ = driver.receive(try Self.report(tracks: [1], inserting: true))
        #expect(MagTekReports.swipes(driver.timerFired()).map(\.readTracks) == [1])
        let late = driver.receive(try Self.report(tracks: second, inserting: false))
        #expect(MagTekReports.swipes(late).count == told)
    }

    /// A reader that reads on insertion alone: no card is lost to the next one.
    @Test(arguments: [true, false]) func twoInsertions(isSecondGood: Bool) throws {
        var driver = Self.driver()
        _ = driver.receive(try Self.report(tracks: [2], inserting: true))
        var actions = driver.receive(
            try Self.report(tracks: isSecondGood ? [1, 2, 3] : [], inserting: true))
        #expect(actions.contains(.startTimer(InsertReads.patience)) == !isSecondGood)
        actions += driver.timerFired()
        #expect(MagTekReports.swipes(actions).map(\.readTracks) == [1, isSecondGood ? 3 : 0])
    }

    private static func question(_ driver: inout SureSwipeDriver) -> [DriverAction] {
        driver.property(PropertyRequest(token: 7, name: "software_id"))
    }

    /// The driver has one timer: a read that is held back does not end a question before its time.
    @Test(arguments: [true, false]) func aHeldReadAndAQuestionShareTheTimer(isAskedFirst: Bool) throws {
        var driver = Self.driver()
        let bad = try Self.report(good: false, inserting: true)
        let first = isAskedFirst ? Self.question(&driver) : driver.receive(bad)
        let second = isAskedFirst ? driver.receive(bad) : Self.question(&driver)
        #expect(first.contains(.startTimer(isAskedFirst ? MagTekReader.answerTimeout : InsertReads.patience)))
        // The hold is the shorter: it begins at once, and nothing begins it anew.
        #expect(second.contains { if case .startTimer = $0 { true } else { false } } == isAskedFirst)
        let atHold = driver.timerFired()
        #expect(MagTekReports.swipes(atHold).count == 1)
        #expect(atHold.last == .startTimer(MagTekReader.answerTimeout))
        #expect(Self.replies(atHold).isEmpty)
        #expect(Self.replies(driver.timerFired()).map(\.outcome) == [.failure(.timedOut)])
    }

    /// An answer does not begin the hold anew, nor end it.
    @Test func anAnswerLeavesTheHold() throws {
        var driver = Self.driver()
        _ = driver.receive(try Self.report(good: false, inserting: true))
        _ = Self.question(&driver)
        let answered = driver.receive(
            HIDReport(kind: .feature, bytes: [0, 1, 0x41] + Array(repeating: 0, count: 21)))
        #expect(Self.replies(answered).count == 1)
        #expect(!answered.contains(.stopTimer) && !answered.contains(.startTimer(InsertReads.patience)))
        #expect(MagTekReports.swipes(driver.timerFired()).count == 1)
    }

    private static func replies(_ actions: [DriverAction]) -> [PropertyReply] {
        actions.compactMap { if case .signal(.property(let reply)) = $0 { reply } else { nil } }
    }
}
