/// When each place of the card passes the head, and which way.
struct Motion {
    /// Micrometres between two values.
    private static let step = 20.0
    /// The slowest that a hand is taken to be, as a fraction of the mean.
    private static let slowest = 0.05
    /// Where a hand turns round, it slows down over this way.
    private static let turningMicrometres = 3000.0

    /// One step of the way: which piece of the card, passed in which direction, and how fast.
    private struct Step {
        var piece: Int
        var isForward: Bool
        /// Micrometres a second, never negative.
        var speed: Double
        var seconds: Double
    }

    private var steps: [Step] = []
    /// Seconds at which each step begins.
    private var times: [Double] = [0]
    private let origin: Double

    init(_ profile: SpeedProfile, from start: Double, to end: Double, random: inout SeededRandom) {
        origin = start
        let count = max(Int((end - start) / Self.step), 2)
        let factors = SpeedFactors(
            shape: profile.shape, count: count, millimetres: (end - start) / 1000, &random)
        let mean = max(profile.centimetresPerSecond, 0.1) * 10_000
        let turns = Self.turns(profile.reversal, count: count)
        for (leg, way) in Self.legs(turns, count: count).enumerated() {
            for piece in way.pieces {
                var factor = max(factors.values[piece], Self.slowest)
                for turn in turns.prefix(leg + 1) { factor *= Self.slowing(piece, turn) }
                let speed = mean * max(factor, Self.slowest)
                steps.append(
                    Step(
                        piece: piece, isForward: way.isForward, speed: speed, seconds: Self.step / speed))
            }
            // It waits where it goes on from.
            if leg == 1, let pause = profile.reversal?.pauseSeconds, pause > 0 {
                steps.append(Step(piece: turns[1], isForward: true, speed: 0, seconds: pause))
            }
        }
        for step in steps { times.append((times.last ?? 0) + step.seconds) }
    }

    var duration: Double { times.last ?? 0 }
    /// Micrometres a second.
    var fastest: Double { steps.reduce(0) { max($0, $1.speed) } }

    /// Calls `body` with place and velocity at each of `count` times, `interval` apart.
    func sample(count: Int, interval: Double, _ body: (Int, Double, Double) -> Void) {
        var index = 0
        for number in 0..<count {
            let time = Double(number) * interval
            while index + 1 < steps.count, times[index + 1] <= time { index += 1 }
            let step = steps[index]
            let way = (time - times[index]) * step.speed
            let piece = Double(step.piece) * Self.step
            let place = step.isForward ? piece + way : piece + Self.step - way
            body(number, origin + place, step.isForward ? step.speed : -step.speed)
        }
    }

    /// The pieces at which the hand turns round: forth to the first, back to the second, forth again.
    private static func turns(_ reversal: SpeedProfile.Reversal?, count: Int) -> [Int] {
        guard let reversal else { return [] }
        let last = min(max(Int(reversal.place * Double(count)), 1), count - 1)
        let back = max(last - Int(max(reversal.millimetres, 0) * 1000 / step), 0)
        return [last, back]
    }

    private static func legs(_ turns: [Int], count: Int) -> [(pieces: [Int], isForward: Bool)] {
        guard turns.count == 2 else { return [(Array(0..<count), true)] }
        return [
            (Array(0..<turns[0]), true), ((turns[1]..<turns[0]).reversed(), false),
            (Array(turns[1]..<count), true),
        ]
    }

    /// Even deceleration to a stop and away from it: the speed goes as the root of the distance.
    private static func slowing(_ piece: Int, _ turn: Int) -> Double {
        let distance = abs(Double(piece - turn) + 0.5) * step
        return min(distance / turningMicrometres, 1).squareRoot()
    }
}

/// The speed along the way, relative to the mean.
struct SpeedFactors {
    private(set) var values: [Double] = []

    init(shape: SpeedProfile.Shape, count: Int, millimetres: Double, _ random: inout SeededRandom) {
        let phase = random.uniform()
        let waves = (0..<5).map { _ in (height: random.gaussian(), phase: random.uniform(0...1)) }
        let places = (0..<count).map { (Double($0) + 0.5) / Double(count) }
        switch shape {
        case .constant: values = places.map { _ in 1 }
        case .linear(let ratio):
            // Even acceleration: the speed's square is linear in the way.
            values = places.map { (1 + $0 * (ratio * ratio - 1)).squareRoot() * 2 / (1 + ratio) }
        case .bell(let ratio):
            values = places.map { (1 + (ratio - 1) * Elementary.sine(.pi * $0)) * 2 / (1 + ratio) }
        case .hand(let variation):
            values = places.map { Elementary.exponential(variation * Self.wander($0, waves)) }
        case .handWithin(let ratio):
            values = Self.stretched(places.map { Self.wander($0, waves) }, ratio: ratio)
        case .stickSlip(let ratio, let length):
            values = places.map { place in
                let cycle = place * millimetres / max(length, 0.1) + phase
                return (1 + (ratio - 1) * Self.saw(cycle)) * 2 / (1 + ratio)
            }
        }
    }

    /// A smooth random curve: up to three and a half waves over the card.
    private static func wander(_ place: Double, _ waves: [(height: Double, phase: Double)]) -> Double {
        var sum = 0.0
        for (order, wave) in waves.enumerated() {
            let angle = 2 * .pi * ((0.5 + 0.7 * Double(order)) * place + wave.phase)
            sum += wave.height * Elementary.sine(angle) / (1 + 0.5 * Double(order))
        }
        return sum
    }

    /// The same curve with `ratio` between its fastest and its slowest, geometrically round the mean.
    private static func stretched(_ curve: [Double], ratio: Double) -> [Double] {
        let low = curve.min() ?? 0
        let range = max((curve.max() ?? 0) - low, 1e-9)
        return curve.map { Elementary.exponential(Elementary.logarithm(ratio) * (($0 - low) / range - 0.5)) }
    }

    /// A saw with soft corners, 0…1: slow build-up, quick slip.
    private static func saw(_ cycle: Double) -> Double {
        let angle = 2 * .pi * cycle
        return 0.5 + 0.5 * Elementary.sine(angle + 0.6 * Elementary.sine(angle))
    }
}
