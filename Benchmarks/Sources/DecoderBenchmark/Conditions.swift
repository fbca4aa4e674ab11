import Glibc
import WaveformSynthesis

/// One row of the table: what is changed of a clean swipe, and what must be reached.
struct Condition: Sendable {
    /// Recorded at 75 bpi (track 2) or 210 bpi (tracks 1 and 3).
    enum Density: Sendable { case track2, tracks1And3 }

    var name: String
    /// Percent that issue asks for; nil where it asks for nothing.
    var target: (track2: Double?, tracks1And3: Double?)
    var change: @Sendable (inout StripeRecipe, inout SeededRandom) -> Void
    /// What becomes of the samples on their way to the decoder.
    var damage: (@Sendable (inout [Int16], inout SeededRandom) -> Void)?
    /// Another card's swipe, and what becomes of the two on their way to the decoder; either text is right then.
    var mingle: (@Sendable (inout [Int16], [Int16], inout SeededRandom) -> Void)?
    /// Two cards that are nearly alike, one after the other; either text is right then.
    var series: (@Sendable ([StripeRecipe], inout SeededRandom) -> [Int16])?
    /// Whether the texts are payment cards', with a number that has its check digit, and no digits at random.
    var isOfPayment = false
    /// Four digits of five are 0, which leaves the LRC as it is: a character more or less is not noticed by it.
    var isOfZeros = false
    /// Another head reads the card's other track in clear, and what is counted is whether it helps.
    var isOfTwoHeads = false
    /// Makes the samples and their rate in another way altogether.
    var make: (@Sendable (StripeRecipe, inout SeededRandom) -> (samples: [Int16], rate: Int))?

    init(
        _ name: String, _ track2: Double?, _ tracks1And3: Double?,
        _ change: @escaping @Sendable (inout StripeRecipe, inout SeededRandom) -> Void
    ) {
        self.name = name
        target = (track2, tracks1And3)
        self.change = change
    }

    func target(_ density: Density) -> Double? {
        density == .track2 ? target.track2 : target.tracks1And3
    }
}

extension Condition {
    static let all: [Condition] =
        plain + speeds + noise + timing + disturbances + channel + losses + mixes + twoHeads + stress
        + unnoticed + goals

    /// The same swipes under one of two heads.
    var ofTwoHeads: Condition {
        var other = self
        other.name = "two heads, " + name
        other.target = (nil, nil)
        other.isOfTwoHeads = true
        return other
    }

    /// The same swipes of payment cards.
    var ofPayment: Condition {
        var other = self
        other.name = "payment, " + name
        other.isOfPayment = true
        return other
    }

    /// The same swipes of texts with many zeros, of which only that nothing is read wrong is asked.
    var ofZeros: Condition {
        var other = self
        other.name = "zeros, " + name
        other.target = (nil, nil)
        other.isOfZeros = true
        return other
    }

    static let plain: [Condition] = [
        Condition("plain", 99.9, 99.9) { _, _ in },
        Condition("backward", 99.9, 99.9) { recipe, _ in recipe.isBackward = true },
        Condition("inverted", 99.9, 99.9) { recipe, _ in recipe.isInverted = true },
        Condition("DC 20 %", 99.9, 99.9) { recipe, _ in recipe.offset = 0.2 },
        Condition("-50 dBFS", 99.9, 99.9) { recipe, _ in recipe.level = -50 },
        Condition("4x acceleration", 99.9, 99.9) { recipe, _ in recipe.speed.shape = .linear(ratio: 4) },
        Condition("3:1 hand profile", 99.9, 99.9) { recipe, _ in recipe.speed.shape = .handWithin(ratio: 3) },
        Condition("high-pass 5-1000 Hz", 99.9, 99.9) { recipe, random in
            // Evenly over the octaves.
            recipe.highPass = exp(random.uniform(log(5)...log(1000)))
        },
        Condition("8 bit", 99.9, 99.9) { recipe, _ in recipe.bitDepth = 8 },
        Condition("a quarter of the leading zeros", 99.9, 99.9) { recipe, _ in recipe.leadingZeros /= 4 },
    ]

    static let speeds: [Condition] =
        [
            (5.0, 99.5, 99.5), (10, 99.5, 99.5), (50, 99.5, 99.5), (100, 99.5, 99.5), (150, 99.5, 99.5),
            (200, 99.5, 90), (300, 99.5, nil), (400, 99.5, nil), (600, 50, nil),
        ].map { (speed: Double, track2: Double?, tracks1And3: Double?) in
            Condition("\(Int(speed)) cm/s", track2, tracks1And3) { recipe, _ in
                recipe.speed.centimetresPerSecond = speed
            }
        } + [
            Condition("192 kHz, 300 cm/s", 99.9, 99.9) { recipe, _ in
                recipe.sampleRate = 192_000
                recipe.speed.centimetresPerSecond = 300
            }
        ]

    static let noise: [Condition] = [(8.0, nil, 99.0), (5, 99, 90), (2, 90, nil)].map {
        (decibels: Double, track2: Double?, tracks1And3: Double?) in
        Condition("noise \(Int(decibels)) dB", track2, tracks1And3) { recipe, _ in
            recipe.signalToNoise = decibels
        }
    }

    // Percent of half a cell, the shortest interval: the only reading under which the public decoders' figures come
    // out (docs/decisions/0120). The last two rows are the harsher reading, percent of a whole cell.
    static let timing: [Condition] = [
        Condition("jitter 8 %", 99.5, 99.5) { recipe, _ in recipe.jitter = 0.04 },
        Condition("jitter 12 %", 95, 95) { recipe, _ in recipe.jitter = 0.06 },
        Condition("jitter 8 % of a whole cell", nil, nil) { recipe, _ in recipe.jitter = 0.08 },
        Condition("density 8 % off", nil, nil) { recipe, random in
            recipe.densityError = random.uniform() < 0.5 ? -0.08 : 0.08
        },
        Condition("asymmetry 10 %", 99.9, 99.9) { recipe, _ in recipe.asymmetry = 0.1 },
        Condition("stick-slip 3:1", 95, 95) { recipe, random in
            recipe.speed.shape = .stickSlip(ratio: 3, millimetres: random.uniform(5...25))
        },
        Condition("pulled back by 5 mm", nil, nil) { recipe, random in
            recipe.speed.reversal = SpeedProfile.Reversal(place: random.uniform(0.2...0.8), millimetres: 5)
        },
    ]

    static let disturbances: [Condition] = [
        Condition("hum -6 dB", 99.9, 99.9) { recipe, random in recipe.hum = hum(-6, &random) },
        Condition("hum +6 dB", 95, 95) { recipe, random in recipe.hum = hum(6, &random) },
        Condition("8 clicks/s", 99, 99) { recipe, _ in recipe.clicksPerSecond = 8 },
        discharges,
        Condition("edge thump 0 dB", 99, 99) { recipe, _ in recipe.thump = 0 },
        Condition("cross-talk -12 dB", 99, 99) { recipe, random in
            recipe.neighbour = neighbour(recipe, -12, &random)
        },
        Condition("clipped by 12 dB", 99, 99) { recipe, _ in recipe.clipping = 12 },
        Condition("clipped by 20 dB", 99, nil) { recipe, _ in recipe.clipping = 20 },
    ]

    /// Static electricity: a jump of 0.3 to 2 times the peaks that dies away within 0.05 to 1 ms, as through an amplifier's
    /// coupling.
    private static var discharges: Condition {
        var condition = Condition("8 discharges/s", 99, 99) { _, _ in }
        condition.damage = { samples, random in
            let peak = Double(samples.reduce(0) { max($0, abs(Int($1))) })
            for _ in 0..<Int(8 * Double(samples.count) / 44_100 + random.uniform()) {
                let first = Int(random.uniform() * Double(samples.count))
                let height = peak * random.uniform(0.3...2) * (random.uniform() < 0.5 ? -1 : 1)
                let fall = 44_100 * exp(random.uniform(log(0.000_05)...log(0.001)))
                for index in first..<min(first + Int(8 * fall), samples.count) {
                    let value = Double(samples[index]) + height * exp(-Double(index - first) / fall)
                    samples[index] = Int16(min(max(value, -32768), 32767))
                }
            }
        }
        return condition
    }

    static let channel: [Condition] =
        [(90.0, 99.9), (120, 95), (160, 50)].map { (width: Double, target: Double) in
            Condition("PW50 \(Int(width)) um", nil, target) { recipe, _ in recipe.pulseWidth = width }
        } + [
            Condition("band limit 2.5 kHz at 60 cm/s", nil, 90) { recipe, _ in
                recipe.lowPass = 2500
                recipe.speed.centimetresPerSecond = 60
            }
        ]

    static let losses: [Condition] = [
        Condition("three head lifts", 99.5, 85) { recipe, random in recipe.lifts = threeLifts(&random) },
        Condition("three head lifts, apart", nil, nil) { recipe, random in
            repeat { recipe.lifts = threeLifts(&random) } while overlap(recipe)
        },
        Condition("20 mm at 10 % amplitude", 99, nil) { recipe, random in
            recipe.lifts = [
                HeadLift(centre: random.uniform(0.2...0.8), millimetres: 20, amplitude: 0.1, isAbrupt: true)
            ]
        },
        Condition("one lost transition", 90, 90) { recipe, _ in recipe.lostTransitions = 1 },
        Condition("two to five lost transitions", 90, 90) { recipe, random in
            recipe.lostTransitions = Int(random.uniform(2...5.99))
        },
    ]

    private static func threeLifts(_ random: inout SeededRandom) -> [HeadLift] {
        (0..<3).map { _ in
            HeadLift(
                centre: random.uniform(0.05...0.95), millimetres: random.uniform(3...10),
                amplitude: random.uniform(0.1...0.4))
        }
    }

    /// Whether two of the card's lifts lie over each other: there, the synthesizer widens a pulse twice.
    private static func overlap(_ recipe: StripeRecipe) -> Bool {
        let cells = recipe.leadingZeros + recipe.bits.count + recipe.trailingZeros
        let length = Double(cells) / recipe.bitsPerInch * 25.4
        let spans = recipe.lifts.map { lift in
            (
                start: lift.centre * length - lift.millimetres / 2,
                end: lift.centre * length + lift.millimetres / 2
            )
        }.sorted { $0.start < $1.start }
        return zip(spans, spans.dropFirst()).contains { $0.end > $1.start }
    }

    static func hum(_ decibels: Double, _ random: inout SeededRandom) -> Hum {
        Hum(decibels: decibels, frequency: random.uniform() < 0.5 ? 50 : 60, decay: random.uniform(0.2...0.6))
    }

    static func neighbour(_ recipe: StripeRecipe, _ decibels: Double, _ random: inout SeededRandom)
        -> Neighbour
    {
        let bits = (0..<400).map { _ in UInt8(random.next() & 1) }
        return Neighbour(bits: bits, bitsPerInch: recipe.bitsPerInch < 100 ? 210 : 75, decibels: decibels)
    }
}
