/// Finds a cell in which a reading passed by reversals that are the card's.
///
///     pulses      |    |    |    |    |
///     read as     |____________ 0 ____|
///
/// A click, ripples of noise or a foot of a pulse make pairs of pulses that are not the card's: faint ones, or close to others. A
/// pair that is as high as the card's own and stands as far from all others as these do is of the card. A clock that passes it by has lost the cells.
struct PassedReversals {
    /// In parts of the cell: the card's reversals are no nearer.
    private static let nearest = 0.2
    /// In parts of the lower one of the cell's edges.
    private static let least: Float = 0.6

    private let pulses: [FluxReversal]

    /// - Parameter pulses: all that were found, in the order of time.
    init(_ pulses: [FluxReversal]) { self.pulses = pulses }

    /// The first such cell of a stretch of the run.
    func cell(of run: IntervalClock.Run, in place: Range<Int>) -> Int? {
        guard !pulses.isEmpty else { return nil }
        return place.clamped(to: run.isCrowded.indices).first { cell in
            run.isCrowded[cell] && cell + 1 < run.edges.count
                && isPassedBy(from: run.edges[cell], to: run.edges[cell + 1], own: Int(run.bits[cell]))
        }
    }

    private func isPassedBy(from start: Double, to end: Double, own: Int) -> Bool {
        let (length, slack) = (end - start, (end - start) / 100)
        guard let first = pulses.firstIndex(where: { $0.position > start - slack }),
            let last = pulses.firstIndex(where: { $0.position > end - slack }), last - first > own + 1
        else { return false }
        let cell = pulses[first...last]
        let lower = min(abs(pulses[first].amplitude), abs(pulses[last].amplitude))
        return cell.allSatisfy { abs($0.amplitude) >= Self.least * lower }
            && zip(cell, cell.dropFirst()).allSatisfy { $1.position - $0.position >= Self.nearest * length }
    }
}
