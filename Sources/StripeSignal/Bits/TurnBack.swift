/// How far a signal turns back on its way from one pulse to the next:
///
///     from pulse \
///                 \    /\  top
///     to pulse     \__/  \
///                 bottom  \
///
/// A zero is the way from one pulse to the next, and nothing else. What turns back in it is noise, ringing, what a capacitor makes of a
/// pulse's foot, or reversals that were not found.
struct TurnBack: Sendable {
    /// The largest step against the way.
    let turn: Float
    /// The way itself, from pulse to pulse.
    let swing: Float
    /// Twice the lesser of what the step's two ends lie on the far sides of zero; 0 where both are on one side, as behind a capacitor.
    let pair: Float

    /// - Parameter cell: its samples, with both pulses' own; nil where they are too few.
    init?(_ cell: ArraySlice<Float>) {
        guard cell.count > 2 else { return nil }
        var (first, last) = (cell.startIndex, cell.endIndex - 1)
        let sign: Float = cell[last] < cell[first] ? -1 : 1
        // Where a clock has moved the edges, the pulses lie within the cell.
        while first + 1 < last, cell[first + 1] * sign < cell[first] * sign { first += 1 }
        while last - 1 > first, cell[last - 1] * sign > cell[last] * sign { last -= 1 }
        var furthest = cell[first] * sign
        var step = (from: furthest, to: furthest)
        for sample in cell[first...last] {
            furthest = max(furthest, sample * sign)
            if furthest - sample * sign > step.from - step.to { step = (furthest, sample * sign) }
        }
        turn = step.from - step.to
        pair = 2 * max(min(step.from, -step.to), 0)
        swing = abs(cell[last] - cell[first])
    }

    /// - Parameters:
    ///   - signal: in which the cell lies.
    ///   - start: the cell's first edge, in samples.
    ///   - end: its last.
    init?(in signal: [Float], from start: Double, to end: Double) {
        let first = Int(start.rounded())
        let last = Int(end.rounded())
        guard first >= 0, first < last, last < signal.count else { return nil }
        self.init(signal[first...last])
    }

    /// The turn in parts of the way.
    var part: Float { turn / max(swing, .leastNormalMagnitude) }
}
