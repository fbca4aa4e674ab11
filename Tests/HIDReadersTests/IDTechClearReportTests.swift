import CardData
import ReaderKit
import Testing

@testable import Captures
@testable import HIDReaders

/// Tracks in clear in ID TECH's report: which track a text is, where some are missing or failed.
@Suite struct IDTechClearReportTests {
    private static let tracks = MagTekReports.tracks
    /// A licence's third track, in the form of a first one.
    private static let licence3 = "%!!958140000  C               1601180BRNBRN?"

    struct Example: Sendable {
        var status: [UInt8] = [0, 0, 0]
        var lengths: [Int]
        var texts: [String]
        /// The text of each track, `-` where it is blank, `!` where it failed. Nil: the report contradicts itself.
        var expected: [String]?
        /// Length of the data, where the header's is another.
        var total: Int?
    }

    private static func report(_ example: Example) -> [UInt8] {
        let data: [UInt8] = example.texts.flatMap { (text: String) -> [UInt8] in Array(text.utf8) + [0x0D] }
        let total = example.total ?? data.count
        var report: [UInt8] = example.status
        report += example.lengths.map { UInt8($0) }
        report += [0, UInt8(total & 0xFF), UInt8(total >> 8)]
        report += data
        return report + Array(repeating: 0, count: 509 - report.count)
    }

    private static func shown(_ track: TrackReading) -> String {
        switch track.outcome {
        case .read(let text), .repaired(let text, _): text.reveal()
        case .empty: "-"
        case .refused: "!"
        case .encrypted: "?"
        }
    }

    private static func check(_ example: Example) throws {
        let report = report(example)
        var driver = IDTechDrivers.driver()
        let actions = driver.receive(HIDReport(bytes: report))
        guard let expected = example.expected else {
            let sentence = IDTechReport.Refusal.contradiction.sentence
            #expect(actions == [.signal(.malformed(sentence))])
            #expect(FoundCaptures.read(report) == [.failure(.malformed(.idTechReport, sentence))])
            return
        }
        let swipe = try #require(MagTekReports.swipes(actions).first)
        #expect(swipe.tracks.map(shown) == expected)
        #expect(FoundCaptures.found(report).map(\.swipe) == [swipe])
    }

    @Test(arguments: [
        Example(lengths: [60, 37, 31], texts: tracks, expected: tracks),
        // A missing track, and only the third.
        Example(
            lengths: [60, 0, 31], texts: [tracks[0], tracks[2]], expected: [tracks[0], "-", tracks[2]]),
        Example(lengths: [0, 0, 31], texts: [tracks[2]], expected: ["-", "-", tracks[2]]),
        Example(lengths: [0, 37, 0], texts: [tracks[1]], expected: ["-", tracks[1], "-"]),
        // A track that failed takes no good one with it.
        Example(
            status: [0, 1, 0], lengths: [60, 0, 31], texts: [tracks[0], tracks[2]],
            expected: [tracks[0], "!", tracks[2]]),
        Example(
            status: [1, 0, 0], lengths: [0, 37, licence3.utf8.count], texts: [tracks[1], licence3],
            expected: ["!", tracks[1], licence3]),
        // One that failed with a length, of which something was sent or nothing.
        Example(
            status: [1, 0, 0], lengths: [60, 37, 0], texts: ["%B54?", tracks[1]],
            expected: ["!", tracks[1], "-"]),
        Example(
            status: [1, 0, 0], lengths: [60, 37, 0], texts: [tracks[1]], expected: ["!", tracks[1], "-"]),
        // The mark of a failed track, with and without the status that says so.
        Example(
            status: [1, 0, 0], lengths: [0, 37, 0], texts: ["%E?", tracks[1]],
            expected: ["!", tracks[1], "-"]),
        Example(lengths: [3, 37, 0], texts: ["%E?", tracks[1]], expected: ["!", tracks[1], "-"]),
    ])
    func theLengthsSayWhichTrackItIs(_ example: Example) throws { try Self.check(example) }

    /// Nobody says what the lengths count; they count the same in every track.
    @Test(arguments: -4...3) func whatTheLengthsCount(more: Int) throws {
        let isRight = (-2...1).contains(more)
        try Self.check(
            Example(
                lengths: [60 + more, 37 + more, 31 + more], texts: Self.tracks,
                expected: isRight ? Self.tracks : nil))
        guard more != 0 else { return }
        try Self.check(Example(lengths: [60, 37 + more, 31], texts: Self.tracks, expected: nil))
    }

    @Test(arguments: [
        Example(lengths: [63, 37, 0], texts: [tracks[0], tracks[1]], expected: nil),
        // Cut by the length of all data.
        Example(lengths: [60, 37, 31], texts: tracks, expected: nil, total: 98),
        Example(lengths: [60, 37, 0], texts: tracks, expected: nil),
        Example(lengths: [60, 37, 31], texts: [], expected: nil),
        Example(lengths: [60, 0, 0], texts: [tracks[1]], expected: nil),
    ])
    func aContradictionIsNoCard(_ example: Example) throws { try Self.check(example) }

    /// A header that was not filled in: the sentinels, and the order of the tracks.
    @Test(arguments: [
        Example(lengths: [0, 0, 0], texts: tracks, expected: tracks),
        Example(lengths: [0, 0, 0], texts: [tracks[1], licence3], expected: ["-", tracks[1], licence3]),
        Example(lengths: [0, 0, 0], texts: ["%E?", tracks[1]], expected: ["!", tracks[1], "-"]),
        Example(
            status: [1, 0, 0], lengths: [0, 0, 0], texts: ["%E?", tracks[1]], expected: ["!", tracks[1], "-"]),
        Example(lengths: [0, 0, 0], texts: [tracks[1], licence3, tracks[2]], expected: nil),
        Example(status: [0, 1, 0], lengths: [0, 0, 0], texts: [tracks[0], tracks[2]], expected: nil),
    ])
    func aHeaderWithoutLengths(_ example: Example) throws { try Self.check(example) }
}
