import CardData
import Testing

@testable import StripeSignal

/// Cells of under two samples leave ones no room below half of the sample rate.
@Suite struct FastCardTests {
    /// A record of even cells, of which some in a row are as long as is said.
    private static func refusal(cell: Double, fast: Double, count: Int = 20) -> TrackRefusal? {
        var edges = [0.0]
        for index in 0..<200 {
            edges.append((edges.last ?? 0) + ((100..<100 + count).contains(index) ? fast : cell))
        }
        let run = IntervalClock.Run(bits: [UInt8](repeating: 0, count: 200), edges: edges)
        let doubts = RecordDoubts(run: run, surroundings: FrameSurroundings(signal: [], noise: 0))
        let track = FoundTrack(
            format: StripeFormat.standard[0], text: [], isReversed: false, repairedBits: 0, place: 20..<180,
            evidence: 40)
        return doubts.piece(track)
    }

    @Test func cellsUnderTwoSamplesAreRefused() {
        #expect(Self.refusal(cell: 2.1, fast: 2.1) == nil)
        #expect(Self.refusal(cell: 2.5, fast: 1.8) == nil)
        #expect(Self.refusal(cell: 2.5, fast: 1.7) == .ambiguous(.unsureBits, atBit: 20))
        #expect(Self.refusal(cell: 2.5, fast: 1.7, count: 7) == nil)
        #expect(Self.refusal(cell: 2.5, fast: 1.7, count: 8) == .ambiguous(.unsureBits, atBit: 20))
        #expect(Self.refusal(cell: 1.9, fast: 2.5) == .ambiguous(.unsureBits, atBit: 20))
    }
}
