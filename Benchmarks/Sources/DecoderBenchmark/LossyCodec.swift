import Glibc

/// What a lossy codec does to sound: blocks of 576 values of a lapped cosine transform, each rounded to a step that
/// is a part of the loudest near it. Faint parts vanish, edges ring ahead.
struct LossyCodec {
    /// The step over the loudest value of a band.
    var loss: Double
    private static let length = 576
    private static let band = 24
    private static let table: [Double] = (0..<8 * length).map {
        cos(Double.pi / Double(4 * length) * Double($0))
    }

    func degrade(_ samples: inout [Int16]) {
        let length = Self.length
        let input = [Int16](repeating: 0, count: length) + samples + [Int16](repeating: 0, count: 2 * length)
        var output = [Double](repeating: 0, count: input.count)
        for start in stride(from: 0, to: input.count - 2 * length, by: length) {
            var values = transformed(input[start..<start + 2 * length])
            roundOff(&values)
            for offset in 0..<2 * length {
                var sum = 0.0
                for index in 0..<length { sum += values[index] * Self.cosine(offset, index) }
                output[start + offset] += sum * Self.window(offset) * 2 / Double(length)
            }
        }
        for index in samples.indices {
            samples[index] = Int16(min(max(output[index + length].rounded(), -32768), 32767))
        }
    }

    private func transformed(_ block: ArraySlice<Int16>) -> [Double] {
        let windowed = block.enumerated().map { Double($1) * Self.window($0) }
        return (0..<Self.length).map { index in
            var sum = 0.0
            for offset in windowed.indices { sum += windowed[offset] * Self.cosine(offset, index) }
            return sum
        }
    }

    private func roundOff(_ values: inout [Double]) {
        for first in stride(from: 0, to: values.count, by: Self.band) {
            let places = first..<min(first + Self.band, values.count)
            let loudest = places.reduce(1) { max($0, abs(values[$1])) }
            for place in places {
                values[place] = (values[place] / (loss * loudest)).rounded() * loss * loudest
            }
        }
        // Above 12 kHz nothing is kept.
        for index in values.count / 2..<values.count { values[index] = 0 }
    }

    private static func window(_ offset: Int) -> Double {
        sin(Double.pi / Double(2 * length) * (Double(offset) + 0.5))
    }

    /// cos(pi / N (n + 1/2 + N/2)(k + 1/2)), from a table of one turn in 8 N steps.
    private static func cosine(_ offset: Int, _ index: Int) -> Double {
        table[(2 * offset + 1 + length) * (2 * index + 1) % (8 * length)]
    }
}
