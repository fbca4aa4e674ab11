import CardData
import StripeSignal

/// A swipe for eyes, as SVG: what came of it, the whole of it at a glance, then row by row the waveform, flux
/// reversals, cells, bits and characters, and where the reading failed.
///
/// Until card data is revealed, characters are masked, no bits are written, and nothing is drawn from which hidden characters
/// could be computed (``DrawnStretches``). With it the drawing is as secret as the recording. Its file is readable by its owner only.
struct SwipeDrawing {
    private let swipe: RecordedSwipe
    private let reveals: Bool
    private let name: String
    private let formats: [StripeFormat]

    init(_ swipe: RecordedSwipe, name: String, formats: [StripeFormat], reveals: Bool) {
        self.swipe = swipe
        self.name = name
        self.formats = formats
        self.reveals = reveals
    }

    func write(to path: String) throws(SoundError) {
        try DrawingFile.write(svg(), to: path, isSecret: reveals)
    }

    func svg() -> String {
        var canvas = SVGCanvas()
        guard let part = swipe.parts.first?.withoutSilence, let trace = part.trace, !trace.waveform.isEmpty
        else {
            canvas.words("title", x: 20, y: 30, "nothing to draw")
            return canvas.document(width: 400, height: 50)
        }
        let shown = shownText(of: part)
        let medianCell = reveals ? Self.medianCell(part) : Self.meanCell(part)
        let stretches =
            reveals
            ? .all
            : DrawnStretches(
                part, characters: trace.characters, masked: shown, meanCell: medianCell)
        var characters = DrawnCharacters(part, trace, formats: formats, shown: shown)
        if !reveals { characters.hide(within: stretches) }
        let lanes = DrawnRows.Lanes(
            hasCharacters: !characters.characters.isEmpty || trace.refusedAt != nil, hasBits: reveals)
        var rows = DrawingRows(
            start: Double(part.startSample), samples: Double(trace.waveform.count), medianCell: medianCell,
            pitch: lanes.pitch)
        let heading = DrawnHeading(swipe: swipe, part: part, name: name, reveals: reveals)
        let failure = failure(part, trace, characters, medianCell).map {
            DrawnFailure(range: stretches.place($0.range), word: $0.word)
        }
        let overviewTop = heading.draw(&canvas)
        let overview = DrawnOverview(
            part: part, trace: trace, stretches: stretches, medianCell: medianCell, failure: failure)
        rows.top = overview.draw(&canvas, top: overviewTop)
        DrawnRows(
            part: part, trace: trace, stretches: stretches, rows: rows, lanes: lanes,
            sampleRate: swipe.sampleRate, characters: characters, failure: failure,
            isMended: part.quality.repairedBits > 0, reveals: reveals
        ).draw(&canvas)
        let height = rows.y(row: rows.count) + 10
        return canvas.document(width: DrawingRows.width + 2 * DrawingRows.left, height: height)
    }

    /// The text of the channel that is drawn. What may be shown of it, all tracks of the swipe decide.
    private func shownText(of part: StripeSwipe) -> String? {
        guard let reading = part.tracks.first(where: { $0.text != nil }) else { return nil }
        guard !reveals else { return reading.text?.reveal() }
        return swipe.tracks.firstIndex(of: reading).flatMap { swipe.masked.texts[$0] } ?? reading.masked
    }

    /// Where the reading failed, and in a word why.
    private func failure(
        _ part: StripeSwipe, _ trace: StripeTrace, _ characters: DrawnCharacters, _ cell: Double
    ) -> DrawnFailure? {
        guard let reading = part.tracks.first, case .refused(let refusal) = reading.outcome else {
            return nil
        }
        if let range = characters.failed { return DrawnFailure(range: range, word: refusal.code) }
        guard let place = trace.refusedAt else { return nil }
        return DrawnFailure(range: place...place + cell, word: refusal.code)
    }

    /// Of all cells together, so that no single one tells anything.
    private static func meanCell(_ part: StripeSwipe) -> Double {
        if let text = part.textCells { return max(text.mean, 0.5) }
        let lengths = part.bitRuns.map { ($0.cellEdges.last ?? 0) - ($0.cellEdges.first ?? 0) }
        let cells = part.bitRuns.reduce(0) { $0 + $1.bits.count }
        return max(cells == 0 ? 60 : lengths.reduce(0, +) / Double(cells), 0.5)
    }

    private static func medianCell(_ part: StripeSwipe) -> Double {
        let cells = part.bitRuns.flatMap { run in
            zip(run.cellEdges, run.cellEdges.dropFirst()).map { $1 - $0 }
        }.sorted()
        // Without cells, a track 2 at a hand's speed.
        return max(cells.isEmpty ? 60 : cells[cells.count / 2], 0.5)
    }
}

/// A place that stopped the reading.
struct DrawnFailure {
    var range: ClosedRange<Double>
    var word: String
}
