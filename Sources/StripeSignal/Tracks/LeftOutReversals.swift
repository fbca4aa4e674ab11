/// Finds a cell in which a reading left out reversals that are the card's.
///
///     pulses      |    |    |    |    |
///     read as     |____________ 0 ____|
///
/// A click, ripples of noise or a foot of a pulse make pairs of pulses that are not the card's: faint ones, close to others, or
/// of one sign. A pair that is as high as the card's own and as far from all others is of the card: a clock that leaves it out has lost the
/// cells.
struct LeftOutReversals {
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
                && isLeftOut(from: run.edges[cell], to: run.edges[cell + 1], own: Int(run.bits[cell]))
        }
    }

    private func isLeftOut(from start: Double, to end: Double, own: Int) -> Bool {
        let (first, last) = (nearest(to: start), nearest(to: end))
        guard last - first > own + 1 else { return false }
        let cell = pulses[first...last]
        let lower = min(abs(pulses[first].amplitude), abs(pulses[last].amplitude))
        return cell.allSatisfy { abs($0.amplitude) >= Self.least * lower }
            && zip(cell, cell.dropFirst()).allSatisfy {
                $1.position - $0.position >= Self.nearest * (end - start)
                    && ($0.amplitude < 0) != ($1.amplitude < 0)
            }
    }

    /// An edge is a pulse, or lies beside it where one sign comes late.
    private func nearest(to edge: Double) -> Int {
        var (low, high) = (0, pulses.count - 1)
        while high - low > 1 {
            let middle = (low + high) / 2
            if pulses[middle].position <= edge { low = middle } else { high = middle }
        }
        return edge - pulses[low].position < pulses[high].position - edge ? low : high
    }
}
