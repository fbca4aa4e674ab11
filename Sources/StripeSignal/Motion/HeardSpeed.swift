import CardData

/// Takes the hand's motion out of the pulses' times, as far as it is heard: what the head induces is proportional to the
/// card's speed, so that the way from one pulse to the next is about its time by the pulses' height.
///
///     a card that sticks    | | |  |   |     |     |   |  | | |     times, high where dense
///     heard                 | | | | | | | | | | |                   ways
struct HeardSpeed: Sendable {
    /// In samples at the usual speed.
    let ways: PulseWays

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

    /// - Parameters:
    ///   - usual: the height of a pulse at the usual speed.
    ///   - slowest: the least speed that is believed, of the usual.
    init(_ pulses: [FluxReversal], usual: Double, slowest: Double) {
        let times = pulses.map(\.position)
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
        self.ways = PulseWays(times: times, ways: ways)
    }
}
