/// Tells a clock that runs through from one that has a seam: where samples are missing, or come twice, or two swipes
/// were spliced, whole characters may be gone, and parity and LRC need not notice.
///
///     reversals   |  | |   |   |  | |    |   |  | |   |   |
///                 one polynomial     ^seam^  the same, and a step
///
/// A hand changes a card's speed, never its place. So the reversals on both sides of every gap are laid on one smooth
/// motion with a step between (``StepFit``); a step of many standard deviations is a seam. It counts for what is left of
/// it without the reversal on either side: one reversal out of its place is no seam.
struct ClockContinuity: Sendable {
    /// How far the motion is followed to each side, and how it may bend there.
    private struct Scale: Sendable {
        var halfCells: Int
        var degree: Int
    }

    /// The longer tell smaller steps, the shorter follow a jerky motion.
    private static let scales = [
        Scale(halfCells: 48, degree: 3), Scale(halfCells: 48, degree: 5), Scale(halfCells: 24, degree: 4),
        Scale(halfCells: 16, degree: 2),
    ]
    /// In standard deviations, one reversal not believed. Jitter alone makes such a step in one swipe of some thousand.
    private static let outlier = 4.6
    /// All reversals believed, if ``sureOutlier`` is left where one is not: a seam within a pulse moves the pulse too.
    private static let plainOutlier = 5.4
    private static let sureOutlier = 3.0
    /// Where the motion bends more than a polynomial does, all steps are large: their median counts then. This is the
    /// standard deviation over the median of a normal distribution.
    private static let deviationOverMedian = 1.483
    /// ... and so does what is left unexplained, against the same at the scale that leaves least.
    private static let usualExcess = 1.2
    /// Where the motion slips and sticks, the shortest scale's usual step says so: a second-degree curve follows a hand.
    /// Steps at the longer ones must be larger then, by as much over this, and at most so much.
    private static let evenSteps = 1.2
    private static let mostSlack = 2.0
    /// In cells: a clock more even than this is thought no more even.
    private static let leastDeviation = 0.005
    /// Steps in the cells' edges that are looked at again with all reversals, and how many of them at most.
    private static let noticed = 2.4
    private static let mostLooks = 6

    private let edges: ReversalSeries
    private let reversals: ReversalSeries
    /// Whether the edges are one for each cell, so that one fit serves all places.
    private let isEven: Bool

    /// Of a run of the interval clock, whose edges and middles are pulses.
    init(_ run: IntervalClock.Run) {
        edges = ReversalSeries(edgesOf: run)
        reversals = ReversalSeries(run)
        isEven = true
    }

    /// Of a run of the sequence detector, whose edges are its clock's, which smears a step: the pulses next to them are
    /// looked at, where there are any.
    init(_ run: IntervalClock.Run, pulses: [Double]) {
        let found = ReversalSeries(run, pulses: pulses)
        edges = found ?? ReversalSeries(edgesOf: run)
        reversals = edges
        isEven = found == nil
    }

    /// The edge at which the clock has a seam; nil where it runs through.
    ///
    /// - Parameters:
    ///   - bits: the record, whose cells must all follow from one another.
    ///   - slow: where the card stuck, which no polynomial follows.
    func seam(in bits: Range<Int>, without slow: SlowStretches? = nil) -> Int? {
        let steps = Self.scales.map { roughSteps(bits, $0) }
        let jitter = steps.filter { !$0.isEmpty }.map { Self.median($0.map(\.deviation)) }.min() ?? 0
        let slips = steps.last.map { Self.usualLead($0) } ?? 1
        let slack = min(max(slips / Self.evenSteps, 1), Self.mostSlack)
        for (scale, steps) in zip(Self.scales, steps) {
            let steps = steps.filter {
                slow?.reach($0.places.upperBound / 2, within: scale.halfCells / 2) != true
            }
            let seam = seam(steps, scale, jitter: max(jitter, Self.leastDeviation), slack: slack)
            if let seam { return seam.places.upperBound / 2 }
        }
        return nil
    }

    private struct Step {
        /// Whose edges the step lies between, in half cells.
        var places: ClosedRange<Int>
        /// In standard deviations, and those in cells.
        var lead: Double
        var deviation: Double
    }

    private func seam(_ steps: [Step], _ scale: Scale, jitter: Double, slack: Double) -> Step? {
        let usual = Self.usualLead(steps)
        let deviation = max(Self.median(steps.map(\.deviation)), Self.leastDeviation)
        let looked = steps.filter { abs($0.lead) > Self.noticed * usual }.sorted {
            abs($0.lead) > abs($1.lead)
        }
        return looked.prefix(Self.mostLooks).first { step in
            gaps(within: step.places).contains { gap in
                guard let found = leads(gap, scale, deviation) else { return false }
                let unit = usual * slack * max(found.deviation / jitter / Self.usualExcess, 1)
                return found.sure > Self.outlier * unit
                    || (found.plain > Self.plainOutlier * unit && found.sure > Self.sureOutlier * unit)
            }
        }
    }

    private static func usualLead(_ steps: [Step]) -> Double {
        max(deviationOverMedian * median(steps.map { abs($0.lead) }), 1)
    }

    /// The step in each cell, by the edges alone.
    private func roughSteps(_ bits: Range<Int>, _ scale: Scale) -> [Step] {
        var common: StepFit?
        var steps: [Step] = []
        for gap in edges.places.indices.dropFirst()
        where edges.places[gap] > 2 * bits.lowerBound && edges.places[gap - 1] < 2 * bits.upperBound {
            let window = edges.window(gap, halfCells: scale.halfCells)
            // With as many edges on both sides, and all of them there, the fit is the same everywhere.
            let isFull = isEven && window.count == scale.halfCells
            if isFull, common == nil { common = fit(edges, gap, window, scale) }
            guard let fit = isFull ? common : fit(edges, gap, window, scale) else { continue }
            let (step, deviation) = fit.fit(edges.positions[window])
            steps.append(
                Step(
                    places: edges.places[gap - 1]...edges.places[gap],
                    lead: step / max(deviation, .leastNormalMagnitude),
                    deviation: deviation / edges.cell(window)))
        }
        // A stretch that is even by chance makes no seam of nothing.
        let usual = max(Self.median(steps.map(\.deviation)), Self.leastDeviation)
        for index in steps.indices where steps[index].deviation < usual {
            steps[index].lead *= steps[index].deviation / usual
        }
        return steps
    }

    /// The step before a reversal in standard deviations, plain and what is left of it without the reversal on either
    /// side, and what the plain fit leaves unexplained, in cells.
    private func leads(_ gap: Int, _ scale: Scale, _ usual: Double) -> (
        plain: Double, sure: Double, deviation: Double
    )? {
        let window = reversals.window(gap, halfCells: scale.halfCells)
        let cell = reversals.cell(window)
        guard let fit = fit(reversals, gap, window, scale) else { return nil }
        let whole = fit.fit(reversals.positions[window])
        let plain = whole.step / max(whole.deviation, usual * cell)
        var sure = abs(plain)
        for left in [gap - 1, gap] {
            guard let fit = self.fit(reversals, gap, window, scale, without: left) else { return nil }
            var positions = Array(reversals.positions[window])
            positions.remove(at: left - window.lowerBound)
            let (step, deviation) = fit.fit(positions[...])
            let lead = step / max(deviation, usual * cell)
            sure = lead * plain > 0 ? min(sure, abs(lead)) : 0
        }
        return (abs(plain), sure, whole.deviation / cell)
    }

    private func gaps(within places: ClosedRange<Int>) -> [Int] {
        guard let first = reversals.places.firstIndex(where: { $0 > places.lowerBound }), first > 0 else {
            return []
        }
        return (first..<reversals.count).prefix { reversals.places[$0] <= places.upperBound }
    }

    private func fit(
        _ series: ReversalSeries, _ gap: Int, _ window: Range<Int>, _ scale: Scale, without left: Int? = nil
    ) -> StepFit? {
        // Each side must say more than the step does.
        guard gap - window.lowerBound >= scale.degree + 2, window.upperBound - gap >= scale.degree + 2 else {
            return nil
        }
        let middle = Double(series.places[gap - 1] + series.places[gap]) / 2
        let kept = window.filter { $0 != left }
        return StepFit(
            places: kept.map { (Double(series.places[$0]) - middle) / Double(scale.halfCells) },
            polarity: series.polarity.isEmpty ? [] : kept.map { series.polarity[$0] }, degree: scale.degree)
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }
}
