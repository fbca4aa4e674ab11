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
        var a = matrix
        var b = vector
        var trace = 0.0
        for index in 0..<lags { trace += a[index * lags + index] }
        let ridge = max(strength * trace / Double(lags), 1e-9)
        for index in 0..<lags {
            a[index * lags + index] += ridge
            b[index] += ridge * Double(prior[index])
        }
        // Cholesky, in place.
        for column in 0..<lags {
            var pivot = a[column * lags + column]
            for k in 0..<column { pivot -= a[column * lags + k] * a[column * lags + k] }
            guard pivot > 0 else { return nil }
            let root = pivot.squareRoot()
            a[column * lags + column] = root
            for row in column + 1..<max(lags, column + 1) {
                var sum = a[row * lags + column]
                for k in 0..<column { sum -= a[row * lags + k] * a[column * lags + k] }
                a[row * lags + column] = sum / root
            }
        }
        for row in 0..<lags {
            for k in 0..<row { b[row] -= a[row * lags + k] * b[k] }
            b[row] /= a[row * lags + row]
        }
        for row in stride(from: lags - 1, through: 0, by: -1) {
            for k in row + 1..<max(lags, row + 1) { b[row] -= a[k * lags + row] * b[k] }
            b[row] /= a[row * lags + row]
        }
        return b.map { Float($0) }
    }
}
