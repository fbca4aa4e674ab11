/// Pulses by their places on the card, as far as these are known, so that a clock need not follow the hand.
struct PulseWays: Sendable {
    /// Of each pulse, in samples.
    let times: [Double]
    /// Of each pulse, in samples at the usual speed or in cells.
    let ways: [Double]

    /// What a clock reads by the ways, in times; how sure each bit is stands in its leads.
    func runs(_ pulses: [FluxReversal], by clock: IntervalClock) -> [IntervalClock.Run] {
        let moved = zip(pulses, ways).map { pulse, way in
            FluxReversal(position: way, amplitude: pulse.amplitude, confidence: pulse.confidence)
        }
        return clock.runs(moved, weighsRivals: true).runs.map(inTime)
    }

    private func inTime(_ run: IntervalClock.Run) -> IntervalClock.Run {
        var timed = run
        timed.edges = run.edges.map(time)
        timed.middles = run.middles.indices.map { index in
            let way =
                run.edges[index] + Double(run.middles[index]) * (run.edges[index + 1] - run.edges[index])
            let length = max(timed.edges[index + 1] - timed.edges[index], .leastNormalMagnitude)
            return Float((time(way) - timed.edges[index]) / length)
        }
        return timed
    }

    /// Between pulses, in proportion.
    private func time(_ way: Double) -> Double {
        var low = 0
        var high = ways.count - 1
        guard high > 0 else { return way }
        while high - low > 1 {
            let middle = (low + high) / 2
            if ways[middle] <= way { low = middle } else { high = middle }
        }
        let length = max(ways[high] - ways[low], .leastNormalMagnitude)
        return times[low] + (way - ways[low]) / length * (times[high] - times[low])
    }
}
