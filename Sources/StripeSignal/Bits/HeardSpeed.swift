import CardData

/// Takes the hand's motion out of the pulses' times, as far as it is heard: what the head induces is proportional to the
/// card's speed, so that the way from one pulse to the next is about its time by the pulses' height.
///
///     a card that sticks    | | |  |   |     |     |   |  | | |     times, high where dense
///     heard                 | | | | | | | | | | |                   ways
struct HeardSpeed: Sendable {
    private let times: [Double]
    private let ways: [Double]

    /// Of the median height: what is fainter may be a lifted head or noise, what is higher a click.
    private static let heights = 0.15...3.0

    init(_ pulses: [FluxReversal]) {
        times = pulses.map(\.position)
        let heights = pulses.map { Double(abs($0.amplitude)) }
        let usual = max(heights.sorted().dropFirst(heights.count / 2).first ?? 1, .leastNormalMagnitude)
        let speeds = heights.map {
            min(max($0 / usual, Self.heights.lowerBound), Self.heights.upperBound)
        }
        var way = times.first ?? 0
        var ways: [Double] = []
        for index in times.indices {
            if index > 0 {
                way += (times[index] - times[index - 1]) * (speeds[index - 1] + speeds[index]) / 2
            }
            ways.append(way)
        }
        self.ways = ways
    }

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
