/// The waveform seen in cells: any cell of any clock as eight means, at the same small cost.
///
/// The samples are brought to one local level first (a head lift costs 20 dB), upsampled where a cell has few of
/// them, and summed up once; a mean over a stretch is then a difference of two look-ups.
struct CellSampler: Sendable {
    /// Bins in a cell's window. The window begins a quarter of a cell before the cell's edge: the pulse of the edge
    /// stands at bin 2, that of a one's middle at bin 6.
    static let bins = 8
    static let windowOffset = -0.25

    private var integral: [Float]
    private var levels: [Float]
    private let factor: Double
    private let medianLevel: Float
    /// How far the head is off at each block, as an index into ``PulseModel/widenings``; empty: nowhere.
    private var lifts: [UInt8] = []
    private let liftBlock: Int
    /// Samples of the waveform it was made from.
    let count: Int

    /// How the local level is measured.
    enum Levelling: Sendable, Hashable {
        /// The mean power over some 14 cells: steady, and little moved by noise.
        case power
        /// The mean power over some 80 cells: where a band limit makes ones fainter than zeros, the level must not
        /// follow the bits.
        case steady
        /// The highest pulse near by, on the side where it is lower: follows an abrupt change at once.
        case peaks
    }

    /// - Parameter cell: about how many samples a cell has.
    init(_ samples: [Float], cell: Double, levelling: Levelling = .power) {
        count = samples.count
        liftBlock = max(Int(cell), 1)
        switch levelling {
        case .power: levels = Self.powerLevels(samples, reach: max(Int(cell * 7), 9))
        case .steady: levels = Self.powerLevels(samples, reach: max(Int(cell * 40), 9))
        case .peaks: levels = Self.peakLevels(samples, cell: cell)
        }
        // Some hundred of them tell as well as all.
        let all = levels
        let some = stride(from: 0, to: all.count, by: max(all.count / 400, 1)).map { all[$0] }.sorted()
        medianLevel = some.isEmpty ? 1 : some[some.count * 3 / 10]
        let floor = max(medianLevel * Self.lowestLevel, .leastNormalMagnitude)
        var signal = samples
        for index in signal.indices { signal[index] /= max(levels[index], floor) }
        let times = cell < 7 ? 4 : cell < 14 ? 2 : 1
        factor = Double(times)
        if times > 1 { signal = Upsampler.upsampled(signal, by: times) }
        integral = Array(repeating: 0, count: signal.count + 2)
        // The baseline is out of the signal: the sums stay small, and single precision is enough for them.
        var sum = 0.0
        for index in signal.indices {
            sum += Double(signal[index])
            integral[index + 1] = Float(sum)
        }
        integral[signal.count + 1] = Float(sum)
    }

    /// What spacing makes fainter it makes wider: where the level is below that of the surroundings, pulses are
    /// taken for wider by as much.
    mutating func findLifts(_ samples: [Float], cell: Double) {
        let around = Self.powerLevels(samples, reach: max(Int(cell * 40), 9))
        lifts = stride(from: 0, to: levels.count, by: liftBlock).map { index in
            let ratio = around[index] / max(levels[index], .leastNormalMagnitude)
            return UInt8(PulseModel.liftBounds.count { ratio > $0 })
        }
    }

    var hasLifts: Bool { !lifts.isEmpty }

    /// Index of the widening at a place.
    @inline(__always)
    func widening(at edge: Double) -> Int {
        guard !lifts.isEmpty else { return 0 }
        let block = Int(max(edge, 0)) / liftBlock
        return Int(lifts[min(block, lifts.count - 1)])
    }

    private static func powerLevels(_ samples: [Float], reach: Int) -> [Float] {
        var squares = samples
        for index in squares.indices { squares[index] *= squares[index] }
        return Band.movingAverage(Band.movingAverage(squares, width: reach), width: reach).map {
            $0.squareRoot()
        }
    }

    private static func peakLevels(_ samples: [Float], cell: Double) -> [Float] {
        let block = max(Int(cell / 8), 1)
        let span = Int(1.4 * cell) / block + 1
        let peaks = stride(from: 0, to: samples.count, by: block).map { start in
            var peak: Float = 0
            for index in start..<min(start + block, samples.count) { peak = max(peak, abs(samples[index])) }
            return peak
        }
        var lower = peaks
        for index in peaks.indices {
            var left: Float = 0
            var right: Float = 0
            for near in max(0, index - span)...index { left = max(left, peaks[near]) }
            for near in index...min(peaks.count - 1, index + span) { right = max(right, peaks[near]) }
            lower[index] = min(left, right)
        }
        // Pulses stay narrow: their flanks take their top's level.
        let level = lower.indices.map { index in
            max(
                lower[index], index > 0 ? lower[index - 1] : 0, index + 1 < lower.count ? lower[index + 1] : 0
            )
        }
        return samples.indices.map { level[$0 / block] * 0.6 }
    }

    /// Levels under this fraction of the median are not raised further: there is no signal.
    private static let lowestLevel: Float = 0.04

    /// The eight means of the cell whose edge is at `edge`.
    @inline(__always)
    func window(edge: Double, cell: Double) -> SIMD8<Float> {
        // Sample i covers i-½ to i+½.
        let start = (edge + cell * Self.windowOffset + 0.5) * factor
        let step = Float(cell * factor / Double(Self.bins))
        guard start >= 0, step > 0, start + Double(step) * Double(Self.bins) < Double(integral.count - 2)
        else {
            return borderWindow(start, step)
        }
        let base = Int(start)
        let part = Float(start - Double(base))
        let places = Self.steps * step + part
        let whole = Self.floor(places)
        let sums = integral.span
        var low = SIMD8<Float>()
        var high = SIMD8<Float>()
        for bin in 0..<Self.bins {
            let index = base &+ Int((whole[bin] + Self.wholeNumbers).bitPattern & Self.fraction)
            low[bin] = sums[unchecked: index]
            high[bin] = sums[unchecked: index &+ 1]
        }
        let ends = low + (high - low) * (places - whole)
        let first = sums[unchecked: base] + (sums[unchecked: base &+ 1] - sums[unchecked: base]) * part
        var starts = SIMD8<Float>(repeating: first)
        for bin in 1..<Self.bins { starts[bin] = ends[bin - 1] }
        return (ends - starts) * (1 / step)
    }

    /// Added to a number of single precision, this leaves no room behind the point: the number is rounded, and stands
    /// in the significand's bits. That is how many are turned into integers at once.
    private static let wholeNumbers: Float = 8_388_608
    private static let fraction: UInt32 = 0x7F_FFFF

    /// Each rounded down; of numbers that are not negative and far from that limit.
    @inline(__always)
    private static func floor(_ values: SIMD8<Float>) -> SIMD8<Float> {
        let rounded = (values + wholeNumbers) - wholeNumbers
        return rounded.replacing(with: rounded - 1, where: rounded .> values)
    }

    @inline(__always)
    private static var steps: SIMD8<Float> { SIMD8(1, 2, 3, 4, 5, 6, 7, 8) }

    /// The same where the window reaches beyond the samples.
    private func borderWindow(_ start: Double, _ step: Float) -> SIMD8<Float> {
        var means = SIMD8<Float>()
        guard step > 0 else { return means }
        var previous = value(start)
        for bin in 0..<Self.bins {
            let next = value(start + Double(bin + 1) * Double(step))
            means[bin] = (next - previous) / step
            previous = next
        }
        return means
    }

    /// How much a cell's likelihood counts: less where the level was raised, noise and all.
    @inline(__always)
    func weight(at edge: Double) -> Float {
        let index = min(max(Int(edge), 0), levels.count - 1)
        guard index >= 0 else { return 0 }
        let ratio = levels[index] / max(medianLevel, .leastNormalMagnitude)
        return min(ratio * ratio / (ratio * ratio + 0.1) * 1.1, 1)
    }

    private func value(_ position: Double) -> Float {
        let clamped = min(max(position, 0), Double(integral.count - 2))
        let index = Int(clamped)
        return integral[index] + (integral[index + 1] - integral[index]) * Float(clamped - Double(index))
    }
}

/// Band-limited interpolation by 2 or 4.
enum Upsampler {
    private static let halfTaps = 16

    /// So many samples are computed at once.
    private static let lanes = 8

    static func upsampled(_ samples: [Float], by factor: Int) -> [Float] {
        let kernels = (0..<factor).map { kernel(Double($0) / Double(factor) - shift(factor)) }
        // With silence round them every sample has all its neighbours.
        let before = [Float](repeating: 0, count: halfTaps - 1)
        let padded = before + samples + [Float](repeating: 0, count: halfTaps + lanes)
        var result = [Float](repeating: 0, count: samples.count * factor)
        let source = padded.span
        for start in stride(from: 0, to: samples.count, by: lanes) {
            let count = min(lanes, samples.count - start)
            for (phase, kernel) in kernels.enumerated() {
                var sums = SIMD8<Float>()
                for tap in kernel.indices {
                    var near = SIMD8<Float>()
                    for lane in 0..<lanes { near[lane] = source[unchecked: start &+ tap &+ lane] }
                    sums += near * kernel[tap]
                }
                for lane in 0..<count { result[(start + lane) * factor + phase] = sums[lane] }
            }
        }
        return result
    }

    /// The new samples lie evenly within the old one's span, not from its middle on.
    private static func shift(_ factor: Int) -> Double { (Double(factor) - 1) / (2 * Double(factor)) }

    private static func kernel(_ offset: Double) -> [Float] {
        (0..<2 * halfTaps).map { tap in
            let x = Double(tap - halfTaps + 1) - offset
            guard abs(x) > 1e-9 else { return 1 }
            guard abs(x) < Double(halfTaps) else { return 0 }
            let window = 0.5 + 0.5 * Sine.cosine(.pi * x / Double(halfTaps))
            return Float(Sine.sine(.pi * x) / (.pi * x) * window)
        }
    }
}
