/// Puts pairs of reversals back for which no pulses were found.
///
/// On a card no two reversals are farther apart than a cell. Pulses alternate in sign, so they are lost in pairs; and where a pair is
/// lost three intervals have become one, of a cell and a half at least:
///
///     on the card   |    |    |    |
///     pulses        |              |      longer than a cell: the pair is where the signal turns back furthest, however little
struct LostPairs: Sendable {
    /// The signal in which the pulses were found.
    let signal: [Float]
    /// Power of the noise in it.
    let noise: Float
    /// Whether a filter made its pulses narrower, round which it rings: no turn is heard there.
    let rings: Bool

    /// In cells: a longer interval may have lost a pair, and over one that is longer still there is no card.
    private static let interval = 1.28..<4.0
    /// In cells: jitter alone makes no longer interval. Up to this a pair is put back only where its turn is heard.
    private static let mostByJitter = 1.45
    /// In standard deviations of the noise: what it does somewhere in a cell (`docs/decisions/0124`), and what is heard above it.
    private static let mostByNoise: Float = 5
    private static let heard: Float = 7
    /// In cells: no two reversals are nearer to each other.
    private static let nearest = 0.1

    /// A pulse that was put back.
    struct Found: Sendable {
        let pulse: FluxReversal
        /// Log-likelihood that noise did not make the turn: no bit beside it is surer.
        let lead: Float
    }

    /// What was lost, in the order of time.
    ///
    /// - Parameter ways: of the pulses, in cells.
    func found(_ pulses: [FluxReversal], _ ways: [Double]) -> [Found] {
        zip(pulses.indices.dropFirst(), zip(ways.dropFirst(), ways)).flatMap { index, way in
            pairs(from: pulses[index - 1].position, to: pulses[index].position, cells: way.0 - way.1)
        }
    }

    /// Each call leaves two shorter intervals, so that four cells hold a few pairs at most.
    private func pairs(from start: Double, to end: Double, cells: Double) -> [Found] {
        guard Self.interval.contains(cells), let (first, last) = furthestTurn(start, end) else { return [] }
        let scale = cells / (end - start)
        let parts = [
            Double(first) - start, Double(last - first), end - Double(last),
        ].map { $0 * scale }
        let turn = abs(signal[first] - signal[last]) / max(noise.squareRoot(), .leastNormalMagnitude)
        let isHeard = !rings && turn > Self.heard
        guard cells > Self.mostByJitter || isHeard, parts.allSatisfy({ $0 > Self.nearest }) else { return [] }
        let above = rings ? 0 : max(turn - Self.mostByNoise, 0)
        let pair = [first, last].map { place in
            Found(
                pulse: FluxReversal(position: Double(place), amplitude: signal[place], confidence: 0),
                lead: above * above / 4)
        }
        return pairs(from: start, to: Double(first), cells: parts[0]) + pair
            + pairs(from: Double(last), to: end, cells: parts[2])
    }

    /// The reliability of each of the run's bits, none raised: where noise may have made a pair, the bits beside it are unsure.
    static func limited(_ reliability: [Float], of run: IntervalClock.Run, _ found: [Found]) -> [Float] {
        var limited = reliability
        var cell = 0
        for found in found {
            while cell < run.bits.count, run.edges[cell + 1] < found.pulse.position { cell += 1 }
            for near in cell...cell + 1
            where near < limited.count && run.edges[near] <= found.pulse.position {
                limited[near] = min(limited[near], found.lead)
            }
        }
        return limited
    }

    /// Where the signal turns back furthest on its way from one pulse to the next, and from where.
    private func furthestTurn(_ start: Double, _ end: Double) -> (Int, Int)? {
        let (first, last) = (Int(start.rounded()), Int(end.rounded()))
        guard first >= 0, last < signal.count, first < last else { return nil }
        let sign: Float = signal[last] < signal[first] ? -1 : 1
        var top = first
        var turn: (Int, Int)?
        var most: Float = 0
        for index in first..<last {
            if signal[index] * sign > signal[top] * sign { top = index }
            // What falls from the first pulse is its own foot.
            guard top > first, (signal[top] - signal[index]) * sign > most else { continue }
            most = (signal[top] - signal[index]) * sign
            turn = (top, index)
        }
        return turn
    }
}
