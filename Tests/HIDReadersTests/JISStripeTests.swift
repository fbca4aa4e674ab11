import CardData
import ReaderKit
import ReaderPackets
import ReaderTesting
import Testing

@testable import HIDReaders

/// A JIS II text in track 1's place is never an ISO track 1, and an ISO track 1 never a JIS II text.
@Suite struct JISStripeTests {
    private static let iso = MagTekReports.tracks

    /// A packet with three tracks in clear.
    private static func packet(_ texts: [String]) throws -> Swipe {
        let lengths = texts.map { UInt8($0.utf8.count) }
        let data: [UInt8] = [0x80, 0x3F] + lengths + [0x07, 0] + texts.flatMap { Array($0.utf8) }
        return try IDTechPacket(IDTechFrame.binary(IDTechPackets.frame(data))).swipe()
    }

    /// `?` is a character of the stripe's, also where a track's end sentinel would stand. The LRC is left out, also one that
    /// looks like a third sentinel.
    @Test(
        arguments: [
            ("\u{7F}A12?3\u{7F}", ""), ("\u{7F}A123?\u{7F}", ""), ("\u{7F}?\u{7F}", ""),
            ("\u{7F}A123?\u{7F}", "N"),
            ("\u{7F}>A\u{7F}", "\u{7F}"), ("\u{7F}%B1?\u{7F}", "i"),
        ])
    func inAnIDTechPacket(text: String, redundancy: String) throws {
        let swipe = try Self.packet([text + redundancy, Self.iso[1], ""])
        #expect(swipe.tracks[0].text?.reveal() == text)
        #expect(swipe.tracks[1].text?.reveal() == Self.iso[1])
        #expect(swipe.card?.kind == "jis2")
    }

    @Test(arguments: ["}", "\u{7F}"]) func aWrongLRC(redundancy: String) throws {
        let swipe = try Self.packet(["\u{7F}A123?\u{7F}" + redundancy, "", ""])
        #expect(swipe.tracks[0].outcome == .refused(.longitudinalRedundancy(atBit: 0)))
        #expect(swipe.card == nil)
    }

    /// Half of either: never the other one.
    @Test(
        arguments: [
            "\u{7F}A123?", "%A123\u{7F}", "\u{7F}%A123?", "%A123?\u{7F}", "A123\u{7F}",
            "\u{7F}A\u{7F}B\u{7F}",
            "\u{7F}", "\u{7F}A\u{7F}BC", ";123\u{7F}",
        ])
    func whatIsNeither(text: String) throws {
        #expect(TrackTextCheck.outcome(Array(text.utf8), track: 1) == .refused(.malformed))
        let swipe = try Self.packet([text, Self.iso[1], ""])
        #expect(swipe.tracks[0].text == nil)
        #expect(swipe.card?.kind == "payment")
    }

    /// One track number, two texts: which of them track 1 is, such a stream or report does not say.
    @Test(arguments: [false, true]) func bothInOneText(isReversed: Bool) {
        let texts = ["\u{7F}A1234567890 TEST\u{7F}", Self.iso[0]]
        let text = (isReversed ? texts.reversed() : texts).joined() + Self.iso[1]
        #expect(throws: MagTekStream.Refusal.tracks(.twice)) { try MagTekStream(Array(text.utf8)) }
        let report = Array(repeating: UInt8(0), count: 9) + Array(text.utf8)
        #expect(throws: IDTechReport.Refusal.tracks(.twice)) {
            try IDTechReport.parse(report + Array(repeating: 0, count: 509 - report.count))
        }
    }
}
