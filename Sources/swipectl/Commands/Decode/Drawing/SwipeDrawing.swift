import CardData
import Glibc
import StripeSignal

/// A swipe for eyes, as SVG: what came of it, the whole of it at a glance, then row by row the waveform, flux
/// reversals, cells, bits and characters, and where the reading failed.
///
/// Bits are written only when card data is revealed, and characters are masked until then. (Whoever measures the
/// waveform can still read it: the drawing is as secret as the recording, and its file is readable by its owner only.)
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
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SoundError("\(path): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        var rest = Array(svg().utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 || errno == EINTR else {
                throw SoundError("\(path): \(String(cString: strerror(errno)))")
            }
            rest = rest.dropFirst(max(written, 0))
        }
    }

    func svg() -> String {
        var canvas = SVGCanvas()
        guard let part = swipe.parts.first?.withoutSilence, let trace = part.trace, !trace.waveform.isEmpty
        else {
            canvas.words("title", x: 20, y: 30, "nothing to draw")
            return canvas.document(width: 400, height: 50)
        }
        let reading = swipe.tracks.first { $0.text != nil }
        let shown = reveals ? reading?.text?.reveal() : reading?.masked
        let characters = DrawnCharacters(part, trace, formats: formats, shown: shown)
        let medianCell = Self.medianCell(part)
        let lanes = DrawnRows.Lanes(
            hasCharacters: !characters.characters.isEmpty || trace.refusedAt != nil, hasBits: reveals)
        var rows = DrawingRows(
            start: Double(part.startSample), samples: Double(trace.waveform.count), medianCell: medianCell,
            pitch: lanes.pitch)
        let heading = DrawnHeading(swipe: swipe, part: part, name: name)
        let failure = failure(part, trace, characters, medianCell)
        let overviewTop = heading.draw(&canvas)
        let overview = DrawnOverview(
            part: part, trace: trace, sampleRate: swipe.sampleRate, medianCell: medianCell, failure: failure)
        rows.top = overview.draw(&canvas, top: overviewTop)
        DrawnRows(
            part: part, trace: trace, rows: rows, lanes: lanes, sampleRate: swipe.sampleRate,
            characters: characters,
            failure: failure, isMended: part.quality.repairedBits > 0, reveals: reveals
        ).draw(&canvas)
        let height = rows.y(row: rows.count) + 10
        return canvas.document(width: DrawingRows.width + 2 * DrawingRows.left, height: height)
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
