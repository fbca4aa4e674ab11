import CardData
import ReaderCatalog
import ReaderKit
import Testing

@testable import SerialReaders

/// Readers on a line that send of themselves: their bytes in, what clients hear out.
@Suite struct LineTests {
    private static let device = DeviceIdentity(readerID: "serial-till", bus: .serial, node: "/dev/ttyS0")
    static let card = Cards.track1 + Cards.track2

    private static func clear(_ swipe: Swipe?) -> [String?] { swipe?.tracks.map(\.outcome.clear) ?? [] }

    @Test(arguments: ["\r", "\n", "\r\n", ""]) func textEndsByALineEndOrBySilence(end: String) {
        let signals = LineSignals.of(TextLine.self, [Array((Self.card + end).utf8)])
        #expect(LineSignals.swipes(signals).map { Self.clear($0) } == [[Cards.track1, Cards.track2, nil]])
        #expect(LineSignals.complaints(signals).isEmpty)
    }

    /// A line for each track is one swipe; two swipes in one burst are two.
    @Test func linesOfATrackEach() {
        let lines = Array("\(Cards.track1)\r\(Cards.track2)\r\(Cards.track3)\r\(Cards.track2)\r".utf8)
        let swipes = LineSignals.swipes(LineSignals.of(TextLine.self, [lines]))
        #expect(swipes.map { Self.clear($0) } == [Cards.all, [nil, Cards.track2, nil]])
    }

    @Test func splitAtEveryByte() {
        let bytes = Array((Self.card + "\r").utf8)
        for pieces in 1..<bytes.count {
            let swipes = LineSignals.swipes(LineSignals.of(TextLine.self, [bytes], pieces: pieces))
            #expect(Self.clear(swipes.first) == [Cards.track1, Cards.track2, nil], "\(pieces)")
        }
    }

    /// Two swipes are two, however often: the silence between them parts them.
    @Test func aThousandSwipes() {
        let burst = Array((Self.card + "\r").utf8)
        let swipes = LineSignals.swipes(
            LineSignals.of(TextLine.self, Array(repeating: burst, count: 1000), pieces: 7))
        #expect(swipes.count == 1000)
        #expect(swipes.allSatisfy { $0.card != nil })
    }

    @Test func aTrackThatTheReaderCouldNotRead() {
        let swipe = LineSignals.swipes(LineSignals.of(TextLine.self, [Array("%E?\(Cards.track2)\r".utf8)]))
            .first
        #expect(swipe?.tracks[0].outcome == .refused(.malformed))
        #expect(swipe?.tracks[1].outcome.clear == Cards.track2)
    }

    @Test func theSignOnIsTheFirmware() {
        let signals = LineSignals.of(
            TextLine.self, [Array("21042807E02\r".utf8), Array((Self.card + "\r").utf8)])
        let firmware = signals.compactMap { signal -> String? in
            if case .identified(let details) = signal { details.firmware } else { nil }
        }
        #expect(firmware == ["21042807E02"])
        #expect(LineSignals.swipes(signals).count == 1)
    }

    /// A number in the place of a sign-on may be a card's: it is never told.
    @Test(arguments: [
        "4111111111111111\r", "4111111111111111=2912\r", "HELLO", "0123456789012345678901234567890123\r",
    ])
    func whatIsNoSignOn(text: String) {
        let signals = LineSignals.of(TextLine.self, [Array(text.utf8)])
        #expect(LineSignals.complaints(signals).count == 1)
        #expect(!LineSignals.complaints(signals).contains { $0.contains("4111") || $0.contains("HELLO") })
        for case .identified(let details) in signals { #expect(details.firmware == nil) }
    }

    /// What may be a card's is no sign-on; nor is one that comes when no reader gets its power.
    @Test(arguments: [
        "12345678\r", "990139424\r", "DOE/JOHN\r", "DOE JANE A1234567\r", "MEMBER 0042\r", "A1234567\r",
        "21042807102\r", "21042807EE2\r", "2104280E02\r",
    ])
    func whatMayBeACards(text: String) {
        for case .identified(let details) in LineSignals.of(TextLine.self, [Array(text.utf8)]) {
            #expect(details.firmware == nil)
        }
    }

    /// What the line says while the reader gets its power.
    @Test(arguments: [[UInt8(0)], [0, 0x0D], [0x0A, 0, 0]]) func noiseBeforeTheSignOn(
        noise: [UInt8]
    ) {
        let signals = LineSignals.of(TextLine.self, [noise + Array("21042807E02\r".utf8)])
        let firmware = signals.compactMap {
            if case .identified(let details) = $0 { details.firmware } else { nil }
        }
        #expect(firmware == ["21042807E02"])
        #expect(LineSignals.complaints(signals).isEmpty)
    }

    /// The kernel gives a zero for a character that was damaged. Whichever it is, no card comes of it, and least of all one whose
    /// tracks have each other's numbers.
    @Test func aDamagedCharacter() {
        let texts = [Cards.track1, Cards.track2, Cards.track3].joined() + "\r"
        for place in texts.utf8.indices {
            var bytes = Array(texts.utf8)
            bytes[texts.utf8.distance(from: texts.startIndex, to: place)] = 0
            let signals = LineSignals.of(TextLine.self, [bytes])
            #expect(LineSignals.swipes(signals).isEmpty)
            #expect(LineSignals.complaints(signals).count == 1)
        }
    }

    @Test func aSignOnThatComesLate() {
        var driver = SerialListener<TextLine>(Self.device)
        let started = driver.start()
        #expect(started.last == .startTimer(.seconds(1)))
        _ = driver.timerFired()
        let actions = driver.receive(SerialBytes(Array("21042807E02\r".utf8))) + driver.timerFired()
        #expect(!actions.contains { if case .signal(.identified) = $0 { true } else { false } })
    }

    /// Two cards within one pause, as where the machine slept: each is told, or neither.
    @Test(arguments: [
        [";6011000990139424=2701101987654321?", ";378282246310005=2701101987660328?"],
        [";6011000990139424=2701101987654321?", ";6011000990139424=2701101987654321?"],
        [Cards.track1, Cards.track1], [Cards.track1 + Cards.track2, Cards.track1 + Cards.track2],
        [Cards.track1 + Cards.track2, Cards.track2], [Cards.track1 + Cards.track2, Cards.track1],
    ])
    func twoCardsAreNotOne(cards: [String]) {
        let parted = LineSignals.swipes(
            LineSignals.of(TextLine.self, [Array(cards.map { $0 + "\r" }.joined().utf8)]))
        let one = cards.map {
            Self.clear(LineSignals.swipes(LineSignals.of(TextLine.self, [Array($0.utf8)])).first)
        }
        #expect(parted.map { Self.clear($0) } == one)
        let joined = LineSignals.swipes(LineSignals.of(TextLine.self, [Array((cards.joined() + "\r").utf8)]))
        #expect(joined.isEmpty)
    }

    @Test(arguments: [
        ";6011000990139424=2701101987;378282246310005=2701101987660328?",
        "%B6011000990139424^A/B^2701101987%B378282246310005^A/B^2701101987660328?",
        "%B6011000990139424^A/B^2701101987;378282246310005=2701101987660328?",
    ])
    func aTrackWithinATrack(text: String) {
        let swipes = LineSignals.swipes(LineSignals.of(TextLine.self, [Array((text + "\r").utf8)]))
        #expect(swipes.allSatisfy { $0.tracks.allSatisfy { $0.text == nil } })
    }

    @Test func aTextWithoutEndIsTold() {
        let signals = LineSignals.of(
            TextLine.self, [Array(repeating: UInt8(ascii: "A"), count: 20_000)], pieces: 500)
        #expect(LineSignals.complaints(signals).count == 1)
        #expect(LineSignals.complaints(signals).first?.contains("is the type text-line right") == true)
    }

    // MARK: Spectrum III

    static func spectrum(_ status: UInt8, _ tracks: String, kind: UInt8 = 0x60) -> [UInt8] {
        let data = [UInt8(0x50), status] + Array(tracks.utf8)
        let body = [kind, UInt8(data.count >> 8), UInt8(data.count & 0xFF)] + data
        return body + [body.reduce(0, ^), 0x03]
    }

    @Test func aSpectrumFrame() {
        let frame = Self.spectrum(0x1E, "\(Cards.track1)\r\(Cards.track2)")
        for pieces in 1...frame.count {
            let signals = LineSignals.of(SpectrumLine.self, [frame], pieces: pieces)
            #expect(
                Self.clear(LineSignals.swipes(signals).first) == [Cards.track1, Cards.track2, nil],
                "\(pieces)")
            #expect(LineSignals.complaints(signals).isEmpty)
        }
    }

    /// A card's status before its tracks, whatever its value: tracks 1 and 2 are told where it says that they were decoded, or
    /// nothing, and where it speaks of others nothing is told as theirs.
    @Test func aSpectrumFrameWithTheCardsStatus() {
        for status in UInt8(0)...0x3F {
            let isTold = status == 0 || status & 0b111 == 0b011
            let tracks = String(decoding: [status], as: UTF8.self) + "\(Cards.track1)\r\(Cards.track2)"
            let signals = LineSignals.of(SpectrumLine.self, [Self.spectrum(0x1E, tracks)])
            let told = LineSignals.swipes(signals).map { Self.clear($0) }
            #expect(told == (isTold ? [[Cards.track1, Cards.track2, nil]] : []), "\(status)")
        }
    }

    /// A length above 255 has a high byte, which the client of old adds up.
    @Test func aLongSpectrumFrame() {
        let tracks = Cards.all.compactMap(\.self).joined(separator: "\r")
        let longest = Self.spectrum(0x1E, tracks + String(repeating: "\r", count: 257 - tracks.utf8.count))
        #expect(longest[1] == 1)
        let swipes = LineSignals.swipes(LineSignals.of(SpectrumLine.self, [longest]))
        #expect(swipes.map { Self.clear($0) } == [Cards.all])
        let tooLong = Self.spectrum(0x1E, tracks + String(repeating: "\r", count: 258 - tracks.utf8.count))
        #expect(LineSignals.swipes(LineSignals.of(SpectrumLine.self, [tooLong])).isEmpty)
    }

    @Test func aWrongByteIsNoCard() {
        let frame = Self.spectrum(0x1E, Cards.track2)
        for place in frame.indices {
            var wrong = frame
            wrong[place] ^= 0x01
            let signals = LineSignals.of(SpectrumLine.self, [wrong, frame])
            #expect(
                LineSignals.swipes(signals).map { Self.clear($0) } == [[nil, Cards.track2, nil]], "\(place)")
            #expect(LineSignals.complaints(signals).count >= 1)
        }
    }

    @Test func aCardThatIsNotPushedInAllTheWay() {
        let swipe = LineSignals.swipes(LineSignals.of(SpectrumLine.self, [Self.spectrum(0x42, "")])).first
        #expect(swipe?.quality.hint == .partial)
        #expect(LineSignals.swipes(LineSignals.of(SpectrumLine.self, [Self.spectrum(0x02, "")])).isEmpty)
    }

    // MARK: MRS100

    enum Sum: CaseIterable { case fromLength, fromStart, withoutEnd }

    static func mrs100(_ tracks: String, _ sum: Sum = .fromLength, verdict: String = "Y") -> [UInt8] {
        let body = Array("30\(verdict)\(tracks)".utf8)
        let inner = [UInt8(body.count)] + body
        let bare = inner.reduce(0, ^)
        let check: UInt8 =
            switch sum {
            case .fromLength: bare ^ 0x03
            case .fromStart: bare ^ 0x03 ^ 0x02
            case .withoutEnd: bare
            }
        return [0x02] + inner + [0x03, check]
    }

    @Test(arguments: Sum.allCases) func anMRS100Frame(sum: Sum) {
        let frame = Self.mrs100(Self.card, sum)
        for pieces in 1...frame.count {
            let signals = LineSignals.of(MRS100Line.self, [frame], pieces: pieces)
            #expect(
                Self.clear(LineSignals.swipes(signals).first) == [Cards.track1, Cards.track2, nil],
                "\(pieces)")
        }
    }

    @Test func anMRS100ThatCouldNotRead() {
        let swipe = LineSignals.swipes(LineSignals.of(MRS100Line.self, [Self.mrs100("0", verdict: "N")]))
            .first
        #expect(swipe?.card == nil)
        #expect(swipe?.quality.hint == .noisy)
    }

    /// Text on a line that was given to another type is told in words that name the type.
    @Test func theWrongType() {
        let text = [Array((Self.card + "\r").utf8)]
        let names = [LineSignals.of(SpectrumLine.self, text), LineSignals.of(MRS100Line.self, text)].map {
            (LineSignals.swipes($0).count, LineSignals.complaints($0).first ?? "")
        }
        #expect(names.map(\.0) == [0, 0])
        #expect(names[0].1.contains("is the type spectrum3-line right"))
        #expect(names[1].1.contains("is the type mrs100-line right"))
    }

    @Test func theCatalogueKnowsEachByItsName() {
        for name in ["text-line", "msr-line", "spectrum3-line", "mrs100-line"] {
            #expect(ReaderCatalog.serialReader(type: name)?.driver.descriptor.name == name)
        }
        #expect(ReaderCatalog.serialReader(type: "passive-head") == nil)
    }
}
