import Glibc
import WaveformSynthesis

extension Condition {
    /// Swipes of the second synthesizer, ``CardPass``: what people do with cards, and what lies between head and decoder.
    static let goals: [Condition] =
        motion + stops.map(\.ofZeros) + jitters + rates + tooFast + mains + lines
        + joined + joined.map(\.ofZeros) + hardlyCards

    private static let motion: [Condition] = gentle + stops

    private static let gentle: [Condition] = [
        passed("2nd: plain", 99.9, 99.9) { _, _ in },
        passed("2nd: hesitation", 99.9, 98) { pass, random in
            pass.hand.stick = (random.uniform(0.1...0.9) * pass.stripe.length, 1.0 / 3, random.uniform(2...8))
        },
    ]

    private static let stops: [Condition] = [
        passed("2nd: pulled back by 0.5-30 mm", 90, 80) { pass, random in
            pass.hand.acceleration = random.uniform(5000...20_000)
            let place = random.uniform(0.1...0.9) * pass.stripe.length
            let way = exp(random.uniform(log(0.5)...log(30)))
            pass.hand.stops = [
                Hand.Stop(place: place, pause: random.uniform(0...0.05)),
                Hand.Stop(place: max(place - way, -0.5), pause: random.uniform(0...0.05)),
            ]
        },
        passed("2nd: stopped for 0.1-2 s", 90, 80) { pass, random in
            pass.hand.acceleration = random.uniform(5000...20_000)
            pass.hand.stops = [
                Hand.Stop(
                    place: random.uniform(0.1...0.9) * pass.stripe.length, pause: random.uniform(0.1...2))
            ]
        },
        passed("2nd: pulled back by 0.5-30 mm, stopped for 0.1-2 s", 90, 80) { pass, random in
            pass.hand.acceleration = random.uniform(5000...20_000)
            let place = random.uniform(0.1...0.9) * pass.stripe.length
            let way = exp(random.uniform(log(0.5)...log(30)))
            pass.hand.stops = [
                Hand.Stop(place: place, pause: 0),
                Hand.Stop(place: max(place - way, -0.5), pause: random.uniform(0.1...2)),
            ]
        },
    ]

    private static let jitters: [Condition] = [
        // Cells of 85 to 115 % of the mean, as on a tester's card: each reversal somewhere within ±7.5 %.
        passed("2nd: jitter card of 15 %", 99.5, 85, displacement: { $0.uniform(-0.075...0.075) }) { _, _ in
        },
        passed("2nd: jitter 8 % of a whole cell", 99.5, 85, displacement: { $0.gaussian() * 0.08 }) { _, _ in
        },
        passed("2nd: jitter 6 % of a whole cell", 99.5, 95, displacement: { $0.gaussian() * 0.06 }) { _, _ in
        },
        passed("2nd: three lost contacts of 3-10 mm", 99.9, 95) { pass, random in
            pass.gaps = (0..<3).map { _ in
                let from = random.uniform(0.05...0.95) * pass.stripe.length
                return (from, from + random.uniform(3...10), random.uniform(0.1...0.4))
            }
        },
    ]

    /// Of the speeds, those at which ones stay under 0.45 of the rate.
    private static let rates: [Condition] = [8000, 11_025, 16_000, 22_050].map { rate in
        passed("2nd: \(rate) Hz, 10-60 cm/s", 99.5, 99.5) { pass, random in
            pass.sampleRate = rate
            let cell = pass.stripe.cell
            pass.hand.speed = random.uniform(100...min(600, 0.45 * Double(rate) * cell))
        }
    }

    /// Beyond that, where the sampling theorem leaves ones no room: only that nothing is read wrong is asked.
    private static let tooFast: [Condition] = [
        passed("2nd: 8000 Hz, 30-90 cm/s", nil, nil) { pass, random in
            pass.sampleRate = 8000
            pass.hand.speed = random.uniform(300...900)
        },
        passed("2nd: 8000 Hz, 60 cm/s", nil, nil) { pass, _ in
            pass.sampleRate = 8000
            pass.hand.speed = 600
        },
    ]

    private static let mains: [Condition] = [0.0, 6].map { decibels in
        heard("2nd: hum \(Int(decibels)) dB, ten harmonics, drift", 99.9, 99.9) { signal, rate, random in
            Mains(decibels: decibels).add(to: &signal, rate: rate, &random)
        }
    }

    private static let lines: [Condition] = [
        heard("2nd: telephone band", 95, 95, rate: 8000) { signal, rate, _ in
            Telephone.pass(&signal, rate: rate)
        }
    ]

    /// Two passes of one card, each of which has lost a stretch: anywhere, and each in another half.
    private static let joined: [Condition] = [
        twice("2nd: two passes, each with 5-15 mm lost", nil) { _, random in random.uniform(0.15...0.75) },
        twice("2nd: two passes, each with 5-15 mm lost of another half", 95) { pass, random in
            pass == 0 ? random.uniform(0.15...0.35) : random.uniform(0.55...0.75)
        },
    ]

    /// Of which only that nothing is read wrong is asked.
    private static let hardlyCards: [Condition] = [
        generated("2nd: 5-15 mm without contact", nil, nil) { recipe, random in
            var pass = cardPass(recipe, &random, displacement: { $0.gaussian() * 0.02 })
            pass.loseContact(at: random.uniform(0.15...0.75), &random)
            return (pass.samples(&random), 44_100)
        },
        generated("2nd: 5-15 mm without contact, which fades", nil, nil) { recipe, random in
            var pass = cardPass(recipe, &random, displacement: { $0.gaussian() * 0.02 })
            pass.loseContact(at: random.uniform(0.15...0.75), &random)
            pass.fading = random.uniform(0.1...1.5)
            return (pass.samples(&random), 44_100)
        },
        {
            var condition = Condition("2nd: two cards of a series, each with 5-15 mm lost", nil, nil) {
                _, _ in
            }
            condition.series = { recipes, random in
                recipes.flatMap { passAndPause($0, &random) { $0.uniform(0.15...0.75) } }
            }
            return condition
        }(),
    ]

    private static func twice(
        _ name: String, _ target: Double?,
        _ place: @escaping @Sendable (_ pass: Int, inout SeededRandom) -> Double
    ) -> Condition {
        generated(name, target, target) { recipe, random in
            let samples = [0, 1].flatMap { pass in
                passAndPause(recipe, &random) { place(pass, &$0) }
            }
            return (samples, 44_100)
        }
    }

    /// A pass that has lost a stretch, and a pause of the same noise.
    private static func passAndPause(
        _ recipe: StripeRecipe, _ random: inout SeededRandom, at place: (inout SeededRandom) -> Double
    ) -> [Int16] {
        var pass = cardPass(recipe, &random, displacement: { $0.gaussian() * 0.02 })
        pass.loseContact(at: place(&random), &random)
        let heard = pass.samples(&random)
        let silence = heard.prefix(2_000).map { Double($0) }
        let noise = (silence.reduce(0) { $0 + $1 * $1 } / Double(silence.count)).squareRoot()
        let pause = Int(44_100 * random.uniform(0.4...3))
        return heard + (0..<pause).map { _ in Int16((random.gaussian() * noise).rounded()) }
    }

    private static func cardPass(
        _ recipe: StripeRecipe, _ random: inout SeededRandom, displacement: (inout SeededRandom) -> Double
    ) -> CardPass {
        let stripe = Stripe(recipe) { displacement(&random) }
        return CardPass(stripe: stripe, hand: Hand())
    }

    private static func generated(
        _ name: String, _ track2: Double?, _ tracks1And3: Double?,
        _ make: @escaping @Sendable (StripeRecipe, inout SeededRandom) -> (samples: [Int16], rate: Int)
    ) -> Condition {
        var condition = Condition(name, track2, tracks1And3) { _, _ in }
        condition.make = make
        return condition
    }

    private static func passed(
        _ name: String, _ track2: Double?, _ tracks1And3: Double?,
        displacement: @escaping @Sendable (inout SeededRandom) -> Double = { $0.gaussian() * 0.02 },
        _ change: @escaping @Sendable (inout CardPass, inout SeededRandom) -> Void
    ) -> Condition {
        generated(name, track2, tracks1And3) { recipe, random in
            var pass = cardPass(recipe, &random, displacement: displacement)
            change(&pass, &random)
            return (pass.samples(&random), pass.sampleRate)
        }
    }

    private static func heard(
        _ name: String, _ track2: Double?, _ tracks1And3: Double?, rate: Int = 44_100,
        _ damage: @escaping @Sendable (inout [Double], Int, inout SeededRandom) -> Void
    ) -> Condition {
        generated(name, track2, tracks1And3) { recipe, random in
            var pass = cardPass(recipe, &random, displacement: { $0.gaussian() * 0.02 })
            pass.sampleRate = rate
            pass.level = -14
            var signal = pass.signal(&random)
            damage(&signal, rate, &random)
            return (CardPass.quantized(signal), rate)
        }
    }
}

extension Stripe {
    /// Mean length of a cell, millimetres: reversals in the clocking zeros are one apart.
    var cell: Double { places.count > 8 ? (places[8] - places[0]) / 8 : 0.3 }
}

/// A mains hum whose frequency wanders, as that of a grid does: ±0.2 % over a second, and its harmonics with it.
struct Mains {
    /// The fundamental's root mean square over the signal's.
    var decibels: Double
    var harmonics = 10

    func add(to signal: inout [Double], rate: Int, _ random: inout SeededRandom) {
        // Of the swipe, silence left out.
        let loud = signal.reduce(0) { max($0, abs($1)) } * 0.05
        let first = signal.firstIndex { abs($0) > loud } ?? 0
        let swipe = signal[first...(signal.lastIndex { abs($0) > loud } ?? first)]
        let power = swipe.reduce(0) { $0 + $1 * $1 } / Double(max(swipe.count, 1))
        let height = (2 * power).squareRoot() * pow(10, decibels / 20)
        let parts = (1...harmonics).map { _ in
            (height: random.uniform(0.3...1), phase: random.uniform(0...2 * Double.pi))
        }
        let mains = random.uniform() < 0.5 ? 50.0 : 60
        let (wander, turn) = (random.uniform(0.0005...0.002), random.uniform(1...4))
        var angle = 0.0
        for index in signal.indices {
            let time = Double(index) / Double(rate)
            angle += 2 * .pi * mains * (1 + wander * sin(turn * time)) / Double(rate)
            for (number, part) in parts.enumerated() {
                let fall = number == 0 ? 1 : part.height / Double(number + 1)
                signal[index] += height * fall * sin(Double(number + 1) * angle + part.phase)
            }
        }
        let peak = signal.reduce(1e-9) { max($0, abs($1)) }
        if peak > 0.95 { for index in signal.indices { signal[index] *= 0.95 / peak } }
    }
}

/// A telephone's band at 8 kHz, 300 to 3400 Hz, and A-law's thirteen segments (ITU-T G.711).
enum Telephone {
    static func pass(_ signal: inout [Double], rate: Int) {
        for _ in 0..<2 { filter(&signal, 300 / Double(rate), isHigh: true) }
        for _ in 0..<2 { filter(&signal, 3400 / Double(rate), isHigh: false) }
        for index in signal.indices { signal[index] = companded(signal[index]) }
    }

    private static func filter(_ signal: inout [Double], _ frequency: Double, isHigh: Bool) {
        let angle = 2 * Double.pi * frequency
        let alpha = sin(angle) / (2 * 0.7071)
        let sign = isHigh ? 1.0 : -1
        let first = (1 + sign * cos(angle)) / 2
        let middle = -sign * (1 + sign * cos(angle))
        var (z1, z2) = (0.0, 0.0)
        for index in signal.indices {
            let input = signal[index]
            let output = (first * input + z1) / (1 + alpha)
            z1 = middle * input + 2 * cos(angle) * output + z2
            z2 = first * input - (1 - alpha) * output
            signal[index] = output
        }
    }

    private static func companded(_ value: Double) -> Double {
        let a = 87.6
        let scale = 1 + log(a)
        let size = min(abs(value), 1)
        let code = size < 1 / a ? a * size / scale : (1 + log(a * size)) / scale
        let rounded = (code * 128).rounded() / 128
        let back = rounded < 1 / scale ? rounded * scale / a : exp(rounded * scale - 1) / a
        return value < 0 ? -back : back
    }
}
