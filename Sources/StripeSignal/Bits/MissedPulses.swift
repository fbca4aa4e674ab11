/// Lowers the certainty of zeros that may hide a one: where the signal turns back within the cell, a pulse may have
/// been missed because the level round it was set by louder ones.
struct MissedPulses: Sendable {
    /// The signal in which the pulses were found.
    var signal: [Float]
    /// Power of the noise in it.
    var noise: Float
    /// Whether a filter made its pulses narrower, round which it rings.
    var rings = false

    /// How large a turn within the cell may be, in parts of the way from pulse to pulse: up to the lower bound it is harmless, from
    /// the upper one on it may well be the middle of a one. What noise or ringing explains may be larger.
    private static let bounds: (noise: ClosedRange<Float>, heard: ClosedRange<Float>) = (0.6...1.2, 0.1...0.3)
    /// In standard deviations of the noise: it makes no larger turns.
    private static let mostNoise: Float = 7
    private static let leastReliability: Float = 0.1
    /// A neighbour shorter than this part of the cell may have lost a reversal to it.
    private static let shortNeighbour = 0.8

    /// The reliability of each of the run's bits, none raised.
    func limited(_ reliability: [Float], of run: IntervalClock.Run) -> [Float] {
        var limited = reliability
        for index in run.bits.indices where run.bits[index] == 0 && index < limited.count {
            let trust = trust(from: run.edges[index], to: run.edges[index + 1])
            guard trust < 1 else { continue }
            let length = run.edges[index + 1] - run.edges[index]
            for near in max(index - 1, 0)...min(index + 1, limited.count - 1)
            where near == index
                || run.edges[near + 1] - run.edges[near] < Self.shortNeighbour * length
            {
                limited[near] = max(min(limited[near], reliability[near] * trust), Self.leastReliability)
            }
        }
        return limited
    }

    /// How far a zero without a reversal within it is believed: 0 to 1.
    private func trust(from start: Double, to end: Double) -> Float {
        guard let back = TurnBack(in: signal, from: start, to: end) else { return 1 }
        let isHeard = !rings && back.turn > Self.mostNoise * noise.squareRoot()
        let bounds = isHeard ? Self.bounds.heard : Self.bounds.noise
        return min(max((bounds.upperBound - back.part) / (bounds.upperBound - bounds.lowerBound), 0), 1)
    }
}
