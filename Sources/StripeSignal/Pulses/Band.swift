/// A pair of moving averages: what is faster than `smoothing` and what is slower than `baseline` is taken out.
///
/// Running sums: the cost does not depend on the widths. Two smoothing passes make a triangular kernel, close to
/// the matched filter of a head's pulse.
struct Band: Sendable, Hashable {
    /// Samples averaged, twice; 1 leaves the signal as it is.
    var smoothing: Int
    /// Samples averaged for the baseline that is subtracted; 0 subtracts the mean alone, less than 0 nothing.
    var baseline: Int

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
        var result = [Float](repeating: 0, count: samples.count)
        var sum = 0.0
        var low = 0
        var high = 0
        for index in samples.indices {
            while high < min(index + after + 1, samples.count) {
                sum += Double(samples[high])
                high += 1
            }
            while low < index - before {
                sum -= Double(samples[low])
                low += 1
            }
            result[index] = Float(sum / Double(high - low))
        }
        return result
    }
}
