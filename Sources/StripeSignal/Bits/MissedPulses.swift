/// Lowers the certainty of zeros that may hide a one: where the signal turns back within the cell, a pulse may have
/// been missed because the level round it was set by louder ones.
struct MissedPulses: Sendable {
    /// The signal in which the pulses were found.
    var signal: [Float]

    /// A turn within the cell by this part of the cell's own swing is noise.
    private static let harmlessTurn: Float = 0.6
    /// A turn as large as this may be the middle of a one.
    private static let doubtfulTurn: Float = 1.2
    private static let leastReliability: Float = 0.1

    /// The reliability of each of the run's bits, none raised.
    func limited(_ reliability: [Float], of run: IntervalClock.Run) -> [Float] {
        var limited = reliability
        for index in run.bits.indices where run.bits[index] == 0 && index < limited.count {
            let part = turnedBack(from: run.edges[index], to: run.edges[index + 1])
            guard part > Self.harmlessTurn else { continue }
            let trust = (Self.doubtfulTurn - part) / (Self.doubtfulTurn - Self.harmlessTurn)
            limited[index] = max(min(limited[index], limited[index] * trust), Self.leastReliability)
        }
        return limited
    }

    /// The largest step against the cell's direction, as a part of the way from edge to edge.
    private func turnedBack(from start: Double, to end: Double) -> Float {
        let first = Int(start.rounded())
        let last = Int(end.rounded())
        guard first >= 0, last < signal.count, last > first + 1 else { return 0 }
        let swing = signal[last] - signal[first]
        let sign: Float = swing < 0 ? -1 : 1
        var furthest = signal[first] * sign
        var turn: Float = 0
        for index in first...last {
            let value = signal[index] * sign
            furthest = max(furthest, value)
            turn = max(turn, furthest - value)
        }
        return turn / max(abs(swing), .leastNormalMagnitude)
    }
}
