/// The response of head, amplifier and sound card to one flux reversal, in eighths of a cell, and with it what a
/// cell's window looks like for every pattern of reversals round it.
struct PulseModel: Sendable {
    /// Cells before and after the one looked at whose reversals reach into its window.
    static let cellsBefore = 3
    static let cellsAfter = 2
    static let patternCells = cellsBefore + 1 + cellsAfter
    /// A pattern is two bits a cell, oldest first: reversal at the edge, reversal in the middle.
    static let patterns = 1 << (2 * patternCells)
    static let patternMask = UInt16(patterns - 1)
    /// Lags of the response, in bins: window bin `j`, half cell `i` gives `j - 2 - 4 i`.
    static let firstLag = -2 - 4 * (2 * cellsAfter + 1)
    static let lastLag = 5 + 4 * 2 * cellsBefore
    static let lags = lastLag - firstLag + 1

    private static let halfCells = 2 * patternCells

    /// The response at each lag, counted from `firstLag`.
    let response: [Float]
    /// What a reversal at each half cell adds to the window, the oldest first, and to its change; empty without a
    /// response.
    private let means: [SIMD8<Float>]
    private let slopes: [SIMD8<Float>]

    init(response: [Float]) {
        self.response = response
        let slope = response.indices.map { index in
            let before = index > 0 ? response[index - 1] : 0
            let after = index + 1 < response.count ? response[index + 1] : 0
            return (after - before) * Float(CellSampler.bins) / 2
        }
        means = Self.windows(of: response)
        slopes = Self.windows(of: slope)
    }

    private static func windows(of response: [Float]) -> [SIMD8<Float>] {
        guard response.count == lags else { return [] }
        return (0..<halfCells).map { half in
            let base = -2 - 4 * (half - 2 * cellsBefore) - firstLag
            return SIMD8(response[base..<base + CellSampler.bins])
        }
    }

    /// A Lorentzian pulse, the field of a sharp reversal under a head (Karlqvist): `width` is its width at half its
    /// height as a fraction of the cell.
    init(lorentzianWidth width: Double) {
        self.init(
            response: (0..<Self.lags).map { index in
                var sum = 0.0
                for part in 0..<4 {
                    let place =
                        (Double(Self.firstLag + index) + (Double(part) + 0.5) / 4) / Double(CellSampler.bins)
                    let x = 2 * place / width
                    sum += 1 / (1 + x * x)
                }
                return Float(sum / 4)
            })
    }

    /// A pulse whose spectrum ends sooner, as behind a band limit: a bell of the same width.
    init(bellWidth width: Double) {
        self.init(
            response: (0..<Self.lags).map { index in
                let place = (Double(Self.firstLag + index) + 0.5) / Double(CellSampler.bins)
                let x = 2 * place / width
                // 2^(-x²) by squaring: (1 - x² ln 2 / 64)^64.
                var value = max(1 - x * x * 0.6931 / 64, 0)
                for _ in 0..<6 { value *= value }
                return Float(value)
            })
    }

    /// A Lorentzian pulse behind a low-pass of fourth order, as an amplifier or a cheap sound card is: it rings, and
    /// comes late.
    ///
    /// - Parameter cutoff: in cycles a cell; zeros alone are half a cycle a cell, ones a whole.
    init(lorentzianWidth width: Double, cutoff: Double) {
        let fine = Self.fineBins
        let lead = CellSampler.bins * fine * Self.leadCells
        var signal = (0..<Self.lags * fine + 2 * lead).map { index in
            let x = 2 * Double(index - lead + Self.firstLag * fine) / Double(CellSampler.bins * fine) / width
            return 1 / (1 + x * x)
        }
        for quality in [0.5412, 1.3066] {
            Self.lowPass(&signal, cutoff / Double(CellSampler.bins * fine), quality)
        }
        let delay = Self.delay(of: signal, middle: lead - Self.firstLag * fine)
        self.init(
            response: (0..<Self.lags).map { index in
                let start = index * fine + lead + delay
                return Float(signal[start..<start + fine].reduce(0, +) / Double(fine))
            })
    }

    private static let fineBins = 4
    private static let leadCells = 3

    /// By how much the zeros' fundamental comes late.
    private static func delay(of signal: [Double], middle: Int) -> Int {
        let cell = CellSampler.bins * fineBins
        var best = (delay: 0, value: -Double.infinity)
        for delay in 0..<2 * cell {
            var sum = 0.0
            for index in signal.indices {
                sum += signal[index] * Sine.cosine(.pi * Double(index - middle - delay) / Double(cell))
            }
            if sum > best.value { best = (delay, sum) }
        }
        return best.delay
    }

    /// One section of a Butterworth filter by the bilinear transform; the frequency in cycles a value.
    private static func lowPass(_ signal: inout [Double], _ frequency: Double, _ quality: Double) {
        let angle = 2 * Double.pi * min(frequency, 0.45)
        let cosine = Sine.cosine(angle)
        let alpha = Sine.sine(angle) / (2 * quality)
        let gain = (1 - cosine) / 2 / (1 + alpha)
        let a1 = -2 * cosine / (1 + alpha)
        let a2 = (1 - alpha) / (1 + alpha)
        var z1 = 0.0
        var z2 = 0.0
        for index in signal.indices {
            let output = gain * signal[index] + z1
            z1 = 2 * gain * signal[index] - a1 * output + z2
            z2 = gain * signal[index] - a2 * output
            signal[index] = output
        }
    }

    /// By how much pulses widen under a lifted head, and the falls in level that tell.
    static let widenings = [1.0, 1.35, 1.75, 2.2]
    static let liftBounds: [Float] = [1.2, 1.55, 2]

    /// The same pulse farther from the head: convolved with a Lorentzian (Wallace's spacing loss), at a height that
    /// leaves the mean power as it was, since the level is taken out of the signal.
    func widened(by factor: Double) -> PulseModel {
        guard factor > 1, response.count == Self.lags else { return self }
        let half = halfWidth * (factor - 1)
        var kernel = (-Self.lags...Self.lags).map { lag in
            let x = Double(lag) / half
            return Float(1 / (1 + x * x))
        }
        let sum = kernel.reduce(0, +)
        for index in kernel.indices { kernel[index] /= sum }
        let spread = response.indices.map { place in
            response.indices.reduce(Float(0)) { $0 + response[$1] * kernel[place - $1 + Self.lags] }
        }
        let model = PulseModel(response: spread)
        let height = (typicalPower / max(model.typicalPower, 1e-9)).squareRoot()
        return PulseModel(response: spread.map { $0 * height })
    }

    /// Half of the width at half of the height, in bins.
    private var halfWidth: Double {
        guard let peak = response.max(), peak > 0 else { return 1 }
        return max(Double(response.count { $0 > peak / 2 }) / 2, 1)
    }

    /// Mean power of a window over a few patterns.
    private var typicalPower: Float {
        [0b1010_1010_1010, 0b1111_1111_1111, 0b1011_1010_1111, 0b1110_1011_1010].reduce(Float(0)) {
            sum, pattern in
            let means = window(UInt16(pattern)).means
            return sum + (means * means).sum()
        }
    }

    /// The window's means where the last reversal before the cell's edge was positive, and their change with place.
    func window(_ pattern: UInt16) -> (means: SIMD8<Float>, slopes: SIMD8<Float>) {
        var sum = (means: SIMD8<Float>(), slopes: SIMD8<Float>())
        guard means.count == Self.halfCells else { return sum }
        // A half cell without a reversal adds nothing: quicker than to ask of each.
        var sign: Float = -1
        for half in 2 * Self.cellsBefore..<Self.halfCells { add(half, pattern, &sign, &sum) }
        sign = 1
        for half in (0..<2 * Self.cellsBefore).reversed() { add(half, pattern, &sign, &sum) }
        return sum
    }

    /// - Parameters:
    ///   - half: counted from the oldest half cell.
    ///   - sign: of its reversal if it has one, and then turned.
    @inline(__always)
    private func add(
        _ half: Int, _ pattern: UInt16, _ sign: inout Float,
        _ sum: inout (means: SIMD8<Float>, slopes: SIMD8<Float>)
    ) {
        let reversals = Float((pattern >> UInt16(Self.halfCells - 1 - half)) & 1)
        sum.means += means[half] * (sign * reversals)
        sum.slopes += slopes[half] * (sign * reversals)
        sign *= 1 - 2 * reversals
    }

    /// Calls `body` with each reversal's half cell, 0 at the cell's own edge, and its sign.
    @inline(__always)
    static func forEachReversal(_ pattern: UInt16, _ body: (Int, Float) -> Void) {
        var sign: Float = -1
        for half in 0..<2 * (cellsAfter + 1) where bit(pattern, half) {
            body(half, sign)
            sign = -sign
        }
        sign = 1
        for half in stride(from: -1, through: -2 * cellsBefore, by: -1) where bit(pattern, half) {
            body(half, sign)
            sign = -sign
        }
    }

    private static func bit(_ pattern: UInt16, _ half: Int) -> Bool {
        (pattern >> UInt16(2 * (cellsAfter + 1) - 1 - half)) & 1 == 1
    }
}
