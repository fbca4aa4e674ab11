import StripeSignal

/// The whole swipe in one strip: how loud it was, how fast the card went, where the clock was lost, where it failed.
struct DrawnOverview {
    var part: StripeSwipe
    var trace: StripeTrace
    var stretches: DrawnStretches
    var medianCell: Double
    var failure: DrawnFailure?

    private static let height = 90.0
    private static let columns = 600

    /// - Returns: where the next part begins.
    func draw(_ canvas: inout SVGCanvas, top: Double) -> Double {
        let bottom = top + Self.height
        canvas.rectangle(
            "frame", x: DrawingRows.left, y: top, width: DrawingRows.width, height: Self.height)
        for hidden in stretches.hidden(in: whole) {
            canvas.rectangle(
                "hidden", x: x(hidden.lowerBound), y: top, width: x(hidden.upperBound) - x(hidden.lowerBound),
                height: Self.height)
        }
        envelope(&canvas, top, bottom)
        for gap in stretches.withoutClock(part, trace) {
            canvas.rectangle(
                "lost", x: x(gap.lowerBound), y: top, width: x(gap.upperBound) - x(gap.lowerBound),
                height: Self.height)
        }
        speed(&canvas, top, bottom)
        if let failure {
            canvas.rectangle(
                "failed", x: x(failure.range.lowerBound) - 1, y: top,
                width: x(failure.range.upperBound) - x(failure.range.lowerBound) + 2, height: Self.height)
            canvas.words("place", x: x(failure.range.lowerBound), y: top - 3, failure.word)
        }
        canvas.words("speedword", x: DrawingRows.left + 4, y: bottom - 4, "speed")
        return bottom + 34
    }

    private func x(_ sample: Double) -> Double {
        let place = (sample - Double(part.startSample)) / Double(max(trace.waveform.count, 1))
        return DrawingRows.left + min(max(place, 0), 1) * DrawingRows.width
    }

    private var whole: ClosedRange<Double> {
        Double(part.startSample)...Double(part.startSample) + Double(trace.waveform.count)
    }

    private func envelope(_ canvas: inout SVGCanvas, _ top: Double, _ bottom: Double) {
        let columns = min(Self.columns, trace.waveform.count)
        let peak = trace.peak(in: stretches, from: part.startSample)
        let middle = (top + bottom) / 2
        var upper: [(x: Double, y: Double)] = []
        var lower: [(x: Double, y: Double)] = []
        for column in 0..<columns {
            let first = column * trace.waveform.count / columns
            let last = max((column + 1) * trace.waveform.count / columns, first + 1)
            let start = Double(part.startSample)
            guard stretches.contains(start + Double(first)...start + Double(last)) else { continue }
            let piece = trace.waveform[first..<last]
            let x = DrawingRows.left + (Double(column) + 0.5) / Double(columns) * DrawingRows.width
            upper.append((x, middle - Double(piece.max() ?? 0) / peak * (Self.height / 2 - 4)))
            lower.append((x, middle - Double(piece.min() ?? 0) / peak * (Self.height / 2 - 4)))
        }
        canvas.curve("envelope", upper + lower.reversed())
    }

    /// One over the cells' lengths, smoothed over a few cells; the strip's height is twice the median.
    private func speed(_ canvas: inout SVGCanvas, _ top: Double, _ bottom: Double) {
        let reach = 3
        for run in part.bitRuns {
            var points: [(x: Double, y: Double)] = []
            for index in run.cellEdges.indices.dropFirst(reach).dropLast(reach) {
                let (from, to) = (run.cellEdges[index - reach], run.cellEdges[index + reach])
                guard from <= to, stretches.contains(from...to) else {
                    canvas.curve("speed", points)
                    points = []
                    continue
                }
                let cell = (to - from) / Double(2 * reach)
                let relative = min(medianCell / max(cell, 0.01), 2)
                points.append((x(run.cellEdges[index]), bottom - relative / 2 * Self.height))
            }
            canvas.curve("speed", points)
        }
    }
}

extension StripeTrace {
    /// The largest amplitude of what is drawn.
    func peak(in stretches: DrawnStretches, from start: UInt64) -> Double {
        guard !waveform.isEmpty else { return 1 }
        let whole = Double(start)...Double(start) + Double(waveform.count - 1)
        guard let piece = stretches.piece(of: whole) else { return 1 }
        let first = max(Int((piece.lowerBound - Double(start)).rounded(.up)), 0)
        let last = min(Int(piece.upperBound - Double(start)), waveform.count - 1)
        return first <= last ? Double(waveform[first...last].reduce(1) { max($0, abs($1)) }) : 1
    }
}

extension StripeSwipe {
    /// Where no clock ran: before, between and behind the runs of bits.
    func stretchesWithoutClock(_ trace: StripeTrace) -> [ClosedRange<Double>] {
        var gaps: [ClosedRange<Double>] = []
        var from = Double(startSample)
        for run in bitRuns {
            guard let first = run.cellEdges.first, let last = run.cellEdges.last else { continue }
            if first > from { gaps.append(from...first) }
            from = max(from, last)
        }
        let end = Double(startSample) + Double(trace.waveform.count)
        return end > from ? gaps + [from...end] : gaps
    }
}
