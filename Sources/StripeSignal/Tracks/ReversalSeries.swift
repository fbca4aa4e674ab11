/// Flux reversals in the order of time, each with the place on the card where its bit has it.
struct ReversalSeries: Sendable {
    /// In half cells from the beginning of the run.
    private(set) var places: [Int] = []
    private(set) var positions: [Double] = []
    /// ±0.5 by polarity; empty where only edges are kept, which do not alternate.
    private(set) var polarity: [Double] = []

    /// A reversal is a pulse at most so many cells away, and such a part of them must be found.
    private static let reach = 0.25
    private static let leastFound = 0.7

    /// The cells' edges alone: one for each cell.
    init(edgesOf run: IntervalClock.Run) {
        positions = run.edges
        places = run.edges.indices.map { 2 * $0 }
    }

    /// Edges and the middles of ones, of a run whose reversals are pulses.
    init(_ run: IntervalClock.Run) {
        var isPositive = false
        for (cell, edge) in run.edges.enumerated() {
            add(2 * cell, edge, isPositive)
            isPositive.toggle()
            guard Self.isOne(run, cell), cell < run.middles.count else { continue }
            add(2 * cell + 1, edge + Double(run.middles[cell]) * (run.edges[cell + 1] - edge), isPositive)
            isPositive.toggle()
        }
    }

    /// The pulses next to where a run's clock has its reversals; nil where too few are there.
    init?(_ run: IntervalClock.Run, pulses: [Double]) {
        var isPositive = false
        var next = 0
        var expected = 0
        for (cell, edge) in run.edges.enumerated() where cell + 1 < run.edges.count {
            let length = run.edges[cell + 1] - edge
            for half in 0...(Self.isOne(run, cell) ? 1 : 0) {
                let place = edge + Double(half) * length / 2
                expected += 1
                isPositive.toggle()
                while next + 1 < pulses.count, abs(pulses[next + 1] - place) <= abs(pulses[next] - place) {
                    next += 1
                }
                guard next < pulses.count, abs(pulses[next] - place) < Self.reach * length else { continue }
                add(2 * cell + half, pulses[next], isPositive)
            }
        }
        guard Double(places.count) > Self.leastFound * Double(expected) else { return nil }
    }

    var count: Int { places.count }

    /// Of the reversals that are cells' edges; of a run whose reversals are pulses, one for each edge.
    var edgePolarity: [Double] {
        zip(places, polarity).compactMap { $0 & 1 == 0 ? $1 : nil }
    }

    /// The reversals within so many half cells of the gap before `gap`.
    func window(_ gap: Int, halfCells: Int) -> Range<Int> {
        let middle = places[gap - 1] + places[gap]
        var first = gap
        var last = gap
        while first > 0, middle - 2 * places[first - 1] <= 2 * halfCells { first -= 1 }
        while last < count, 2 * places[last] - middle <= 2 * halfCells { last += 1 }
        return first..<last
    }

    /// Mean length of a cell within a window, in samples.
    func cell(_ window: Range<Int>) -> Double {
        let (first, last) = (window.lowerBound, window.upperBound - 1)
        guard last > first, places[last] > places[first] else { return 1 }
        let length = 2 * (positions[last] - positions[first]) / Double(places[last] - places[first])
        return max(length, .leastNormalMagnitude)
    }

    private static func isOne(_ run: IntervalClock.Run, _ cell: Int) -> Bool {
        cell < run.bits.count && cell + 1 < run.edges.count && run.bits[cell] == 1
    }

    private mutating func add(_ place: Int, _ position: Double, _ isPositive: Bool) {
        places.append(place)
        positions.append(position)
        polarity.append(isPositive ? 0.5 : -0.5)
    }
}
