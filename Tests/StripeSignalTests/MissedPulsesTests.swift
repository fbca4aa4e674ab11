import Testing

@testable import StripeSignal

/// Zeros in which the signal turns back are in doubt, and a short cell beside one too.
@Suite struct MissedPulsesTests {
    private static let edges = [0.0, 20, 30, 60, 86]

    /// A saw from edge to edge, which turns back in the third cell by a part of its way.
    private static func signal(turn: Float) -> [Float] {
        var signal: [Float] = []
        for (index, (start, end)) in zip(edges, edges.dropFirst()).enumerated() {
            let from: Float = index & 1 == 0 ? 1000 : -1000
            let length = Int(end - start)
            for offset in 0..<length {
                let way = Float(offset) / Float(length)
                let bump = index == 2 && (10..<20).contains(offset) ? 2000 * turn + 700 * way : 0
                signal.append(from - 2 * from * way + (from > 0 ? bump : -bump))
            }
        }
        return signal + [1000, 900]
    }

    private static func limited(turn: Float, noise: Float = 0, rings: Bool = false) -> [Float] {
        let run = IntervalClock.Run(bits: [0, 0, 0, 0], edges: edges)
        return MissedPulses(signal: signal(turn: turn), noise: noise, rings: rings)
            .limited([20, 20, 20, 20], of: run)
    }

    @Test func aCellThatRunsFromPulseToPulseIsBelieved() {
        #expect(Self.limited(turn: 0) == [20, 20, 20, 20])
    }

    /// Three reversals that were found as one: the cells on both sides of it are in doubt; one that is about as long is not.
    @Test func whatTurnsBackIsInDoubtAndItsShortNeighbourToo() {
        let limited = Self.limited(turn: 0.45)
        #expect(limited[2] < 5)
        #expect(limited[1] < 5)
        #expect(limited[0] == 20)
        #expect(limited[3] == 20)
    }

    /// Noise turns back more, and so does a filter that makes pulses narrower: both are harmless.
    @Test func noiseAndRingingAreAllowedMore() {
        #expect(Self.limited(turn: 0.45, noise: 1e6) == [20, 20, 20, 20])
        #expect(Self.limited(turn: 0.45, rings: true) == [20, 20, 20, 20])
    }

    /// An edge beside its pulse's top is no turn.
    @Test func movedEdgesAreNoTurn() throws {
        let cell: [Float] = [900, 1000, 800, 300, -400, -900, -1000, -850]
        let back = try #require(TurnBack(cell[...]))
        #expect(back.turn == 0)
        #expect(back.swing == 2000)
        #expect(back.pair == 0)
        #expect(TurnBack(cell[..<2]) == nil)
        #expect(TurnBack(in: cell, from: -3, to: 4) == nil)
    }

    /// Behind a capacitor a pulse's foot comes back to zero; two reversals go beyond it on both sides.
    @Test func aFootThatComesBackIsNoPair() throws {
        let foot = try #require(TurnBack([-1000, 200, 100, 0, 300, 1000][...]))
        #expect(foot.turn == 200)
        #expect(foot.pair == 0)
        let pair = try #require(TurnBack([-1000, 200, 0, -150, 300, 1000][...]))
        #expect(pair.turn == 350)
        #expect(pair.pair == 300)
    }
}
