import Glibc
import WaveformSynthesis

/// A second synthesizer, which shares no code with the first: whatever gets better under one alone is worth nothing.
///
/// It works in time, not along the card: a hand's motion is integrated step by step, with what accelerations and pauses
/// it has, and at each step the head sees the reversals near it through Karlqvist's field of a gap at a distance.
struct CardPass {
    /// What is on the card, in millimetres from the first reversal.
    var stripe: Stripe
    var hand: Hand
    var sampleRate = 44_100
    /// The head's gap and its distance from the stripe, millimetres: 60 µm at half the height.
    var gap = 0.025
    var distance = 0.0273
    /// The head's inductance over its load, as a corner frequency.
    var headCorner = 15_000.0
    var coupling = 20.0
    var signalToNoise = 40.0
    var level = -8.0
    /// Where the head has no contact: from, to, and what is left of the amplitude.
    var gaps: [(from: Double, to: Double, left: Double)] = []

    private static let silence = 0.08
    private static let oversampling = 176_400
    /// Half-widths of a pulse after which its tail is cut.
    private static let reach = 0.6
    private static let tableSteps = 1200

    /// The root mean square that noise and hum are measured against is that of the time in which the card moves.
    func signal(_ random: inout SeededRandom) -> [Double] {
        let factor = max(2, (Self.oversampling + sampleRate - 1) / sampleRate)
        let fast = Double(sampleRate * factor)
        var seen = [Double](repeating: 0, count: Int(Self.silence * fast))
        let field = table()
        var near = 0
        var smooth = 0.0
        let part = 1 - exp(-2 * Double.pi * headCorner / fast)
        hand.pass(length: stripe.length, interval: 1 / fast, &random) { place, velocity in
            let voltage = velocity == 0 ? 0 : velocity * flux(place, field, &near)
            smooth += part * (voltage - smooth)
            seen.append(smooth)
        }
        seen += [Double](repeating: 0, count: Int(Self.silence * fast))
        var signal = Self.decimated(seen, by: factor)
        highPass(&signal)
        let moving = signal.filter { abs($0) > 1e-3 }
        let power = moving.reduce(0) { $0 + $1 * $1 } / Double(max(moving.count, 1))
        let peak = signal.reduce(1e-9) { max($0, abs($1)) }
        let noise = power.squareRoot() * pow(10, -signalToNoise / 20)
        let gain = pow(10, level / 20) / peak
        return signal.map { ($0 + noise * random.gaussian()) * gain }
    }

    static func quantized(_ signal: [Double]) -> [Int16] {
        signal.map { Int16(min(max(($0 * 32767).rounded(), -32768), 32767)) }
    }

    /// Millimetres over which the contact is lost and comes back.
    var fading = 0.0

    /// Loses 5 to 15 mm, from a part of the stripe's length on.
    mutating func loseContact(at place: Double, _ random: inout SeededRandom) {
        let from = place * stripe.length
        gaps = [(from, from + random.uniform(5...15), 0)]
    }

    func samples(_ random: inout SeededRandom) -> [Int16] { Self.quantized(signal(&random)) }

    /// The field along the card on one side of a reversal.
    private func table() -> [Double] {
        let top = 2 * atan(gap / 2 / distance)
        return (0...Self.tableSteps).map {
            let x = Self.reach * Double($0) / Double(Self.tableSteps)
            return (atan((gap / 2 + x) / distance) + atan((gap / 2 - x) / distance)) / top
        }
    }

    private func flux(_ place: Double, _ field: [Double], _ near: inout Int) -> Double {
        let places = stripe.places
        while near + 1 < places.count, places[near] < place - Self.reach { near += 1 }
        while near > 0, places[near - 1] >= place - Self.reach { near -= 1 }
        var sum = 0.0
        var index = near
        while index < places.count, places[index] <= place + Self.reach {
            let step = abs(places[index] - place) / Self.reach * Double(Self.tableSteps)
            if step < Double(Self.tableSteps) {
                let base = Int(step)
                let value = field[base] + (field[base + 1] - field[base]) * (step - Double(base))
                sum += index & 1 == 0 ? value : -value
            }
            index += 1
        }
        for gap in gaps where place >= gap.from && place <= gap.to {
            let inside = min(place - gap.from, gap.to - place)
            let part = inside < fading ? inside / fading : 1
            sum *= 1 - part * (1 - gap.left)
        }
        return sum
    }

    private func highPass(_ signal: inout [Double]) {
        let keep = exp(-2 * Double.pi * coupling / Double(sampleRate))
        var last = 0.0
        var state = 0.0
        for index in signal.indices {
            state = keep * (state + signal[index] - last)
            last = signal[index]
            signal[index] = state
        }
    }

    /// A windowed sine over argument, down by 6 dB at 0.46 of the rate.
    static func decimated(_ input: [Double], by factor: Int) -> [Double] {
        let half = 24 * factor
        let taps = (-half...half).map { tap -> Double in
            let x = Double(tap) / Double(factor) * 0.92
            let window =
                0.42 + 0.5 * cos(.pi * Double(tap) / Double(half))
                + 0.08 * cos(2 * .pi * Double(tap) / Double(half))
            return (x == 0 ? 1 : sin(.pi * x) / (.pi * x)) * window * 0.92 / Double(factor)
        }
        return (0..<input.count / factor).map { number in
            let middle = number * factor
            var sum = 0.0
            for tap in max(-half, -middle)...min(half, input.count - 1 - middle) {
                sum += taps[tap + half] * input[middle + tap]
            }
            return sum
        }
    }
}

/// Where the flux turns.
struct Stripe {
    var places: [Double] = []
    var length = 0.0

    /// - Parameter displacement: of each reversal, in cells.
    init(_ recipe: StripeRecipe, displacement: () -> Double) {
        let cell = 25.4 / recipe.bitsPerInch
        let bits =
            Array(repeating: UInt8(0), count: recipe.leadingZeros) + recipe.bits
            + Array(repeating: UInt8(0), count: recipe.trailingZeros)
        for (index, bit) in bits.enumerated() {
            places.append((Double(index) + displacement()) * cell)
            if bit != 0 { places.append((Double(index) + 0.5 + displacement()) * cell) }
        }
        length = Double(bits.count) * cell
        places.append(length)
        places.sort()
    }
}

/// How a hand moves a card, in millimetres and seconds.
struct Hand {
    /// Somewhere to turn round or to stop, and how long to stay.
    struct Stop {
        var place: Double
        var pause: Double
    }

    var speed = 250.0
    var variation = 0.12
    /// At each stop the hand slows down and starts by so much, mm/s².
    var acceleration = 10_000.0
    /// In the order in which they are reached; the way goes on to the card's end.
    var stops: [Stop] = []
    /// The card sticks: its speed falls to a part and comes back over a way.
    var stick: (place: Double, part: Double, way: Double)?

    private static let margin = 1.0
    private static let longest = 20.0

    func pass(
        length: Double, interval: Double, _ random: inout SeededRandom, _ body: (Double, Double) -> Void
    ) {
        let waves = (0..<4).map { _ in
            (height: random.gaussian() * 0.6, turn: random.uniform(1...9), phase: random.uniform(0...6.28))
        }
        var place = -Self.margin
        var time = 0.0
        var left = place
        let ends = stops + [Stop(place: length + Self.margin, pause: 0)]
        for (number, end) in ends.enumerated() {
            let direction = end.place > left ? 1.0 : -1
            while (end.place - place) * direction > 0, time < Self.longest {
                var speed =
                    speed
                    * exp(variation * waves.reduce(0) { $0 + $1.height * sin($1.turn * time + $1.phase) })
                if let stick, abs(place - stick.place) < stick.way / 2 {
                    let depth = 0.5 + 0.5 * cos(2 * .pi * (place - stick.place) / stick.way)
                    speed *= pow(stick.part, depth)
                }
                if number > 0 { speed = min(speed, limit(abs(place - left))) }
                if number < stops.count { speed = min(speed, limit(abs(end.place - place))) }
                body(place, speed * direction)
                place += speed * direction * interval
                time += interval
            }
            for _ in 0..<Int(end.pause / interval) { body(place, 0) }
            left = end.place
        }
    }

    /// An even acceleration from a stop: the speed at a distance from it.
    private func limit(_ distance: Double) -> Double {
        (2 * acceleration * max(distance, 0.0005)).squareRoot()
    }
}
