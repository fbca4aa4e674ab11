/// Where the sequence detector begins: clocking zeros, and the pulses that they may be made of.
struct LeadIn: Sendable {
    var edges: [Double]
    var cell: Double

    /// Zeros before the first one that the detector is started with.
    private static let mostZeros = 60
    /// Zeros fainter than this part of the whole swipe's power are found in noise.
    private static let loudPart: Float = 0.005

    /// - Parameters:
    ///   - runs: what the interval clock read.
    ///   - pulses: where it read it from.
    init?(_ runs: [IntervalClock.Run], _ pulses: [Double], in signal: [Float]) {
        let loud = Self.loudPart * Self.power(signal, 0, Double(signal.count))
        let read = Self.zeros(in: runs, signal, loud)
        let even = Self.evenPulses(pulses).first { Self.power(signal, $0.first ?? 0, $0.last ?? 0) > loud }
        guard let edges = Self.better(read, even, signal), let first = edges.first, let last = edges.last
        else {
            return nil
        }
        self.edges = edges
        cell = (last - first) / Double(edges.count - 1)
    }

    /// Behind a band limit the interval clock takes the zeros for ones of half the clock, and finds zeros in the data.
    private static func better(_ read: [Double]?, _ even: [Double]?, _ signal: [Float]) -> [Double]? {
        guard let even else { return read }
        guard let read else { return even }
        let isEarlier = (even.last ?? 0) < (read.first ?? 0)
        let powers = [read, even].map { power(signal, $0.first ?? 0, $0.last ?? 0) }
        return isEarlier && powers[1] > powers[0] ? even : read
    }

    /// The end of the first stretch of even zeros that is no silence: where ones come next.
    private static func zeros(in runs: [IntervalClock.Run], _ signal: [Float], _ loud: Float) -> [Double]? {
        for fewest in [8, 4] {
            for run in runs {
                var length = 0
                for (index, bit) in run.bits.enumerated() {
                    length = bit == 0 ? length + 1 : 0
                    let isEnd = index + 1 == run.bits.count || run.bits[index + 1] == 1
                    guard length >= fewest, isEnd else { continue }
                    let edges = Array(run.edges[index + 1 - min(length, mostZeros)...index + 1])
                    guard let first = edges.first, let last = edges.last, power(signal, first, last) > loud
                    else { continue }
                    return edges
                }
            }
        }
        return nil
    }

    /// So many even intervals are clocking zeros: data have not as many.
    private static let fewestEven = 16
    private static let evenness = 0.12
    /// Pulses of one sign may come late.
    private static let asymmetry = 0.3

    /// The ends of stretches in which pulses are evenly spaced.
    static func evenPulses(_ pulses: [Double]) -> [[Double]] {
        var found: [[Double]] = []
        var start = 0
        guard pulses.count > 3 else { return [] }
        for index in 3...pulses.count {
            if index < pulses.count {
                let interval = pulses[index] - pulses[index - 1]
                let before = pulses[index - 1] - pulses[index - 2]
                let twin = pulses[index - 2] - pulses[index - 3]
                let isEven =
                    abs(interval - twin) < evenness * twin && abs(interval - before) < asymmetry * before
                if isEven { continue }
            }
            let end = index - 1
            if end - start >= fewestEven { found.append(Array(pulses[max(start, end - mostZeros)...end])) }
            start = index - 2
        }
        return found
    }

    private static func power(_ signal: [Float], _ start: Double, _ end: Double) -> Float {
        let first = max(Int(start), 0)
        let last = max(min(Int(end), signal.count), first)
        var sum: Float = 0
        for index in first..<last { sum += signal[index] * signal[index] }
        return sum / Float(max(last - first, 1))
    }

    /// A way to begin.
    struct Start: Sendable {
        var anchor: SequenceDetector.Anchor
        var model: PulseModel
        /// Which of the shapes.
        var shape: Int
    }

    private static let widths = [0.15, 0.2, 0.27, 0.36, 0.48, 0.64, 0.85, 1.1, 1.5]
    private static let lorentzians = widths.map { PulseModel(lorentzianWidth: $0) }
    private static let bells = widths.map { PulseModel(bellWidth: $0) }
    /// Behind a low-pass, its corner in cycles a cell.
    private static let limited = [0.4, 0.55, 0.75, 1.1].map {
        PulseModel(lorentzianWidth: 0.45, cutoff: $0)
    }
    /// Wide pulses all make a sine of the zeros: among equals, the narrowest is taken, which leaves ones visible.
    private static let betterFit: Float = 1.002

    static let shapes = 2 + limited.count
    /// Shapes that leave ones far fainter than zeros: the level must not follow them.
    static let dullShapes = 2...3

    /// The pulse of a kind that fits the zeros best.
    func start(shape: Int, _ sampler: CellSampler) -> Start {
        let zeros = meanZero(sampler)
        var best: Fit
        switch shape {
        case 0: best = closest(Self.lorentzians, zeros, by: 1)
        case 1: best = closest(Self.bells, zeros, by: Self.betterFit)
        default: best = Fit(Self.limited[min(max(shape - 2, 0), Self.limited.count - 1)], zeros)
        }
        best.scale()
        let anchor = SequenceDetector.Anchor(
            edge: edges.count > 1 ? edges[1] : 0, cell: cell, sign: best.sign, gain: 1)
        return Start(anchor: anchor, model: best.model, shape: shape)
    }

    private func meanZero(_ sampler: CellSampler) -> SIMD8<Float> {
        var mean = SIMD8<Float>()
        var sign: Float = 1
        for edge in edges.dropFirst().dropLast() {
            mean += sampler.window(edge: edge, cell: cell) * sign
            sign = -sign
        }
        return mean / Float(max(edges.count - 2, 1))
    }

    private func closest(_ models: [PulseModel], _ zeros: SIMD8<Float>, by lead: Float) -> Fit {
        var best = Fit(models[0], zeros)
        for model in models.dropFirst() {
            let fit = Fit(model, zeros)
            if fit.fit > best.fit * lead { best = fit }
        }
        return best
    }

    private struct Fit {
        var fit: Float
        var sign: Float
        var height: Float
        var model: PulseModel

        init(_ model: PulseModel, _ zeros: SIMD8<Float>) {
            self.model = model
            let (means, _) = model.window(PulseModel.patternMask & 0b1010_1010_1010)
            let product = (zeros * means).sum()
            let power = max((means * means).sum(), 1e-6)
            fit = product * product / power
            sign = product < 0 ? -1 : 1
            height = abs(product) / power
        }

        /// The model at the height of the zeros: the gain starts at one.
        mutating func scale() { model = PulseModel(response: model.response.map { $0 * height }) }
    }
}
