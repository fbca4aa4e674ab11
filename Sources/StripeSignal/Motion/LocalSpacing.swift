/// How long a card's cells are along its way, as the spacing of its pulses shows before any bit is read.
///
/// On the card intervals are one cell or half a cell long, whatever the bits. A course of lengths is looked for by which the intervals
/// round every one are nearest to one of the two, and which changes little:
///
///     cost of a length c     mean of min over part ∈ {1, ½} of ((interval / c - part) / spread)² / 2, and ln c
///     cost of a course       Σ cost of the length at each interval + stiffness · |change of ln c|
///
/// A clock that begins with one interval has that interval's jitter in its speed, and loses its way before it has learned better. One
/// that begins with this length has not.
struct LocalSpacing: Sendable {
    /// In cells.
    let ways: PulseWays

    /// Intervals to each side over which a length is compared.
    private static let reach = 24
    /// Standard deviation of an interval, in cells, and what an interval costs that is neither: a pulse was lost, or is noise.
    private static let spread = 0.12
    private static let mostCost: Float = 4.5
    /// By how much each length that is compared is longer than the one before.
    private static let step = 0.026
    /// In median intervals: the longest is at the slow end of a fast swipe.
    private static let lengths: [Double] = (1..<88).reduce(into: [0.45]) { lengths, _ in
        lengths.append((lengths.last ?? 1) * (1 + step))
    }
    /// The price of a step, and the most of them from one interval to the next.
    private static let stiffness: Float = 0.56
    private static let mostSteps = 2
    /// Lengths are smoothed over so many intervals to each side.
    private static let smoothing = 15

    /// A card has up to 1,420 reversals, and noise round it some; each interval takes half a kilobyte.
    private static let mostIntervals = 5000

    /// Nil where there are too few pulses, and where there are more than a swipe has.
    ///
    /// - Parameter times: of the pulses, in samples, ascending.
    init?(_ times: [Double]) {
        let intervals = zip(times.dropFirst(), times).map { $0 - $1 }
        guard (2 * Self.reach + 1...Self.mostIntervals).contains(intervals.count) else { return nil }
        let usual = intervals.sorted()[intervals.count / 2]
        guard usual > 0 else { return nil }
        let course = Self.course(Self.costs(intervals.map { $0 / usual }))
        let cells = Band.movingAverage(course.map { Float(Self.lengths[$0]) }, width: 2 * Self.smoothing + 1)
        var way = 0.0
        var ways = [way]
        for (interval, cell) in zip(intervals, cells) {
            way += interval / (Double(cell) * usual)
            ways.append(way)
        }
        self.ways = PulseWays(times: times, ways: ways)
    }

    /// What each length costs at each interval: all lengths of the first, then all of the second.
    private static func costs(_ intervals: [Double]) -> [Float] {
        var costs = [Float](repeating: 0, count: intervals.count * lengths.count)
        for (number, length) in lengths.enumerated() {
            let near = Band.movingAverage(intervals.map { cost(of: $0 / length) }, width: 2 * reach + 1)
            let logarithm = Float(number) * Float(step)
            for index in near.indices { costs[index * lengths.count + number] = near[index] + logarithm }
        }
        return costs
    }

    /// - Parameter part: the interval, in cells.
    private static func cost(of part: Double) -> Float {
        let deviation = min(abs(part - 1), abs(part - 0.5)) / spread
        return min(Float(0.5 * deviation * deviation), mostCost)
    }

    /// The lengths' numbers in the cheapest course.
    private static func course(_ costs: [Float]) -> [Int] {
        let count = lengths.count
        // Lengths that there are not stand on both sides, so that none needs to ask for its neighbours.
        var totals = [Float](repeating: .infinity, count: count + 2 * mostSteps)
        for number in 0..<count { totals[number + mostSteps] = costs[number] }
        var next = totals
        var moves = [Int8](repeating: 0, count: costs.count)
        for start in stride(from: count, to: costs.count, by: count) {
            for number in 0..<count {
                var least = Float.infinity
                for move in -mostSteps...mostSteps {
                    let total = totals[number + mostSteps - move] + stiffness * Float(abs(move))
                    if total < least { (least, moves[start + number]) = (total, Int8(move)) }
                }
                next[number + mostSteps] = least + costs[start + number]
            }
            swap(&totals, &next)
        }
        var number = (0..<count).min { totals[$0 + mostSteps] < totals[$1 + mostSteps] } ?? 0
        var course = [number]
        for start in stride(from: costs.count - count, to: 0, by: -count) {
            number -= Int(moves[start + number])
            course.append(number)
        }
        return course.reversed()
    }
}
