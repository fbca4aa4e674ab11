/// Least-squares estimate of the pulse's response from a waveform whose reversals are (thought to be) known.
struct PulseFit {
    /// The lower triangle's diagonals: reversals are half cells apart, so only every fourth is ever filled. Four lags,
    /// a half cell's, stand in one vector.
    private var diagonals: [SIMD4<Float>]
    private var vector: [SIMD4<Float>]
    private static let lags = PulseModel.lags
    private static let halfCell = CellSampler.bins / 2
    private static let halfCells = (lags + halfCell - 1) / halfCell

    init() {
        diagonals = Array(repeating: SIMD4(), count: Self.halfCells * Self.halfCells)
        vector = Array(repeating: SIMD4(), count: Self.halfCells)
    }

    /// Adds one cell: its pattern, the sign before it, its window, and how far to trust it.
    mutating func add(_ pattern: UInt16, sign: Float, _ window: SIMD8<Float>, weight: Float) {
        // At most one reversal a half cell.
        var places = SIMD16<Int32>()
        var signs = SIMD16<Float>()
        var count = 0
        PulseModel.forEachReversal(pattern) { half, direction in
            places[count] = Int32((-2 - PulseModel.firstLag) / Self.halfCell - half)
            signs[count] = direction * sign
            count += 1
        }
        for one in 0..<count {
            let place = Int(places[one])
            let weighted = weight * signs[one]
            vector[place] += window.lowHalf * weighted
            vector[place + 1] += window.highHalf * weighted
            for other in 0..<count where places[other] <= places[one] {
                let value = SIMD4(repeating: weighted * signs[other])
                let row = (place - Int(places[other])) * Self.halfCells + place
                diagonals[row] += value
                diagonals[row + 1] += value
            }
        }
    }

    /// The response, drawn toward `prior` where the data say little; nil if there is no solution.
    func solve(prior: [Float], strength: Double) -> [Float]? {
        let lags = Self.lags
        var matrix = [Double](repeating: 0, count: lags * lags)
        var trace = 0.0
        for diagonal in 0..<Self.halfCells {
            for row in diagonal * Self.halfCell..<lags {
                let value = diagonals[diagonal * Self.halfCells + row / Self.halfCell][row % Self.halfCell]
                matrix[row * lags + row - diagonal * Self.halfCell] = Double(value)
            }
        }
        for index in 0..<lags { trace += matrix[index * lags + index] }
        let pull = strength * trace / Double(lags)
        let drawn = (0..<lags).map { lag in
            Double(vector[lag / Self.halfCell][lag % Self.halfCell]) + pull * Double(prior[lag])
        }
        return LinearSystem.solved(matrix, drawn, ridge: max(strength, 1e-9))?.map { Float($0) }
    }

    /// The response and the noise as a reading of the whole swipe shows them.
    static func refined(
        _ path: SequenceDetector.Path, _ sampler: CellSampler, _ model: PulseModel, _ noise: Float
    ) -> (model: PulseModel, noise: Float)? {
        var fit = PulseFit()
        var sum: Float = 0
        var total: Float = 0
        for index in path.bits.indices where sampler.widening(at: path.edges[index]) == 0 {
            let window = sampler.window(edge: path.edges[index], cell: path.cells[index])
            let gain = max(path.gains[index], 0.2)
            let expected = model.window(path.patterns[index]).means * (gain * path.signs[index])
            let difference = window - expected
            let squares = (difference * difference).sum() / Float(CellSampler.bins)
            // Cells that do not fit - clicks, wrong bits - teach nothing.
            let trust = sampler.weight(at: path.edges[index]) / (1 + squares / (4 * noise))
            fit.add(path.patterns[index], sign: path.signs[index], window / gain, weight: trust)
            sum += squares * trust
            total += trust
        }
        guard let response = fit.solve(prior: model.response, strength: 0.002) else { return nil }
        return (PulseModel(response: response), min(sum / max(total, 1e-6), mostNoise))
    }

    private static let mostNoise: Float = 0.5
}
