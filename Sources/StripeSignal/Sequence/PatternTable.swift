/// What a cell's window looks like for every pattern of reversals round it, computed when first asked for.
///
/// A survivor may go on in four ways, and all four are compared with what was seen at once, a lane each: the bins are
/// added up one after the other, in all lanes together.
///
///     row of a pattern    bin 0 … bin 7             products        products
///     lanes 0 to 3        means                     means · means   slopes · slopes
///     lanes 4 to 7        slopes                    means · slopes  means · means, at least `leastPower`
struct PatternTable: Sendable {
    /// What was seen against what four patterns would look like.
    struct Comparison {
        var products: SIMD4<Float>
        var slopes: SIMD4<Float>
        var meansMeans: SIMD4<Float>
        var meansSlopes: SIMD4<Float>
        var slopesSlopes: SIMD4<Float>
        /// Of a gain, the least that it is divided by.
        var power: SIMD4<Float>
    }

    static let lanes = 4
    private static let bins = CellSampler.bins
    private static let rowLength = bins + 2
    /// The oldest cell leaves the pattern when another comes.
    private static let rows = PulseModel.patterns >> 2
    private static let rowMask = PulseModel.patternMask >> 2
    private static let leastPower: Float = 0.01

    private var values: [SIMD8<Float>]
    /// For which model each row was computed.
    private var generations: [UInt32]
    private var generation: UInt32 = 0
    private var models: [PulseModel] = []

    /// - Parameter models: how many pulses are in use at a time.
    init(models: Int) {
        values = Array(repeating: SIMD8(), count: models * Self.rows * Self.rowLength)
        generations = Array(repeating: 0, count: models * Self.rows)
    }

    /// From here on, windows are those of other pulses.
    mutating func use(_ models: [PulseModel]) {
        self.models = models
        generation += 1
    }

    /// The bits that a lane adds to a pattern: a reversal at the cell's edge unless it is taken for lost, and in the
    /// middle for a one.
    static func symbol(ofLane lane: Int) -> UInt16 { UInt16(truncatingIfNeeded: lane ^ 0b10) & 0b11 }

    /// - Parameters:
    ///   - pattern: up to the cell before.
    ///   - model: which of those in use.
    @inline(__always)
    mutating func compare(_ seen: SIMD8<Float>, after pattern: UInt16, model: Int) -> Comparison {
        let row = model &* Self.rows &+ Int(pattern & Self.rowMask)
        if generations[row] != generation { fill(row, pattern, models[model]) }
        // The row is one of those counted in `generations`: so are its values.
        let base = row &* Self.rowLength
        let values = self.values.span
        var sums = values[unchecked: base] * seen[0]
        for bin in 1..<Self.bins { sums += values[unchecked: base &+ bin] * seen[bin] }
        let first = values[unchecked: base &+ Self.bins]
        let second = values[unchecked: base &+ Self.bins &+ 1]
        return Comparison(
            products: sums.lowHalf, slopes: sums.highHalf, meansMeans: first.lowHalf,
            meansSlopes: first.highHalf, slopesSlopes: second.lowHalf, power: second.highHalf)
    }

    private mutating func fill(_ row: Int, _ pattern: UInt16, _ model: PulseModel) {
        let base = row * Self.rowLength
        func window(_ lane: Int) -> (means: SIMD8<Float>, slopes: SIMD8<Float>) {
            model.window((pattern << 2 | Self.symbol(ofLane: lane)) & PulseModel.patternMask)
        }
        let (a, b, c, d) = (window(0), window(1), window(2), window(3))
        for bin in 0..<Self.bins {
            values[base + bin] = SIMD8(
                a.means[bin], b.means[bin], c.means[bin], d.means[bin],
                a.slopes[bin], b.slopes[bin], c.slopes[bin], d.slopes[bin])
        }
        var means = SIMD8<Float>()
        var slopes = SIMD4<Float>()
        for bin in 0..<Self.bins {
            let value = values[base + bin]
            means += value * SIMD8(lowHalf: value.lowHalf, highHalf: value.lowHalf)
            slopes += value.highHalf * value.highHalf
        }
        let power = means.lowHalf.replacing(with: Self.leastPower, where: means.lowHalf .< Self.leastPower)
        values[base + Self.bins] = means
        values[base + Self.bins + 1] = SIMD8(lowHalf: slopes, highHalf: power)
        generations[row] = generation
    }
}
