/// The way from a reader's output to the samples of a sound card, seeded: what a cheap input adds to a signal.
package struct AcousticChannel: Sendable {
    /// What is heard of full scale, 0…1.
    package var level = 0.2
    /// Of the signal's power over the noise's; the noise is white over all that the card hears.
    package var signalToNoiseDecibels = 20.0
    /// How far the input's offset is off when the burst begins, in amplitudes of the signal, and the time in which it
    /// falls to a third, in seconds.
    package var offset = 0.0
    package var offsetDecay = 0.01
    /// The corner of the input's coupling capacitor, Hz; 0: none.
    package var highPass = 20.0
    /// How much faster the reader's clock runs.
    package var clockError = 0.0

    private var generator: SeededGenerator

    package init(seed: UInt64) { generator = SeededGenerator(state: seed) }

    /// A burst at full scale as it is heard, with a little of the silence before and behind it.
    package mutating func carry(_ burst: [Int16], rate: Int, leadIn: Double = 0.02) -> [Int16] {
        let amplitude = level * 32_767
        let noise = amplitude / Self.ratio(decibels: signalToNoiseDecibels)
        let lead = Int(leadIn * Double(rate))
        let corner = 2 * Double.pi * highPass / Double(rate)
        let decay = offsetDecay * Double(rate)
        var heard: [Int16] = []
        heard.reserveCapacity(burst.count + 2 * lead)
        var slow = 0.0
        var wander = offset * amplitude
        for index in 0..<(burst.count + 2 * lead) {
            let place = index - lead
            let isBurst = burst.indices.contains(place)
            let clean = isBurst ? Double(burst[place]) * level : 0
            if place >= 0, decay > 0 { wander -= wander / decay }
            let input = clean + (place >= 0 ? wander : 0)
            slow += corner * (input - slow)
            let sample = (input - slow + noise * generator.normal()).rounded()
            heard.append(Int16(max(-32_768, min(32_767, sample))))
        }
        return heard
    }

    private static func ratio(decibels: Double) -> Double {
        // 10^(dB/20) without a mathematical library: a step of a decibel, as often as there are decibels.
        var ratio = 1.0
        for _ in 0..<max(0, Int(decibels.rounded())) { ratio *= 1.122_018_454_301_963_3 }
        return ratio
    }
}

/// A generator that gives the same numbers every time (SplitMix64), so that a failure can be repeated.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    package var state: UInt64

    package init(state: UInt64) { self.state = state }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// Normally distributed with a deviation of 1: the sum of twelve uniform numbers, whose tails end at 6.
    package mutating func normal() -> Double {
        var sum = -6.0
        for _ in 0..<3 {
            // Four numbers of 16 bits each.
            let bits = next()
            for part in 0..<4 { sum += Double(bits >> (16 * UInt64(part)) & 0xFFFF) / 65_536 }
        }
        return sum
    }
}
