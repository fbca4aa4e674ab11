/// The amplifier and the converter: AC coupling, band limit, anti-alias filter, decimation.
enum Filters {
    /// First-order high-pass.
    static func highPass(_ signal: inout [Double], frequency: Double, sampleRate: Double) {
        let weight = 1 / (1 + 2 * Elementary.pi * frequency / sampleRate)
        var previous = signal.first ?? 0
        var output = 0.0
        for index in signal.indices {
            let input = signal[index]
            output = weight * (output + input - previous)
            previous = input
            signal[index] = output
        }
    }

    /// Butterworth low-pass of fourth order: two biquads by the bilinear transform.
    static func lowPass(_ signal: inout [Double], frequency: Double, sampleRate: Double) {
        for quality in [0.541196100146197, 1.306562964876377] {
            let angle = 2 * Elementary.pi * min(frequency, sampleRate * 0.45) / sampleRate
            let cosine = Elementary.cosine(angle)
            let alpha = Elementary.sine(angle) / (2 * quality)
            let gain = (1 - cosine) / 2 / (1 + alpha)
            let a1 = -2 * cosine / (1 + alpha)
            let a2 = (1 - alpha) / (1 + alpha)
            var z1 = 0.0
            var z2 = 0.0
            for index in signal.indices {
                let input = signal[index]
                let output = gain * input + z1
                z1 = 2 * gain * input - a1 * output + z2
                z2 = gain * input - a2 * output
                signal[index] = output
            }
        }
    }

    /// Every `factor`th sample, after a windowed-sinc filter that passes 0.45 of the new rate.
    static func decimate(_ signal: [Double], by factor: Int) -> [Double] {
        guard factor > 1 else { return signal }
        let half = 12 * factor
        var kernel = (-half...half).map { offset -> Double in
            let x = Double(offset) / Double(factor) * 0.92
            let window = 0.5 + 0.5 * Elementary.cosine(Elementary.pi * Double(offset) / Double(half + 1))
            return (offset == 0 ? 1 : Elementary.sine(Elementary.pi * x) / (Elementary.pi * x)) * window
        }
        let sum = kernel.reduce(0, +)
        for index in kernel.indices { kernel[index] /= sum }
        var result: [Double] = []
        result.reserveCapacity(signal.count / factor + 1)
        for centre in stride(from: 0, to: signal.count, by: factor) {
            var value = 0.0
            let first = max(0, centre - half)
            let last = min(signal.count - 1, centre + half)
            for index in first...last { value += signal[index] * kernel[index - centre + half] }
            result.append(value)
        }
        return result
    }
}
