import SwipeProtocol
import Testing

@testable import ReaderRecordings

/// What is written down of a reader's reports, and what is not.
@Suite struct RecordingTests {
    private static let head = ReaderRecording.Head(
        ids: "0801:0011", product: "Reader \"x\"", descriptor: [0x06, 0x00, 0xFF], content: .testCard)

    /// A MagneSafe V5 report at level 2, with a track 2 of that text: status, encoding, lengths, three fields of 112 bytes.
    static func report(track2: String) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 850)
        let text = Array(track2.utf8)
        bytes[4] = UInt8(text.count)
        bytes.replaceSubrange(119..<119 + text.count, with: text)
        return bytes
    }

    private func text(_ lines: [EncodedLine]) -> [UInt8] {
        Array(lines.map { $0.text }.joined(separator: "\n").utf8)
    }

    @Test func aRecordingOfATestCardComesBack() throws {
        let reports = [Self.report(track2: ";4111111111111111=2712101?"), [1, 2, 3], []]
        let lines =
            [ReaderRecording.line(Self.head)]
            + reports.enumerated().map { index, report in
                ReaderRecording.line(report, at: index * 1_000, .testCard)
            }
        let read = try ReaderRecording(text(lines))
        #expect(read.head == Self.head)
        #expect(read.reports.map(\.bytes) == reports)
        #expect(read.reports.map(\.time) == [0, 1_000, 2_000])
    }

    /// The attacker has the shapes of two cards, and they are the same bytes: there is nothing to compute from.
    @Test func shapesOfCardsThatDifferInDigitsAreTheSame() {
        func shape(_ digits: Int) -> String {
            let number = String(digits).padding(16)
            let track = ";\(number)=2712101\(String(digits % 10_000).padding(8))?"
            return ReaderRecording.line(Self.report(track2: track), at: 7, .shapes).text
        }
        let first = shape(4_111_111_111_111_111)
        #expect(first.contains(#""bytes":850"#))
        var random = UInt64(42)
        for _ in 0..<40 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            #expect(shape(Int(random % 10_000_000_000_000_000)) == first)
        }
        // What is not the same: another length.
        #expect(ReaderRecording.line([1, 2, 3], at: 7, .shapes).text != first)
    }

    @Test func aShapeHasNoBytesAndNoText() throws {
        let line = ReaderRecording.line(Self.report(track2: ";4111111111111111=2712101?"), at: 7, .shapes)
            .text
        #expect(!line.contains("4111") && !line.contains("report") && !line.contains("34313131"))
        var head = Self.head
        head.content = .shapes
        let read = try ReaderRecording(Array((ReaderRecording.line(head).text + "\n" + line + "\n").utf8))
        #expect(read.reports.map(\.length) == [850] && read.reports[0].bytes == nil)
        #expect(ReaderRecording.line(read.reports[0]).text == line)
    }

    @Test(arguments: [
        ("", "empty"), ("nonsense", "no recording"), (#"{"recording":"swiped recording 2"}"#, "no recording"),
        (
            #"{"recording":"swiped recording 1","content":"shapes","device":"../x","descriptor":""}"#,
            "no recording"
        ),
        ("HEAD\nnonsense", "line 2"), ("HEAD\n{}", "at_us or bytes"),
        (#"HEAD\#n{"at_us":1,"bytes":2,"report":"AA"}"#, "not of as many bytes"),
        (#"HEAD\#n{"at_us":1,"bytes":1,"report":"AG"}"#, "report is missing"),
        (#"HEAD\#n{"at_us":1,"bytes":99999,"report":""}"#, "out of range"),
        (#"HEAD\#n{"at_us":5,"bytes":0,"report":""}\#n{"at_us":4,"bytes":0,"report":""}"#, "before that"),
    ])
    func whatIsNoRecordingIsRefused(text: String, words: String) {
        let file = text.replacing("HEAD", with: ReaderRecording.line(Self.head).text)
        do {
            _ = try ReaderRecording(Array(file.utf8))
            Issue.record("it was read")
        } catch {
            #expect("\(error)".contains(words), "\(error)")
        }
    }

    @Test(arguments: [
        #""report":"AA""#, #""tracks":{}"#, #""tracks":["4111111111111111"]"#,
        #""tracks":[{"track":4111111111111111,"result":"read","characters":1}]"#,
        #""tracks":[{"track":2,"result":"4111111111111111","characters":1}]"#,
        #""tracks":[{"track":2,"result":"read","characters":4111111111111111}]"#,
    ])
    func whatIsNoShapeIsRefused(members: String) {
        var head = Self.head
        head.content = .shapes
        let file = ReaderRecording.line(head).text + #"\#n{"at_us":1,"bytes":1,\#(members)}"#
        #expect(
            throws: ReaderRecording.Fault(line: 2, reason: "tracks is missing, or has more than shapes in it")
        ) {
            try ReaderRecording(Array(file.utf8))
        }
    }
}

extension String {
    fileprivate func padding(_ count: Int) -> String {
        String(repeating: "0", count: max(0, count - self.count)) + prefix(count)
    }
}
