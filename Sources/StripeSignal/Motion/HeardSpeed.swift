import CardData

/// Takes the hand's motion out of the pulses' times, as far as it is heard: what the head induces is proportional to the
/// card's speed, so that the way from one pulse to the next is about its time by the pulses' height.
///
///     a card that sticks    | | |  |   |     |     |   |  | | |     times, high where dense
///     heard                 | | | | | | | | | | |                   ways
struct HeardSpeed: Sendable {
    private let times: [Double]
    /// Of each pulse, in samples at the usual speed.
    let ways: [Double]

    /// Of the usual height: what is fainter may be a lifted head or noise, what is higher a click.
    private static let heights = 0.15...3.0

    init(_ pulses: [FluxReversal]) {
        self.init(pulses, usual: Self.usual(pulses), slowest: Self.heights.lowerBound)
    }

    /// The pulses of which the speed is believed. Where the head leaves the card, noise has some of its own, which would seem to be
    /// those of a card that creeps.
    static func believed(_ pulses: [FluxReversal]) -> [FluxReversal] {
        let least = heights.lowerBound * usual(pulses)
        return pulses.filter { Double(abs($0.amplitude)) >= least }
    }

    /// The height of the middle one.
    private static func usual(_ pulses: [FluxReversal]) -> Double {
        let heights = pulses.map { Double(abs($0.amplitude)) }
        return heights.sorted().dropFirst(heights.count / 2).first ?? 1
    }

    /// Of pulses whose ways are known.
    init(times: [Double], ways: [Double]) {
        self.times = times
        self.ways = ways
    }

    /// - Parameters:
    ///   - usual: the height of a pulse at the usual speed.
    ///   - slowest: the least speed that is believed, of the usual.
    init(_ pulses: [FluxReversal], usual: Double, slowest: Double) {
        times = pulses.map(\.position)
        let speeds = pulses.map {
            let height = Double(abs($0.amplitude)) / max(usual, .leastNormalMagnitude)
            return min(max(height, slowest), Self.heights.upperBound)
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
