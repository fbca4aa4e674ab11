/// Takes mains hum and its harmonics out of a swipe.
///
/// A weighted least-squares fit of sines: the quiet stretches before and after the card count most, so the card's own
/// tones stay. 50 and 60 Hz are tried, and small deviations of both; nothing is taken out where nothing fits.
struct HumRemoval: Sendable {
    var sampleRate: Int

    private static let fundamentals = [50.0, 60.0]
    private static let deviations = [-0.05, 0.05]
    private static let harmonics = 10
    /// The fit runs on means of so many samples at 44.1 kHz.
    private static let decimation = 20
    /// The hum must explain this part of the quiet stretches' power.
    private static let leastExplained = 0.35
    private static let blocksOfLevel = 33

    func cleaned(_ samples: [Float]) -> [Float]? {
        let step = max(1, Self.decimation * sampleRate / 44_100)
        let means = blockMeans(samples, step)
        guard means.count > 8 * Self.harmonics else { return nil }
        let weights = weights(means)
        var best: (explained: Double, parts: [Double], frequency: Double)?
        func attempt(_ frequency: Double) {
            let angle = 2 * Double.pi * frequency * Double(step) / Double(sampleRate)
            guard let fit = fit(means, weights, angle: angle) else { return }
            if fit.explained > best?.explained ?? Self.leastExplained {
                best = (fit.explained, fit.parts, frequency)
            }
        }
        for frequency in Self.fundamentals { attempt(frequency) }
        guard let mains = best?.frequency else { return nil }
        for deviation in Self.deviations { attempt(mains + deviation) }
        guard let best else { return nil }
        return subtract(best.parts, frequency: best.frequency, step: step, from: samples)
    }

    private func blockMeans(_ samples: [Float], _ step: Int) -> [Double] {
        stride(from: 0, to: samples.count - step, by: step).map { start in
            var sum = 0.0
            for index in start..<start + step { sum += Double(samples[index]) }
            return sum / Double(step)
        }
    }

    /// Loud stretches count less, by the square of their power.
    private func weights(_ means: [Double]) -> [Double] {
        let changes = means.indices.map { index -> Float in
            // The second difference: the card's tones show, the hum hardly does.
            guard index > 1 else { return 0 }
            let change = means[index] - 2 * means[index - 1] + means[index - 2]
            return Float(change * change)
        }
        let level = Band.movingAverage(changes, width: Self.blocksOfLevel)
        let quiet = Double(level.sorted()[level.count / 10]) + 1e-9
        return level.map { quiet / (quiet + Double($0)) }
    }

    private func fit(_ means: [Double], _ weights: [Double], angle: Double) -> (
        explained: Double, parts: [Double]
    )? {
        let size = 2 * Self.harmonics + 1
        var matrix = [Double](repeating: 0, count: size * size)
        var vector = [Double](repeating: 0, count: size)
        var power = 0.0
        var row = [Double](repeating: 1, count: size)
        for index in means.indices {
            Self.fill(&row, angle: angle * Double(index))
            let weight = weights[index]
            power += weight * means[index] * means[index]
            Self.add(row, weight: weight, &matrix)
            for i in 0..<size { vector[i] += weight * row[i] * means[index] }
        }
        // The mean is not hum: what is left of the power without it.
        let offset = vector[size - 1] / max(matrix[size * size - 1], 1e-9)
        power -= offset * vector[size - 1]
        guard let parts = LinearSystem.solved(matrix, vector, ridge: 1e-6) else { return nil }
        var explained = -offset * vector[size - 1]
        for index in 0..<size { explained += parts[index] * vector[index] }
        return (explained / max(power, 1e-9), parts)
    }

    /// Adds the row's products with itself to the lower triangle.
    private static func add(_ row: [Double], weight: Double, _ matrix: inout [Double]) {
        let size = row.count
        let row = row.span
        var matrix = matrix.mutableSpan
        guard matrix.count == size * size else { return }
        for i in 0..<size {
            let weighted = weight * row[unchecked: i]
            for j in 0...i { matrix[unchecked: i &* size &+ j] += weighted * row[unchecked: j] }
        }
    }

    private static func fill(_ row: inout [Double], angle: Double) {
        let sine = Sine.sine(angle)
        let cosine = Sine.cosine(angle)
        var s = sine
        var c = cosine
        for harmonic in 0..<harmonics {
            row[2 * harmonic] = s
            row[2 * harmonic + 1] = c
            (s, c) = (s * cosine + c * sine, c * cosine - s * sine)
        }
    }

    private func subtract(_ parts: [Double], frequency: Double, step: Int, from samples: [Float]) -> [Float] {
        var result = samples
        let angle = 2 * Double.pi * frequency / Double(sampleRate)
        // A mean stands for its block's middle.
        let middle = Double(step - 1) / 2
        for start in stride(from: 0, to: samples.count, by: Self.lanes) {
            let hum = Self.hum(parts, first: Double(start) - middle, angle: angle)
            for lane in 0..<min(Self.lanes, samples.count - start) {
                result[start + lane] -= Float(hum[lane])
            }
        }
        return result
    }

    /// So many samples are computed at once.
    private static let lanes = 4

    /// The hum at some samples in a row.
    private static func hum(_ parts: [Double], first: Double, angle: Double) -> SIMD4<Double> {
        var sine = SIMD4<Double>()
        var cosine = SIMD4<Double>()
        for lane in 0..<lanes {
            sine[lane] = Sine.sine(angle * (first + Double(lane)))
            cosine[lane] = Sine.cosine(angle * (first + Double(lane)))
        }
        var (s, c) = (sine, cosine)
        var hum = SIMD4<Double>()
        for harmonic in 0..<harmonics {
            hum += s * parts[2 * harmonic]
            hum += c * parts[2 * harmonic + 1]
            (s, c) = (s * cosine + c * sine, c * cosine - s * sine)
        }
        return hum + parts[2 * harmonics]
    }
}
