import Glibc
import WaveformSynthesis

extension Condition {
    /// Corruptions that nobody reports, after the sound card and before the decoder. What counts is that nothing wrong
    /// is read; nothing is asked of the rate.
    static let unnoticed: [Condition] = splices + levels + codecs + motions + splices.map(\.ofPayment)

    private static let splices: [Condition] = [
        corrupted("unnoticed: one gap of 0.5-20 ms") { samples, random in
            let start = Int(random.uniform(0.15...0.85) * Double(samples.count))
            let length = Int(random.uniform(20...900))
            samples.removeSubrange(start..<min(start + length, samples.count))
        },
        Condition.gapOfWholeCharacters,
        corrupted("unnoticed: samples twice") { samples, random in
            for _ in 0..<Int(random.uniform(1...3.99)) {
                let start = Int(random.uniform(0.1...0.9) * Double(samples.count))
                let end = min(start + Int(random.uniform(20...2000)), samples.count)
                samples.insert(contentsOf: samples[start..<end], at: end)
            }
        },
        corrupted("unnoticed: buffers in the wrong order") { samples, random in
            let length = Int(random.uniform(64...1024))
            let start = Int(random.uniform(0.15...0.75) * Double(samples.count))
            guard start + 2 * length < samples.count else { return }
            let first = Array(samples[start..<start + length])
            samples.removeSubrange(start..<start + length)
            samples.insert(contentsOf: first, at: start + length)
        },
        corrupted("unnoticed: two of a sound card's buffers swapped") { samples, random in
            let lengths = [64, 128, 240, 256, 441, 480, 512, 1024]
            let length = lengths[min(Int(random.uniform() * Double(lengths.count)), lengths.count - 1)]
            let start = Int(random.uniform(0.15...0.75) * Double(samples.count)) / length * length
            guard start + 2 * length < samples.count else { return }
            let first = Array(samples[start..<start + length])
            samples.removeSubrange(start..<start + length)
            samples.insert(contentsOf: first, at: start + length)
        },
        corrupted("unnoticed: a stretch turned round in time") { samples, random in
            let start = Int(random.uniform(0.2...0.6) * Double(samples.count))
            let length = Int(random.uniform(0.02...0.25) * Double(samples.count))
            samples[start..<min(start + length, samples.count)].reverse()
        },
        corrupted("unnoticed: buffers of silence") { samples, random in
            for _ in 0..<Int(random.uniform(1...3.99)) {
                let start = Int(random.uniform(0.1...0.9) * Double(samples.count))
                for index in start..<min(start + Int(random.uniform(20...1024)), samples.count) {
                    samples[index] = 0
                }
            }
        },
        mingled("unnoticed: two swipes spliced") { samples, other, random in
            let place = random.uniform(0.25...0.75)
            samples.removeLast(samples.count - Int(place * Double(samples.count)))
            let resumed = min(max(place + random.uniform(-0.1...0.1), 0), 1)
            samples += other.dropFirst(Int(resumed * Double(other.count)))
        },
    ]

    /// A gap as long as one to eight characters of track 2, give or take what the hand's speed makes of it.
    private static var gapOfWholeCharacters: Condition {
        var condition = Condition("unnoticed: whole characters missing", nil, nil) { recipe, _ in
            recipe.speed.shape = .hand(variation: 0.03)
        }
        condition.damage = { samples, random in
            // 5 bits of 25.4 / 75 mm at 25 cm/s, or 25.4 / 210 mm at 44.1 kHz: the mean, so that some fit exactly.
            let cell = random.uniform() < 0.5 ? 25.4 / 75 : 25.4 / 210
            let characters = Double(Int(random.uniform(1...8.99)))
            let length = Int(characters * 5 * cell / 250 * 44_100 * random.uniform(0.97...1.03))
            let start = Int(random.uniform(0.25...0.7) * Double(samples.count))
            samples.removeSubrange(start..<min(start + length, samples.count))
        }
        return condition
    }

    private static let levels: [Condition] = [
        corrupted("unnoticed: polarity turned in the middle") { samples, random in
            for index in Int(random.uniform(0.2...0.8) * Double(samples.count))..<samples.count {
                samples[index] = samples[index] == .min ? .max : -samples[index]
            }
        },
        corrupted("unnoticed: sudden changes of gain") { samples, random in
            for _ in 0..<Int(random.uniform(1...4.99)) {
                let gain = exp(random.uniform(-2.3...0))
                let start = Int(random.uniform(0.1...0.9) * Double(samples.count))
                for index in start..<samples.count { samples[index] = Int16(Double(samples[index]) * gain) }
            }
        },
        Condition("unnoticed: clipped to a square", nil, nil) { recipe, _ in recipe.clipping = 40 },
        Condition("unnoticed: 8 bit at -36 dBFS", nil, nil) { recipe, _ in
            recipe.bitDepth = 8
            recipe.level = -36
        },
        Condition("unnoticed: cross-talk -6 dB", nil, nil) { recipe, random in
            recipe.neighbour = neighbour(recipe, -6, &random)
        },
        mingled("unnoticed: two cards at once") { samples, other, random in
            let gain = exp(random.uniform(-2.3...0))
            let shift = Int(random.uniform(-0.3...0.3) * Double(samples.count))
            for index in samples.indices where other.indices.contains(index + shift) {
                let sum = Double(samples[index]) + gain * Double(other[index + shift])
                samples[index] = Int16(min(max(sum, -32768), 32767))
            }
        },
    ]

    private static let codecs: [Condition] = [
        corrupted("unnoticed: rate wrong by 8 %") { samples, random in
            let ratio = random.uniform() < 0.5 ? 1.08 : 1 / 1.08
            let count = Int(Double(samples.count - 2) / ratio)
            samples = (0..<count).map { index in
                let place = Double(index) * ratio
                let part = place - Double(Int(place))
                let (left, right) = (Double(samples[Int(place)]), Double(samples[Int(place) + 1]))
                return Int16(left + part * (right - left))
            }
        },
        corrupted("unnoticed: lossy compression") { samples, random in
            LossyCodec(loss: random.uniform(0.02...0.3)).degrade(&samples)
        },
        corrupted("unnoticed: time in steps") { samples, random in
            // Read by a timer that is late, and holds the last value until then.
            let step = Int(random.uniform(3...16))
            let input = samples
            var held = 0
            for index in samples.indices {
                if index % step == 0 { held = max(0, index - Int(random.uniform() * 3)) }
                samples[index] = input[held]
            }
        },
    ]

    private static let motions: [Condition] = [
        Condition("unnoticed: pulled back by 0.5-30 mm", nil, nil) { recipe, random in
            recipe.speed.reversal = SpeedProfile.Reversal(
                place: random.uniform(0.1...0.9), millimetres: exp(random.uniform(log(0.5)...log(30))))
        }
    ]

    private static func corrupted(
        _ name: String, _ damage: @escaping @Sendable (inout [Int16], inout SeededRandom) -> Void
    ) -> Condition {
        var condition = Condition(name, nil, nil) { _, _ in }
        condition.damage = damage
        return condition
    }

    private static func mingled(
        _ name: String, _ mingle: @escaping @Sendable (inout [Int16], [Int16], inout SeededRandom) -> Void
    ) -> Condition {
        var condition = Condition(name, nil, nil) { _, _ in }
        condition.mingle = mingle
        return condition
    }
}
