/// When each place of the card passes the head.
struct Motion {
    /// Micrometres between two values.
    private static let step = 20.0
    /// Seconds at which each step begins, and speeds there in micrometres a second.
    private var times: [Double] = [0]
    private var speeds: [Double] = []
    private let origin: Double

    init(_ profile: SpeedProfile, from start: Double, to end: Double, random: inout SeededRandom) {
        origin = start
        let count = max(Int((end - start) / Self.step), 2)
        let factors = Self.factors(profile.shape, count: count, millimetres: (end - start) / 1000, &random)
        let mean = max(profile.centimetresPerSecond, 0.1) * 10_000
        for factor in factors {
            let speed = mean * max(factor, 0.05)
            speeds.append(speed)
            times.append((times.last ?? 0) + Self.step / speed)
        }
    }

    var duration: Double { times.last ?? 0 }

    /// Calls `body` with place and speed at each of `count` times, `interval` apart.
    func sample(count: Int, interval: Double, _ body: (Int, Double, Double) -> Void) {
        var segment = 0
        for index in 0..<count {
            let time = Double(index) * interval
            while segment + 1 < speeds.count, times[segment + 1] <= time { segment += 1 }
            let speed = speeds[segment]
            body(index, origin + Double(segment) * Self.step + (time - times[segment]) * speed, speed)
        }
    }

    private static func factors(
        _ shape: SpeedProfile.Shape, count: Int, millimetres: Double, _ random: inout SeededRandom
    ) -> [Double] {
        var factors: [Double] = []
        let phase = random.uniform()
        let waves = (0..<5).map { _ in (random.gaussian(), random.uniform(0...1)) }
        for index in 0..<count {
            let u = (Double(index) + 0.5) / Double(count)
            switch shape {
            case .constant: factors.append(1)
            case .linear(let ratio):
                // Even acceleration: the speed's square is linear in the way.
                factors.append((1 + u * (ratio * ratio - 1)).squareRoot() * 2 / (1 + ratio))
            case .bell(let ratio):
                let bump = Elementary.sine(.pi * u)
                factors.append((1 + (ratio - 1) * bump) * 2 / (1 + ratio))
            case .hand(let variation):
                var sum = 0.0
                for (order, wave) in waves.enumerated() {
                    let angle = 2 * .pi * ((0.5 + 0.7 * Double(order)) * u + wave.1)
                    sum += wave.0 * Elementary.sine(angle) / (1 + 0.5 * Double(order))
                }
                factors.append(Elementary.exponential(variation * sum))
            case .stickSlip(let ratio, let length):
                // A saw with soft corners: slow build-up, quick slip.
                let cycle = (u * millimetres / max(length, 0.1) + phase)
                let saw =
                    0.5 + 0.5 * Elementary.sine(2 * .pi * cycle + 0.6 * Elementary.sine(2 * .pi * cycle))
                factors.append((1 + (ratio - 1) * saw) * 2 / (1 + ratio))
            }
        }
        return factors
    }
}
