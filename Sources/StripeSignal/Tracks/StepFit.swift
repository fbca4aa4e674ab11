/// A step between two stretches of one smooth motion, by least squares: a polynomial in the place, the lateness of one
/// polarity, and the step.
struct StepFit: Sendable {
    /// Orthonormal, one after the other; the last is the step's, of which the others explain nothing.
    private var columns: [Double] = []
    /// The same place by place, a lane for each column.
    private var rows: [SIMD8<Double>] = []
    private static let mostColumns = 8
    private let count: Int
    private var width = 0
    /// A column of which the others leave less than this part is no column of its own.
    private static let leastPart = 1e-6

    /// Nil where there are too few places to tell a step from a bend.
    ///
    /// - Parameters:
    ///   - places: where values are expected, from -1 to 1, the step at 0.
    ///   - polarity: of each value; empty where it does not matter.
    init?(places: [Double], polarity: [Double], degree: Int) {
        count = places.count
        guard count > degree + 4 else { return nil }
        columns.reserveCapacity(count * (degree + 3))
        var power = [Double](repeating: 1, count: count)
        for _ in 0...degree {
            guard add(power) else { return nil }
            for index in power.indices { power[index] *= places[index] }
        }
        if !polarity.isEmpty { _ = add(polarity) }
        guard add(places.map { $0 < 0 ? -0.5 : 0.5 }), width <= Self.mostColumns else { return nil }
        rows = (0..<count).map { place in
            var row = SIMD8<Double>()
            for column in 0..<width { row[column] = columns[column * count + place] }
            return row
        }
    }

    /// How much of the values is a step, and the standard deviation of what nothing explains. Their ratio is the step
    /// in its own standard deviations.
    func fit(_ values: ArraySlice<Double>) -> (step: Double, deviation: Double) {
        guard values.count == count, let shift = values.first else { return (0, 0) }
        let first = values.startIndex
        var power = 0.0
        var parts = SIMD8<Double>()
        for index in 0..<count {
            let value = values[first + index] - shift
            power += value * value
            parts += rows[index] * value
        }
        for column in 0..<width { power -= parts[column] * parts[column] }
        let part = parts[width - 1]
        return (part, (max(power, 0) / Double(max(count - width, 1))).squareRoot())
    }

    /// Adds what of the column is at right angles to the others.
    private mutating func add(_ column: [Double]) -> Bool {
        var rest = column
        let before = Self.power(column)
        for other in 0..<width {
            let base = other * count
            var part = 0.0
            for index in 0..<count { part += columns[base + index] * rest[index] }
            for index in 0..<count { rest[index] -= part * columns[base + index] }
        }
        let after = Self.power(rest)
        guard after > before * Self.leastPart else { return false }
        let scale = 1 / after.squareRoot()
        for value in rest { columns.append(value * scale) }
        width += 1
        return true
    }

    private static func power(_ values: [Double]) -> Double { values.reduce(0) { $0 + $1 * $1 } }
}
