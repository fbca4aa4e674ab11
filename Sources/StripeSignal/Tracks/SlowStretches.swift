/// Where a card stuck for some millimetres and came loose again:
///
///     cells     | | | |  |   |    |   |  | | | |
///     pulses    high     low      low      high
///
/// A step in the clock there is the hand's and no seam. What is induced is proportional to the speed: where samples are
/// missing, or come twice, the pulses stay as high as they were.
struct SlowStretches: Sendable {
    /// In cells' edges.
    private(set) var stretches: [ClosedRange<Int>] = []

    /// Cells to each side of which the median is the usual one.
    private static let around = 64
    /// A slow cell is so much longer than usual, its pulses so much lower, and one over the other is about one.
    private static let leastLength = 1.4
    private static let mostHeight = 0.85
    private static let agreement = 0.5...2.0
    /// Fewer slow cells in a row are jitter.
    private static let fewest = 3
    /// Jitter and pulses that overlap spare a cell within the stretch.
    private static let mostBetween = 2
    /// Over this part of a cell the signal is smoothed before it is asked whether it turns back: by more than so many standard
    /// deviations of the noise that is left then, and than this part of the way from pulse to pulse.
    private static let smoothed = 0.2
    private static let mostNoise: Float = 6
    private static let leastTurn: Float = 0.2
    /// Cells to each side of a stop.
    private static let joined = 8
    /// A cell near a stop is so much longer than usual.
    private static let stopLength = 1.1

    /// - Parameters:
    ///   - signal: the swipe's, in the order of the run.
    ///   - noise: its power in the signal.
    ///   - join: where it stopped, in samples.
    init(_ run: IntervalClock.Run, in signal: [Float], noise: Float, join: ClosedRange<Double>? = nil) {
        guard run.edges.count > 2 * Self.fewest else { return }
        let lengths = zip(run.edges, run.edges.dropFirst()).map { $1 - $0 }
        let heights = lengths.indices.map { Self.height(run.edges[$0], run.edges[$0 + 1], signal) }
        var found: ClosedRange<Int>?
        for cell in lengths.indices where Self.isSlow(cell, lengths, heights) {
            if let last = found, cell - last.upperBound <= Self.mostBetween + 1 {
                found = last.lowerBound...cell
            } else {
                keep(found, run.edges, signal, noise)
                found = cell...cell
            }
        }
        keep(found, run.edges, signal, noise)
        if let join { stretches.append(Self.stop(join, run.edges, lengths)) }
    }

    /// Whether a motion that is followed over so many cells to each side of an edge leads through such a stretch.
    func reach(_ edge: Int, within cells: Int) -> Bool {
        stretches.contains { $0.lowerBound - cells <= edge && edge <= $0.upperBound + cells }
    }

    /// From where the hand slowed down for a stop to where it was as fast as usual again.
    private static func stop(_ join: ClosedRange<Double>, _ edges: [Double], _ lengths: [Double])
        -> ClosedRange<Int>
    {
        let usual = median(lengths[...]) * stopLength
        let first = edges.lastIndex { $0 <= join.lowerBound } ?? 0
        let last = edges.firstIndex { $0 >= join.upperBound } ?? edges.count
        let before = lengths[..<min(first, lengths.count)].lastIndex { $0 < usual } ?? 0
        let after = lengths[min(last, lengths.count)...].firstIndex { $0 < usual } ?? lengths.count
        return before - joined...after + joined
    }

    /// The flanks, where the speed begins to fall, are about as long again.
    private mutating func keep(
        _ found: ClosedRange<Int>?, _ edges: [Double], _ signal: [Float], _ noise: Float
    ) {
        guard let found, found.count >= Self.fewest,
            !found.contains(where: { Self.hidesReversals(edges[$0]...edges[$0 + 1], signal, noise) })
        else { return }
        let flank = found.count / 2 + 1
        stretches.append(found.lowerBound - flank...found.upperBound + 1 + flank)
    }

    private static func isSlow(_ cell: Int, _ lengths: [Double], _ heights: [Double]) -> Bool {
        let near = max(cell - around, 0)..<min(cell + around + 1, lengths.count)
        // Most cells are not looked at twice: those of some length only.
        let mean = lengths[near].reduce(0, +) / Double(near.count)
        guard lengths[cell] > mean else { return false }
        let length = lengths[cell] / max(median(lengths[near]), .leastNormalMagnitude)
        let height = heights[cell] / max(median(heights[near]), .leastNormalMagnitude)
        return length >= leastLength && height <= mostHeight && agreement.contains(length * height)
    }

    /// Whether the signal turns back within a cell and through zero, by more than noise does. The pulses of a slow card are wide, and between
    /// them it does not. Under a lifted head some are too faint to be found, and those that are found look like a slow card's.
    private static func hidesReversals(_ cell: ClosedRange<Double>, _ signal: [Float], _ noise: Float) -> Bool
    {
        let width = max(Int((cell.upperBound - cell.lowerBound) * smoothed), 1)
        let (first, last) = (Int(cell.lowerBound.rounded()), Int(cell.upperBound.rounded()))
        guard first >= 0, first < last, last < signal.count else { return false }
        let smooth = Band.movingAverage(Array(signal[first...last]), width: width)
        guard let back = TurnBack(smooth[...]) else { return false }
        return back.pair > max(leastTurn * back.swing, mostNoise * (noise / Float(width)).squareRoot())
    }

    private static func height(_ start: Double, _ end: Double, _ signal: [Float]) -> Double {
        let first = min(max(Int(start), 0), signal.count)
        let last = min(max(Int(end) + 1, first), signal.count)
        return Double(signal[first..<last].reduce(0) { max($0, abs($1)) })
    }

    private static func median(_ values: ArraySlice<Double>) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }
}
