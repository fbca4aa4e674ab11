import StripeSignal

/// The part of a swipe that is worth drawing: the gate lets in what comes before and after the card too, which in a recording is
/// mostly silence.
extension StripeSwipe {
    /// Drawn before and after the card, in cells.
    private static let marginCells = 20.0
    /// Drawn before and after a text that was read. Its own characters alone say where that is: where a run of bits begins, the LRC
    /// behind the text decides, of a backward swipe.
    private static let textMarginCells = 68.0
    /// What is fainter than this part of the swipe's highest is no card.
    private static let loudPart: Float = 0.1

    /// The swipe with the waveform and the reversals round the card; as it is where nothing in it is loud.
    var withoutSilence: StripeSwipe {
        guard var trace, let stretch = cardStretch(trace) else { return self }
        let first = min(max(Int(stretch.lowerBound) - Int(startSample), 0), trace.waveform.count)
        let last = min(max(Int(stretch.upperBound) - Int(startSample), first), trace.waveform.count)
        trace.waveform = Array(trace.waveform[first..<last])
        trace.reversals = trace.reversals.filter { stretch.contains($0.position) }
        var swipe = self
        swipe.startSample = startSample + UInt64(first)
        swipe.trace = trace
        swipe.bitRuns = bitRuns.filter { run in
            run.cellEdges.first.map(stretch.contains) == true
                && run.cellEdges.last.map(stretch.contains) == true
        }
        return swipe
    }

    /// Where the text lies that was read, and how long its cells are on average; nil where none was.
    var textCells: (range: ClosedRange<Double>, mean: Double)? {
        let edges = trace?.characters.flatMap { [$0.lowerBound, $0.upperBound] } ?? []
        guard let first = edges.min(), let last = edges.max(), first < last else { return nil }
        let cells = bitRuns.map { run in run.cellEdges.count { first <= $0 && $0 <= last } - 1 }.max() ?? 0
        return cells > 0 ? (first...last, (last - first) / Double(cells)) : nil
    }

    /// From the first character to the last, with a margin; else from the first loud bit to the last; of loud samples where there are no
    /// bits.
    private func cardStretch(_ trace: StripeTrace) -> ClosedRange<Double>? {
        if let text = textCells {
            let margin = Self.textMarginCells * text.mean
            return text.range.lowerBound - margin...text.range.upperBound + margin
        }
        let loud = trace.waveform.reduce(Float(0)) { max($0, abs($1)) } * Self.loudPart
        let edges = bitRuns.filter { isLoud($0, trace, loud) }.flatMap { run in
            [run.cellEdges.first, run.cellEdges.last].compactMap(\.self)
        }
        let samples = edges.isEmpty ? trace.waveform.indices.filter { abs(trace.waveform[$0]) > loud } : []
        let places =
            (edges + [samples.first, samples.last].compactMap { $0.map { Double($0) + Double(startSample) } }
                + trace.characters.flatMap { [$0.lowerBound, $0.upperBound] }
                + [trace.refusedAt].compactMap(\.self))
        guard let first = places.min(), let last = places.max(), first < last else { return nil }
        let cells = bitRuns.reduce(0) { $0 + $1.bits.count }
        let length = bitRuns.reduce(0) { $0 + (($1.cellEdges.last ?? 0) - ($1.cellEdges.first ?? 0)) }
        let margin = Self.marginCells * (cells > 0 ? length / Double(cells) : (last - first) / 100)
        return first - margin...last + margin
    }

    private func isLoud(_ run: BitRun, _ trace: StripeTrace, _ level: Float) -> Bool {
        guard let first = run.cellEdges.first, let last = run.cellEdges.last else { return false }
        let start = min(max(Int(first) - Int(startSample), 0), trace.waveform.count)
        let end = min(max(Int(last) - Int(startSample), start), trace.waveform.count)
        return trace.waveform[start..<end].contains { abs($0) > level }
    }
}
