/// Solves symmetric positive systems by Cholesky's method.
enum LinearSystem {
    /// - Parameters:
    ///   - matrix: row by row; only the lower triangle is read.
    ///   - ridge: added to the diagonal, as a part of its mean.
    /// - Returns: nil where the matrix is not positive.
    static func solved(_ matrix: [Double], _ vector: [Double], ridge: Double) -> [Double]? {
        var a = matrix
        var b = vector
        let size = b.count
        var trace = 0.0
        for index in 0..<size { trace += a[index * size + index] }
        let added = ridge * trace / Double(max(size, 1))
        for column in 0..<size {
            var pivot = a[column * size + column] + added
            for k in 0..<column { pivot -= a[column * size + k] * a[column * size + k] }
            guard pivot > 0 else { return nil }
            let root = pivot.squareRoot()
            a[column * size + column] = root
            for row in (column + 1)..<max(size, column + 1) {
                var sum = a[row * size + column]
                for k in 0..<column { sum -= a[row * size + k] * a[column * size + k] }
                a[row * size + column] = sum / root
            }
        }
        for row in 0..<size {
            for k in 0..<row { b[row] -= a[row * size + k] * b[k] }
            b[row] /= a[row * size + row]
        }
        for row in stride(from: size - 1, through: 0, by: -1) {
            for k in (row + 1)..<max(size, row + 1) { b[row] -= a[k * size + row] * b[k] }
            b[row] /= a[row * size + row]
        }
        return b
    }
}
