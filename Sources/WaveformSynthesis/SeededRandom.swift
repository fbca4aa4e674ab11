/// A small generator with a seed: xoshiro256** seeded by SplitMix64 (Blackman and Vigna, public domain).
package struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: (UInt64, UInt64, UInt64, UInt64)
    private var spare: Double?

    package init(seed: UInt64) {
        var mixer = seed
        func next() -> UInt64 {
            mixer &+= 0x9E37_79B9_7F4A_7C15
            var z = mixer
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
        state = (next(), next(), next(), next())
    }

    package mutating func next() -> UInt64 {
        let result = rotate(state.1 &* 5, 7) &* 9
        let shifted = state.1 << 17
        state.2 ^= state.0
        state.3 ^= state.1
        state.1 ^= state.2
        state.0 ^= state.3
        state.2 ^= shifted
        state.3 = rotate(state.3, 45)
        return result
    }

    /// 0 up to 1.
    package mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

    package mutating func uniform(_ range: ClosedRange<Double>) -> Double {
        range.lowerBound + uniform() * (range.upperBound - range.lowerBound)
    }

    /// Mean 0, standard deviation 1 (Marsaglia's polar method).
    package mutating func gaussian() -> Double {
        if let value = spare {
            spare = nil
            return value
        }
        while true {
            let x = 2 * uniform() - 1
            let y = 2 * uniform() - 1
            let square = x * x + y * y
            guard square > 0, square < 1 else { continue }
            let factor = (-2 * Elementary.logarithm(square) / square).squareRoot()
            spare = y * factor
            return x * factor
        }
    }

    private func rotate(_ value: UInt64, _ by: UInt64) -> UInt64 { (value << by) | (value >> (64 - by)) }
}
