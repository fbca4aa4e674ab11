/// Least-squares estimate of the pulse's response from a waveform whose reversals are (thought to be) known.
struct PulseFit {
    private var matrix: [Double]
    private var vector: [Double]
    private let lags = PulseModel.lags

    init() {
        matrix = Array(repeating: 0, count: lags * lags)
        vector = Array(repeating: 0, count: lags)
    }

    /// Adds one cell: its pattern, the sign before it, its window, and how far to trust it.
    mutating func add(_ pattern: UInt16, sign: Float, _ window: SIMD8<Float>, weight: Float) {
        // At most one reversal a half cell: few lags a bin.
        var places: [(base: Int, sign: Double)] = []
        PulseModel.forEachReversal(pattern) { half, direction in
            places.append((-2 - 4 * half - PulseModel.firstLag, Double(direction * sign)))
        }
        let weight = Double(weight)
        for bin in 0..<CellSampler.bins {
            let value = Double(window[bin])
            for one in places {
                let row = one.base + bin
                vector[row] += weight * one.sign * value
                for other in places {
                    matrix[row * lags + other.base + bin] += weight * one.sign * other.sign
                }
            }
        }
    }

    /// The response, drawn toward `prior` where the data say little; nil if there is no solution.
    func solve(prior: [Float], strength: Double) -> [Float]? {
        var trace = 0.0
        for index in 0..<lags { trace += matrix[index * lags + index] }
        let pull = strength * trace / Double(lags)
        let drawn = vector.indices.map { vector[$0] + pull * Double(prior[$0]) }
        return LinearSystem.solved(matrix, drawn, ridge: max(strength, 1e-9))?.map { Float($0) }
    }
}
