import KeyboardReaders
import MSRReaders
import ReaderKit
import ReaderTesting
import SwipeProtocol
import Testing

@testable import ReaderRecordings

/// The attacker has the shapes of cards that differ in their characters alone, of the same hand at the same reader. They are the same bytes.
@Suite struct KeyShapesTests {
    private static let device = DeviceIdentity(readerID: "x", bus: .usb, node: "")
    /// Digits that differ most in what a reader has to do for them: no two alike in a row, all alike, and others.
    private static let numbers = [
        "1212121212121212", "0000000000000000", "7777777777777777", "1111222233334444", "9081726354463728",
    ]
    private static let names = ["DOE/JANE", "A.B/C-DE", "AAAA/BBB"]

    private static func text(_ number: String, _ name: String) -> String {
        "%B\(number)^\(name)^29121010000000000000?;\(number)=29121010000000000?\r"
    }

    /// Reports of a reader that lets go of a key only where it must: most is to be seen of it.
    private static func inputs(_ text: String, after pause: Duration, gap: Duration) throws -> [KeyInput] {
        var habits = KeyTyping.Habits()
        habits.releasesEachKey = false
        var reader = TypingReader(habits: habits)
        (reader.now, reader.gap) = (pause, gap)
        return try reader.type(text)
    }

    private static func lines(_ inputs: [KeyInput]) -> [String] {
        var shapes = KeyShapes(DrivenReading.of(KeyboardReader.self, device))
        var reports: [ReaderRecording.Report] = []
        for input in inputs {
            guard case .report(let bytes) = input.content else { continue }
            reports += shapes.take(bytes, at: input.time)
        }
        let end = (inputs.last?.time ?? .zero) + .seconds(10)
        // The silences that follow each other.
        for _ in 0..<4 { reports += shapes.pass(to: end) }
        return reports.map { ReaderRecording.line($0).text }
    }

    @Test(arguments: [2, 15, 30]) func whatKeysTheyWereIsNotThere(milliseconds: Int) throws {
        let gap = Duration.milliseconds(milliseconds)
        var seen: Set<[String]> = []
        for number in Self.numbers {
            for name in Self.names {
                let first = try Self.inputs(Self.text(number, name), after: .milliseconds(1_200), gap: gap)
                let second = try Self.inputs(Self.text(number, name), after: .seconds(30), gap: gap)
                seen.insert(Self.lines(first + second))
            }
        }
        #expect(seen.count == 1)
        let lines = try #require(seen.first)
        #expect(lines.count == 2)
        #expect(
            lines.first?.contains(#"{"at_us":1000000,"bytes":0,"tracks":[{"track":1,"result":"read""#)
                == true, "\(lines)")
        #expect(lines.last?.contains(#"{"at_us":30000000,"#) == true, "\(lines)")
    }

    /// The reports themselves differ in number, and by that in time: it is this that shapes must not have.
    @Test func theReportsWouldTell() throws {
        let counts = try Set(
            Self.numbers.map {
                try Self.inputs(Self.text($0, Self.names[0]), after: .zero, gap: .milliseconds(2)).count
            })
        #expect(counts.count > 1)
    }

    /// Where keys are lost, the swipe is refused, and when its rest comes depends on what stood before: of the rest there is no line.
    @Test func theRestOfABrokenSwipeLeavesNoLine() throws {
        var seen: Set<[String]> = []
        for number in Self.numbers {
            var inputs = try Self.inputs(
                Self.text(number, Self.names[0]), after: .seconds(2), gap: .milliseconds(15))
            // The reader stands still for 0.9 s behind the tenth digit.
            let place = try #require(inputs.indices.dropFirst(30).first)
            for index in inputs.indices where index >= place { inputs[index].time += .milliseconds(900) }
            seen.insert(Self.lines(inputs))
        }
        #expect(seen.count == 1, "\(seen)")
        #expect(seen.first == [#"{"at_us":2000000,"bytes":0,"tracks":[]}"# + "\n"])
    }

    @Test(arguments: ["correct horse battery staple\r", "4111111111111111\r", "hunter2"])
    func whatIsNoSwipeLeavesNoLine(text: String) throws {
        #expect(Self.lines(try Self.inputs(text, after: .seconds(1), gap: .milliseconds(20))).isEmpty)
        #expect(Self.lines(try Self.inputs(text, after: .seconds(1), gap: .milliseconds(200))).isEmpty)
    }

    /// A boot keyboard's descriptor, with and without a number, and one beside keys for the volume.
    @Test func aDescriptorTellsKeys() throws {
        let keys: [UInt8] = [
            0x05, 0x07, 0x19, 0xE0, 0x29, 0xE7, 0x15, 0x00, 0x25, 0x01, 0x75, 0x01, 0x95, 0x08, 0x81, 0x02,
            0x95,
            0x01, 0x75, 0x08, 0x81, 0x01, 0x95, 0x06, 0x75, 0x08, 0x15, 0x00, 0x25, 0x65, 0x05, 0x07, 0x19,
            0x00,
            0x29, 0x65, 0x81, 0x00, 0xC0,
        ]
        let begin: [UInt8] = [0x05, 0x01, 0x09, 0x06, 0xA1, 0x01]
        func head(_ descriptor: [UInt8]) -> ReaderRecording.Head {
            ReaderRecording.Head(ids: "C216:0180", product: "", descriptor: descriptor, content: .shapes)
        }
        let plain = head(begin + keys)
        #expect(plain.isTyping && plain.keys(in: [0, 0, 4]) == [0, 0, 4])
        let numbered = head(begin + [0x85, 0x01] + keys)
        #expect(numbered.isTyping && numbered.keys(in: [1, 0, 0, 4]) == [0, 0, 4])
        #expect(numbered.keys(in: [2, 1]) == nil)
        #expect(!head([0x06, 0x00, 0xFF, 0x09, 0x01]).isTyping && !head([]).isTyping)
    }
}

/// The same of an encoder, whose answer comes in several reports, and in as many bytes as the stripes have.
@Suite struct EncoderShapesTests {
    private static func lines(_ number: String, _ way: EncoderReading) throws -> [String] {
        var options = ReaderOptions()
        options.encoderReading = way
        let device = DeviceIdentity(
            readerID: "x", bus: .usb, vendorID: 0x0801, productID: 0x0003, node: "", isSimulated: true)
        var reading = TimedReading(DrivenReading.of(MSR605XDriver.self, device, options))
        var encoder = EncoderSimulator()
        _ = encoder.receive([0x1B, 0x6F, 8, 8, 8, 0x1B, way == .raw ? 0x6D : 0x72])
        let card = try EncodedCard(
            ["%B\(number)^DOE/JANE^29121010000000000000?", ";\(number)=29121010000000000?", nil],
            isBackward: false)
        return EncoderReports.reports(of: encoder.swipe(card.stripes)).map { bytes in
            let swipes = reading.take(HIDReport(bytes: bytes), at: .zero)
            return ReaderRecording.line(ReaderRecording.report(bytes, with: swipes, at: 5, .shapes)).text
        }
    }

    @Test(arguments: EncoderReading.allCases) func whatDigitsTheyWereIsNotThere(way: EncoderReading) throws {
        let seen = try Set(
            ["1212121212121212", "0000000000000000", "7777777777777777", "9081726354463728"].map {
                try Self.lines($0, way)
            })
        #expect(seen.count == 1, "\(seen)")
        let lines = try #require(seen.first)
        #expect(lines.count > 1)
        #expect(lines.dropLast().allSatisfy { $0 == #"{"at_us":5,"bytes":64,"tracks":[]}"# + "\n" })
        #expect(
            lines.last?.contains(#""tracks":[{"track":1,"result":"read","characters":"#) == true, "\(lines)")
    }
}
