/// Where in the kept samples the card was: the gate's hang and lead-in are silence, and searching silence costs time
/// and finds only noise.
struct ActiveSpan: Sendable {
    var sampleRate: Int
    /// Power of the noise that there is at least, besides the converter's.
    var leastNoise: Float = 0

    private static let blockSeconds = 0.001
    /// Blocks whose mean is compared with the floor.
    private static let width = 6
    /// Over the floor by this much is signal: 2 dB of signal to noise are a factor of 2.6.
    private static let ratio: Float = 1.7
    /// Kept on both sides.
    private static let marginSeconds = 0.008

    /// The stretch, and the power of the noise round it, at least what a converter adds; 0 where there is none to measure.
    func find(in samples: [Float]) -> (range: Range<Int>, noise: Float) {
        let block = max(Int(Double(sampleRate) * Self.blockSeconds), 4)
        let powers = blockPowers(samples, block)
        guard powers.count > 4 * Self.width else { return (samples.indices, 0) }
        let smooth = Band.movingAverage(powers, width: Self.width)
        let floor = smooth.sorted()[smooth.count / 20]
        guard let first = smooth.firstIndex(where: { $0 > floor * Self.ratio }),
            let last = smooth.lastIndex(where: { $0 > floor * Self.ratio }), last > first
        else { return (samples.indices, 0) }
        let margin = Int(Double(sampleRate) * Self.marginSeconds)
        let start = max(first * block - margin, 0)
        let end = min((last + 1) * block + margin, samples.count)
        return (start..<max(end, start), max(floor, Self.converterNoise(samples), leastNoise))
    }

    /// What a converter adds by rounding to its steps: of eight bits, all noise under half a step is rounded to nothing.
    static func converterNoise(_ samples: [Float]) -> Float {
        let step = Clipping.step(of: samples)
        return step * step / 12
    }

    /// Each block's power without its mean and slope, so that hum counts little.
    private func blockPowers(_ samples: [Float], _ block: Int) -> [Float] {
        stride(from: 1, to: samples.count - block, by: block).map { start in
            var power: Float = 0
            var mean: Float = 0
            for index in start..<start + block { mean += samples[index] }
            mean /= Float(block)
            for index in start..<start + block {
                let value = samples[index] - mean
                power += value * value
            }
            return power / Float(block)
        }
    }
}
