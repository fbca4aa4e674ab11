/// The pulses of a card that stood still or turned back on its way, with the gaps in which it may have done so:
///
///     pulses    | | | |  |    |                 |    |  | | | |
///     heights   8 8 8 7  5    2      a gap      2    5  7 8 8 8
///
/// What is induced is proportional to the speed, so that pulses get lower and rarer towards a stop, and only what passes
/// within hundredths of a millimetre of it is lost.
struct StoppedCard: Sendable {
    let pulses: [FluxReversal]
    /// Of each pulse, in samples at the usual speed, if the card never turned; see ``HeardSpeed``.
    let ways: [Double]
    /// A cell, in samples at the usual speed.
    let cell: Double
    /// The height of a pulse at the usual speed.
    let usual: Float
    /// The first pulses after gaps in which the card may have stood, by the places where it got slow and fast again.
    let valleys: [[Int]]

    /// Of the usual height: what is fainter is noise, or what a filter makes of a pulse that broke off.
    private static let leastHeight: Float = 0.04
    /// So many cells of time without a pulse are a gap.
    private static let leastGap = 2.5
    /// Both pulses next to a gap are lower than this, of the usual height: at the card's ends they are not.
    private static let slow: Float = 0.6
    private static let mostGaps = 24
    /// Between two places where the card was slow it was so much faster than there.
    private static let faster: Float = 1.7
    /// Cells over which a pulse's level is measured, to each side.
    private static let reach = 1.5

    /// Nil where the card did not stand.
    ///
    /// - Parameters:
    ///   - signal: without baseline.
    ///   - cell: in samples, where the card moved at its usual speed.
    ///   - usual: the height of its pulses there.
    init?(in signal: [Float], cell: Double, usual: Float) {
        let finder = PulseFinder(
            turn: 0.3, reach: max(Int(cell * Self.reach), 4), takesFainterSide: true,
            least: Self.leastHeight * usual)
        self.init(
            finder.pulses(in: signal).filter { abs($0.amplitude) >= Self.leastHeight * usual }, cell: cell,
            usual: usual)
    }

    init?(_ pulses: [FluxReversal], cell: Double, usual: Float) {
        guard pulses.count > SwipeReader.shortestRun else { return nil }
        func time(_ pulse: Int) -> Double { pulses[pulse].position - pulses[pulse - 1].position }
        let heights = pulses.map { abs($0.amplitude) }
        let gaps = pulses.indices.dropFirst().filter {
            time($0) > Self.leastGap * cell && max(heights[$0 - 1], heights[$0]) < Self.slow * usual
        }
        guard !gaps.isEmpty, gaps.count <= Self.mostGaps else { return nil }
        valleys = Self.valleys(gaps, heights)
        ways = HeardSpeed(pulses, usual: Double(usual), slowest: Double(Self.leastHeight)).ways.ways
        self.pulses = pulses
        self.cell = cell
        self.usual = usual
    }

    /// Gaps without a faster stretch between them are of one place.
    private static func valleys(_ gaps: [Int], _ heights: [Float]) -> [[Int]] {
        var valleys: [[Int]] = []
        var lowest: Float = 0
        for gap in gaps {
            let low = min(heights[gap - 1], heights[gap])
            if let last = valleys.last?.last,
                (heights[last..<gap].max() ?? 0) < faster * max(lowest, low)
            {
                valleys[valleys.count - 1].append(gap)
                lowest = min(lowest, low)
            } else {
                valleys.append([gap])
                lowest = low
            }
        }
        return valleys
    }
}
