/// A step between two stretches of one smooth motion, by least squares: a polynomial in the place, the lateness of one
/// polarity, and the step.
struct StepFit: Sendable {
    /// Orthonormal, one after the other, eight places a vector and zeros behind the last; the last column is the step's,
    /// of which the others explain nothing.
    private var columns: [SIMD8<Double>] = []
    private let count: Int
    private let vectors: Int
    private var width = 0
    private static let lanes = 8
    /// A column of which the others leave less than this part is no column of its own.
    private static let leastPart = 1e-6

    /// Nil where there are too few places to tell a step from a bend.
    ///
    /// - Parameters:
    ///   - places: where values are expected, from -1 to 1, the step at 0.
    ///   - polarity: of each value; empty where it does not matter.
    init?(places: [Double], polarity: [Double], degree: Int) {
        count = places.count
        vectors = (places.count + Self.lanes - 1) / Self.lanes
        guard count > degree + 4, polarity.isEmpty || polarity.count == count else { return nil }
        columns.reserveCapacity(vectors * (degree + 3))
        let place = Self.vectors(places[...], less: 0)
        var power = Self.vectors([Double](repeating: 1, count: count)[...], less: 0)
        for _ in 0...degree {
            guard add(power) else { return nil }
            for index in power.indices { power[index] *= place[index] }
        }
        if !polarity.isEmpty { _ = add(Self.vectors(polarity[...], less: 0)) }
        let step = places.map { $0 < 0 ? -0.5 : 0.5 }
        guard add(Self.vectors(step[...], less: 0)) else { return nil }
    }

    /// How much of the values is a step, and the standard deviation of what nothing explains. Their ratio is the step
    /// in its own standard deviations.
    func fit(_ values: ArraySlice<Double>) -> (step: Double, deviation: Double) {
        guard values.count == count, let shift = values.first else { return (0, 0) }
        let shifted = Self.vectors(values, less: shift)
        var power = 0.0
        for value in shifted { power += Self.total(value * value) }
        var part = 0.0
        for column in 0..<width {
            part = Self.product(columns.span, column * vectors, shifted.span, 0, vectors)
            power -= part * part
        }
        return (part, (max(power, 0) / Double(max(count - width, 1))).squareRoot())
    }

    /// Adds what of the column is at right angles to the others.
    private mutating func add(_ column: [SIMD8<Double>]) -> Bool {
        let first = columns.count
        columns += column
        let before = Self.product(columns.span, first, columns.span, first, vectors)
        for other in 0..<width {
            let base = other * vectors
            let part = Self.product(columns.span, base, columns.span, first, vectors)
            for index in 0..<vectors { columns[first + index] -= columns[base + index] * part }
        }
        let after = Self.product(columns.span, first, columns.span, first, vectors)
        guard after > before * Self.leastPart else {
            columns.removeLast(vectors)
            return false
        }
        let scale = 1 / after.squareRoot()
        for index in first..<columns.count { columns[index] *= scale }
        width += 1
        return true
    }

    private static func vectors(_ values: ArraySlice<Double>, less shift: Double) -> [SIMD8<Double>] {
        stride(from: values.startIndex, to: values.endIndex, by: lanes).map { start in
            var vector = SIMD8<Double>()
            for lane in 0..<min(lanes, values.endIndex - start) {
                vector[lane] = values[start + lane] - shift
            }
            return vector
        }
    }

    /// The product of so many vectors from a place in each on. The caller keeps within both.
    @inline(__always)
    private static func product(
        _ one: Span<SIMD8<Double>>, _ first: Int, _ other: Span<SIMD8<Double>>, _ second: Int, _ count: Int
    ) -> Double {
        var sum = SIMD8<Double>()
        for index in 0..<count { sum += one[unchecked: first &+ index] * other[unchecked: second &+ index] }
        return total(sum)
    }

    /// In pairs: a sum one after the other waits for each addition.
    @inline(__always)
    private static func total(_ vector: SIMD8<Double>) -> Double {
        let four = vector.lowHalf + vector.highHalf
        let two = four.lowHalf + four.highHalf
        return two[0] + two[1]
    }
}
