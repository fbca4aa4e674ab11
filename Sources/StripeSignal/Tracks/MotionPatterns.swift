/// Looks in the places of a record's cells for what a corruption leaves over *many* of them, each too small to be seen
/// in one place:
///
///     bend        ________/              the speed changes at once: a stretch turned round, or from elsewhere
///     block       ____------____         a stretch that came too early or too late
///     exchange    ____---   ____         two stretches in each other's place
///                        ---
///
/// A hand changes a card's speed, and needs time for it. The stretches of the last two are whole characters: others break parity. Each pattern is laid on the cells' edges at
/// every place of the record, less what a smooth motion explains of it, and of edges that stand out alone nothing is
/// believed. Where the motion itself is uneven, all leads of a pattern are large: their median counts then.
struct MotionPatterns: Sendable {
    /// What is looked for.
    enum Kind: Sendable, CaseIterable {
        case bend, block, exchange
    }

    private var edges: [Double] = []
    /// Standard deviation of an edge's place, in cells.
    private var jitter = 0.0

    /// In cells: a clock more even than this is thought no more even.
    private static let leastJitter = 0.005
    /// Standard deviation over the median of a normal distribution.
    private static let deviationOverMedian = 1.483

    /// - Parameter run: of the interval clock, whose edges are pulses.
    init(_ run: IntervalClock.Run) {
        let series = ReversalSeries(run)
        var cleaner = EdgeCleaner(edges: run.edges)
        guard cleaner.count > 0 else { return }
        cleaner.straighten(by: series.edgePolarity)
        jitter = max(cleaner.clean(), Self.leastJitter)
        edges = cleaner.edges
    }

    /// The edge at which the record has a pattern that jitter does not make; nil where it has none.
    ///
    /// - Parameters:
    ///   - width: bits of a character.
    ///   - slow: where the card stuck, which is no smooth motion.
    func seam(in bits: Range<Int>, width: Int, without slow: SlowStretches? = nil) -> Int? {
        for kind in Kind.allCases {
            let found = largestLead(kind, in: bits, width: width, without: slow)
            if found.lead > Self.leastLead(kind) { return found.edge }
        }
        return nil
    }

    /// In standard deviations: more than any swipe without a seam was seen to have, stick-slip and lifted heads too.
    private static func leastLead(_ kind: Kind) -> Double {
        switch kind {
        case .bend: 7.5
        case .block, .exchange: 6.5
        }
    }

    /// The largest lead of a pattern of this kind over the record, in standard deviations, and its place.
    func largestLead(
        _ kind: Kind, in bits: Range<Int>, width: Int, without slow: SlowStretches? = nil
    ) -> (lead: Double, edge: Int) {
        MotionPattern.all(kind, width: width).reduce((0, bits.lowerBound)) {
            let found = largestLead($1, in: bits, slow)
            return found.lead > $0.lead ? found : $0
        }
    }

    private func largestLead(
        _ pattern: MotionPattern, in bits: Range<Int>, _ slow: SlowStretches?
    ) -> (lead: Double, edge: Int) {
        let count = pattern.weights.count
        let first = max(bits.lowerBound - pattern.place, 0)
        let last = min(bits.upperBound - pattern.place, edges.count - count)
        guard first <= last else { return (0, bits.lowerBound) }
        var leads: [Double] = []
        leads.reserveCapacity(last - first + 1)
        for start in first...last {
            let cell = (edges[start + count - 1] - edges[start]) / Double(count - 1)
            leads.append(abs(pattern.product(edges, at: start)) / max(cell * jitter, .leastNormalMagnitude))
        }
        let usual = max(Self.deviationOverMedian * Self.median(leads), 1)
        var largest = (lead: 0.0, edge: bits.lowerBound)
        for (offset, lead) in leads.enumerated() where lead > Self.noticed * usual {
            let start = first + offset
            guard slow?.reach(start + count / 2, within: count / 2) != true else { continue }
            let cell = (edges[start + count - 1] - edges[start]) / Double(count - 1)
            let deviation = pattern.unexplained(edges, at: start) / max(cell * jitter, .leastNormalMagnitude)
            // Where more is unexplained than elsewhere, a lifted head or a jerk is likelier than a seam.
            let sure = lead / usual / max(deviation * deviation, 1)
            if sure > largest.lead { largest = (sure, start + pattern.place) }
        }
        return largest
    }

    /// Leads that are looked at again, with what no motion explains of the stretch round them.
    private static let noticed = 3.0

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }
}

/// Displacements of some edges in a row, less every smooth motion, of power one.
struct MotionPattern: Sendable {
    private(set) var weights: [Double]
    /// Smooth motions, of power one each and at right angles.
    private let motions: [[Double]]
    /// Which of the edges must be the record's.
    private(set) var place: Int

    /// How far a bend is seen from, in cells, and how a smooth motion may bend there.
    private static let bendScales = [(cells: 8, degree: 2), (cells: 16, degree: 4), (cells: 24, degree: 5)]
    /// Stretches of so many characters, and the cells on both sides of them.
    private static let characters = [1, 2, 3, 4, 6, 8]
    private static let around = 14
    private static let blockDegree = 5

    static func all(_ kind: MotionPatterns.Kind, width: Int) -> [MotionPattern] {
        switch kind {
        case .bend:
            bendScales.compactMap { scale in
                MotionPattern(count: 2 * scale.cells, degree: scale.degree, place: scale.cells) {
                    abs(Double($0 - scale.cells) + 0.5)
                }
            }
        case .block:
            characters.compactMap { number in
                let length = number * width
                let side = max(around, length / 2)
                return MotionPattern(count: length + 2 * side, degree: blockDegree, place: side + length / 2)
                {
                    (side..<side + length).contains($0) ? 1 : 0
                }
            }
        case .exchange:
            characters.compactMap { number in
                let length = number * width
                let side = max(around, length / 2)
                return MotionPattern(count: 2 * (length + side), degree: blockDegree, place: side + length) {
                    let inside = $0 - side
                    return inside < 0 || inside >= 2 * length ? 0 : inside < length ? 1 : -1
                }
            }
        }
    }

    /// Nil where a smooth motion explains the pattern.
    private init?(count: Int, degree: Int, place: Int, _ value: (Int) -> Double) {
        var columns: [[Double]] = []
        func rest(of column: [Double]) -> [Double]? {
            var rest = column
            for other in columns {
                let part = zip(other, rest).reduce(0) { $0 + $1.0 * $1.1 }
                for index in rest.indices { rest[index] -= part * other[index] }
            }
            let power = rest.reduce(0) { $0 + $1 * $1 }
            guard power > 1e-9 else { return nil }
            let scale = 1 / power.squareRoot()
            return rest.map { $0 * scale }
        }
        let places = (0..<count).map { 2 * Double($0) / Double(max(count - 1, 1)) - 1 }
        var power = [Double](repeating: 1, count: count)
        for _ in 0...degree {
            if let column = rest(of: power) { columns.append(column) }
            for index in power.indices { power[index] *= places[index] }
        }
        guard let rest = rest(of: (0..<count).map(value)) else { return nil }
        weights = rest
        motions = columns
        self.place = place
    }

    /// The standard deviation of what neither a smooth motion nor the pattern explains.
    func unexplained(_ edges: [Double], at start: Int) -> Double {
        let shift = edges[start]
        var power = 0.0
        for index in weights.indices {
            let value = edges[start + index] - shift
            power += value * value
        }
        for column in motions + [weights] {
            var part = 0.0
            for index in column.indices { part += column[index] * (edges[start + index] - shift) }
            power -= part * part
        }
        return (max(power, 0) / Double(max(weights.count - motions.count - 1, 1))).squareRoot()
    }

    /// The caller keeps within the edges.
    @inline(__always)
    func product(_ edges: [Double], at start: Int) -> Double {
        // Four sums, or each addition waits for the one before.
        var sums = SIMD4<Double>.zero
        var index = 0
        while index + 4 <= weights.count {
            let left = SIMD4(
                weights[index], weights[index + 1], weights[index + 2], weights[index + 3])
            let place = start + index
            sums += left * SIMD4(edges[place], edges[place + 1], edges[place + 2], edges[place + 3])
            index += 4
        }
        var sum = sums.sum()
        while index < weights.count {
            sum += weights[index] * edges[start + index]
            index += 1
        }
        return sum
    }
}

/// Takes out of the cells' edges what is no motion: the lateness of one polarity, and edges that stand out alone.
struct EdgeCleaner: Sendable {
    private(set) var edges: [Double]
    /// How many of them were found to stand out alone.
    private(set) var moved = 0
    /// A parabola through nine edges, at the one in the middle (Savitzky and Golay).
    private static let smooth = [-21.0, 14, 39, 54, 59, 54, 39, 14, -21].map { $0 / 231 }
    private static let side = 4
    /// In standard deviations.
    private static let alone = 3.0
    /// One edge of so many, and no more, is moved.
    private static let mostPart = 12
    /// ... and no more than this in all, which is more than a card's 710 cells give: sound without a card has twenty times
    /// as many edges, and every move looks at all of them.
    static let mostMoved = 128
    /// Standard deviation over the median of a normal distribution.
    private static let deviationOverMedian = 1.483

    init(edges: [Double]) { self.edges = edges }

    /// Edges that have neighbours enough.
    var count: Int { max(edges.count - 2 * Self.side, 0) }

    /// How far an edge is from where its neighbours have it.
    private func deviation(_ index: Int) -> Double {
        var smooth = 0.0
        for offset in Self.smooth.indices {
            smooth += Self.smooth[offset] * edges[index - Self.side + offset]
        }
        return (edges[index] - smooth) / (1 - Self.smooth[Self.side])
    }

    private func cell(_ index: Int) -> Double {
        max(
            (edges[index + Self.side] - edges[index - Self.side]) / Double(2 * Self.side),
            .leastNormalMagnitude)
    }

    private var places: Range<Int> { Self.side..<Self.side + count }

    /// - Parameter polarity: ±0.5 for each edge.
    mutating func straighten(by polarity: [Double]) {
        guard polarity.count >= edges.count else { return }
        var product = 0.0
        var power = 0.0
        for index in places {
            // What the neighbours' polarity makes of the deviation counts too.
            var smooth = 0.0
            for offset in Self.smooth.indices {
                smooth += Self.smooth[offset] * polarity[index - Self.side + offset]
            }
            let column = (polarity[index] - smooth) / (1 - Self.smooth[Self.side])
            product += column * deviation(index)
            power += column * column
        }
        guard power > 0 else { return }
        for index in edges.indices { edges[index] -= product / power * polarity[index] }
    }

    /// Moves edges that stand out alone to where their neighbours have them, the farthest first.
    ///
    /// - Returns: the standard deviation of an edge, in cells.
    mutating func clean() -> Double {
        var deviations = places.map { deviation($0) / cell($0) }
        let sorted = deviations.map { abs($0) }.sorted()
        let usual = Self.deviationOverMedian * sorted[sorted.count / 2]
        for _ in 0..<min(max(deviations.count / Self.mostPart, 1), Self.mostMoved) {
            guard let worst = deviations.indices.max(by: { abs(deviations[$0]) < abs(deviations[$1]) }),
                abs(deviations[worst]) > Self.alone * usual
            else { break }
            moved += 1
            edges[worst + Self.side] -= deviations[worst] * cell(worst + Self.side)
            for near in max(worst - Self.side, 0)...min(worst + Self.side, deviations.count - 1) {
                deviations[near] = deviation(near + Self.side) / cell(near + Self.side)
            }
        }
        // An edge's own part of what its neighbours say was taken out.
        return usual * (1 - Self.smooth[Self.side]).squareRoot()
    }
}
