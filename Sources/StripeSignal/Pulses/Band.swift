/// A pair of moving averages: what is faster than `smoothing` and what is slower than `baseline` is taken out.
///
/// Running sums: the cost does not depend on the widths. Two smoothing passes make a triangular kernel, close to
/// the matched filter of a head's pulse.
struct Band: Sendable, Hashable {
    /// Samples averaged, twice; 1 leaves the signal as it is.
    var smoothing: Int
    /// Samples averaged for the baseline that is subtracted; 0 subtracts the mean alone, less than 0 nothing.
    var baseline: Int

    /// The part of white noise's power that smoothing leaves: the sum of the triangle's squares.
    var noisePower: Float {
        let width = Float(max(smoothing, 1))
        return (2 * width * width + 1) / (3 * width * width * width)
    }

    func filtered(_ samples: [Float]) -> [Float] {
        var signal = samples
        if baseline > 0 {
            let slow = Self.movingAverage(Self.movingAverage(signal, width: baseline), width: baseline)
            for index in signal.indices { signal[index] -= slow[index] }
        } else if baseline == 0 {
            var sum = 0.0
            for sample in signal { sum += Double(sample) }
            let mean = Float(sum / Double(max(signal.count, 1)))
            for index in signal.indices { signal[index] -= mean }
        }
        guard smoothing > 1 else { return signal }
        return Self.movingAverage(Self.movingAverage(signal, width: smoothing), width: smoothing)
    }

    /// The mean of the `width` samples round each sample; at the ends, of those that there are.
    static func movingAverage(_ samples: [Float], width: Int) -> [Float] {
        guard width > 1, samples.count > 1 else { return samples }
        let before = (width - 1) / 2
        let after = width - 1 - before
        let count = samples.count
        var result = [Float](repeating: 0, count: count)
        let source = samples.span
        var target = result.mutableSpan
        var sum = 0.0
        for index in 0..<min(after, count) { sum += Double(source[index]) }
        for index in 0..<count {
            if index &+ after < count { sum += Double(source[unchecked: index &+ after]) }
            if index > before { sum -= Double(source[unchecked: index &- before &- 1]) }
            let number = min(index &+ after &+ 1, count) &- max(index &- before, 0)
            target[unchecked: index] = Float(sum / Double(number))
        }
        return result
    }
}
