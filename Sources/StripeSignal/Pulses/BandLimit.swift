/// What a swipe lost of its upper frequencies on its way: ones are fainter then than zeros, until neither pulses nor
/// intervals are left to see. Undone before anything else, the swipe is like any other.
enum BandLimit: Sendable, Hashable {
    /// An amplifier's or a cheap sound card's: a Butterworth filter of fourth order, its corner in cycles a cell. It is
    /// late too; being fixed in time, it does something else to every cell of a hand's motion.
    case lowPass(corner: Double)
    /// A wide gap, or a head that is off: a Lorentzian pulse wider by so many cells. It is not late.
    case spacing(cells: Double)

    /// The resonance (quality factor) of the Butterworth filter's two sections.
    private static let qualities = [0.5412, 1.3066]

    /// What undoes it at a frequency, in cycles a cell.
    func inverse(at frequency: Double) -> (real: Double, imaginary: Double) {
        switch self {
        case .lowPass(let corner):
            let ratio = frequency / corner
            return Self.qualities.reduce((1, 0)) { product, quality in
                let section = (real: 1 - ratio * ratio, imaginary: ratio / quality)
                return (
                    product.0 * section.real - product.1 * section.imaginary,
                    product.0 * section.imaginary + product.1 * section.real
                )
            }
        case .spacing(let cells):
            // A Lorentzian's spectrum falls as e^(-π f width). By squaring: (1 + x / 1024)^1024.
            var value = 1 + Double.pi * frequency * cells / 1024
            for _ in 0..<10 { value *= value }
            return (value, 0)
        }
    }

    /// The same kind of limit, so many times as far up or as wide.
    func scaled(by factor: Double) -> BandLimit {
        switch self {
        case .lowPass(let corner): .lowPass(corner: corner * factor)
        case .spacing(let cells): .spacing(cells: cells * factor)
        }
    }
}

/// A filter that undoes a band limit as far up as cells need, and passes nothing beyond, where only noise is.
struct Equalizer: Sendable {
    private var taps: [Float]

    /// Cells to each side over which the filter reaches.
    private static let reach = 3.0
    /// In cycles a cell: ones are one cycle; up to the first everything passes, beyond the second nothing.
    private static let passband = 1.15
    private static let stopband = 2.0
    /// Frequencies a cycle at which it is laid out.
    private static let density = 16.0

    /// - Parameter cell: samples a cell.
    init(_ limit: BandLimit, cell: Double) {
        let half = Int(Self.reach * cell)
        let count = Int(Self.stopband * Self.density)
        var sums = [Double](repeating: 0, count: 2 * half + 1)
        for index in 0..<count {
            let cycles = (Double(index) + 0.5) / Self.density
            let frequency = cycles / cell
            guard frequency < 0.5 else { break }
            let (real, imaginary) = limit.inverse(at: cycles)
            let height = Self.window(cycles) * 2 / (Self.density * cell)
            // A rotating pointer rather than a sine for every tap.
            let (stepReal, stepImaginary) = (
                Sine.cosine(2 * .pi * frequency), Sine.sine(2 * .pi * frequency)
            )
            var x = Sine.cosine(2 * .pi * frequency * Double(half))
            var y = -Sine.sine(2 * .pi * frequency * Double(half))
            for tap in sums.indices {
                sums[tap] += height * (real * x - imaginary * y)
                (x, y) = (x * stepReal - y * stepImaginary, x * stepImaginary + y * stepReal)
            }
        }
        // The outer half fades.
        taps = sums.indices.map { index in
            let place = abs(Double(index - half)) / Double(half + 1)
            return Float(sums[index] * (place < 0.5 ? 1 : 0.5 - 0.5 * Sine.cosine(2 * .pi * place)))
        }
    }

    private static func window(_ cycles: Double) -> Double {
        guard cycles > passband else { return 1 }
        return 0.5 + 0.5 * Sine.cosine(.pi * min((cycles - passband) / (stopband - passband), 1))
    }

    /// By how much it raises the power of white noise.
    var noiseGain: Float { taps.reduce(0) { $0 + $1 * $1 } }

    /// So many samples are computed at once.
    private static let lanes = 16

    func filtered(_ samples: [Float]) -> [Float] {
        let half = taps.count / 2
        let before = [Float](repeating: 0, count: half)
        let padded = before + samples + [Float](repeating: 0, count: half + Self.lanes)
        var result = [Float](repeating: 0, count: samples.count)
        // The taps are of the impulse response: the last one meets the oldest sample.
        let reversed = Array(taps.reversed())
        let source = padded.span
        for start in stride(from: 0, to: samples.count, by: Self.lanes) {
            var sums = SIMD16<Float>()
            for index in reversed.indices {
                var near = SIMD16<Float>()
                for lane in 0..<Self.lanes { near[lane] = source[unchecked: start &+ index &+ lane] }
                sums += near * reversed[index]
            }
            for lane in 0..<min(Self.lanes, samples.count - start) { result[start + lane] = sums[lane] }
        }
        return result
    }
}
