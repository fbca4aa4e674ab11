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

    /// The response at each lag, counted from `firstLag`.
    private(set) var response: [Float]
    private var slope: [Float]
    private var expected: [SIMD8<Float>]
    private var slopes: [SIMD8<Float>]
    private var isKnown: [Bool]

    init(response: [Float]) {
        self.response = response
        slope = response.indices.map { index in
            let before = index > 0 ? response[index - 1] : 0
            let after = index + 1 < response.count ? response[index + 1] : 0
            return (after - before) * Float(CellSampler.bins) / 2
        }
        expected = Array(repeating: SIMD8(), count: Self.patterns)
        slopes = expected
        isKnown = Array(repeating: false, count: Self.patterns)
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

    /// The window's means where the last reversal before the cell's edge was positive, and their change with place.
    mutating func window(_ pattern: UInt16) -> (means: SIMD8<Float>, slopes: SIMD8<Float>) {
        let index = Int(pattern)
        if !isKnown[index] { compute(pattern) }
        return (expected[index], slopes[index])
    }

    private mutating func compute(_ pattern: UInt16) {
        var means = SIMD8<Float>()
        var change = SIMD8<Float>()
        Self.forEachReversal(pattern) { half, sign in
            let base = -2 - 4 * half - Self.firstLag
            for bin in 0..<CellSampler.bins {
                means[bin] += sign * response[base + bin]
                change[bin] += sign * slope[base + bin]
            }
        }
        expected[Int(pattern)] = means
        slopes[Int(pattern)] = change
        isKnown[Int(pattern)] = true
    }

    /// Calls `body` with each reversal's half cell, 0 at the cell's own edge, and its sign.
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
