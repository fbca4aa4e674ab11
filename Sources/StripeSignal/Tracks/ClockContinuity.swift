/// Tells a clock that runs through from one that has a seam: where samples are missing, or come twice, or two swipes
/// were spliced, whole characters may be gone, and parity and LRC need not notice.
///
///     edges   |   |   |   |   |    |   |   |   |   |
///                 left side   ^seam^   right side
///
/// A hand changes a card's speed, never its place. So the edges on both sides of a cell are laid on two lines of one
/// slope; the step between the lines, less the one cell that belongs there, is what is missing. It counts only if it
/// is still there without the edge beside the seam: one reversal out of its place is no seam.
struct ClockContinuity: Sendable {
    /// Positions of the cells' edges.
    var edges: [Double]

    /// Edges on each side. Many tell a small step under jitter, few one in a jerky motion.
    private static let sides = [2, 4, 8]
    /// Steps round this many cells tell how far a step strays by itself.
    private static let neighbourhood = 32
    /// In standard deviations of the steps round it: jitter alone makes such a step in one swipe of 2,000.
    private static let outlier = 5.0
    /// Part of the steps from which their deviation is taken, and a normal distribution's over that of this part.
    private static let nearerPart = 0.85
    private static let wholeOverNearer = 1.39
    /// In cells: less than this is no step, however even the clock.
    private static let leastStep = 0.05

    /// - Parameter bits: the record, whose cells must all follow from one another.
    func isUnbroken(_ bits: Range<Int>) -> Bool {
        !Self.sides.contains { hasSeam(bits, side: $0) }
    }

    private func hasSeam(_ bits: Range<Int>, side: Int) -> Bool {
        let cells = bits.clamped(to: side + 1..<max(side + 1, edges.count - side - 2))
        guard cells.count > 2 * side + 4 else { return false }
        let steps = cells.map { sureStep(at: $0, side) }
        guard let most = steps.indices.max(by: { steps[$0] < steps[$1] }), steps[most] > Self.leastStep else {
            return false
        }
        // A seam is seen from every cell whose sides reach over it.
        let others = steps.indices.filter { abs($0 - most) > side + 1 }
        let near = others.filter { abs($0 - most) <= Self.neighbourhood }
        let plain = cells.map { step($0, $0 + 1, side) }
        let usual = max(deviation(plain, others), deviation(plain, near))
        return steps[most] > Self.outlier * usual
    }

    /// The standard deviation of the nearer ones: other seams must not hide this one.
    private func deviation(_ steps: [Double], _ indices: [Int]) -> Double {
        let squares = indices.map { steps[$0] * steps[$0] }.sorted()
        let nearer = squares.prefix(Int(Double(squares.count) * Self.nearerPart))
        guard !nearer.isEmpty else { return .infinity }
        return Self.wholeOverNearer * (nearer.reduce(0, +) / Double(nearer.count)).squareRoot()
    }

    /// In cells, of what sign does not matter: the least that is left where one edge is not believed.
    private func sureStep(at cell: Int, _ side: Int) -> Double {
        let steps = [
            step(cell, cell + 1, side), step(cell - 1, cell + 1, side), step(cell, cell + 2, side),
        ]
        guard steps.allSatisfy({ $0 > 0 }) || steps.allSatisfy({ $0 < 0 }) else { return 0 }
        return steps.reduce(.infinity) { min($0, abs($1)) }
    }

    /// The step between `side` edges up to `left` and as many from `right` on.
    private func step(_ left: Int, _ right: Int, _ side: Int) -> Double {
        let middle = Double(side - 1) / 2
        var (leftMean, rightMean, moment, inertia) = (0.0, 0.0, 0.0, 0.0)
        for offset in 0..<side {
            let arm = Double(offset) - middle
            let (before, after) = (edges[left - side + 1 + offset], edges[right + offset])
            leftMean += before
            rightMean += after
            moment += arm * (before + after)
            inertia += 2 * arm * arm
        }
        let slope = moment / inertia
        guard slope > 0 else { return 0 }
        let distance = Double(right - left + side - 1)
        return (rightMean - leftMean) / Double(side) / slope - distance
    }
}
