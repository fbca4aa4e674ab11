import CardData
import StripeSignal

/// The swipe row by row: characters, bits, waveform with its reversals over the cells, time.
struct DrawnRows {
    private static let characterHeight = 17.0
    private static let waveHeight = 84.0
    /// Where a word about a stretch without clock has room.
    private static let wordWidth = 60.0
    /// Of the word about a failure, at most.
    private static let letterWidth = 7.0
    /// A reversal less sure than this is drawn faintly.
    private static let sure: Float = 0.5
    /// More points than this in a row are thinned out.
    private static let mostPoints = 3600

    /// The heights of a row's parts; what is not drawn takes no room.
    struct Lanes {
        let bitLine: Double
        let waveTop: Double
        var axisLine: Double { waveTop + DrawnRows.waveHeight + 14 }
        /// From row to row; a word about a failure has its place above the characters.
        var pitch: Double { axisLine + 26 }

        init(hasCharacters: Bool, hasBits: Bool) {
            bitLine = hasCharacters ? DrawnRows.characterHeight + 11 : 9
            waveTop = hasBits ? bitLine + 5 : hasCharacters ? DrawnRows.characterHeight + 4 : 0
        }
    }

    var part: StripeSwipe
    var trace: StripeTrace
    var stretches: DrawnStretches
    var rows: DrawingRows
    var lanes: Lanes
    var sampleRate: Int
    var characters: DrawnCharacters
    var failure: DrawnFailure?
    var isMended: Bool
    var reveals: Bool

    func draw(_ canvas: inout SVGCanvas) {
        for row in 0..<rows.count {
            let top = rows.y(row: row) + lanes.waveTop
            canvas.rectangle(
                "frame", x: DrawingRows.left, y: top, width: DrawingRows.width, height: Self.waveHeight)
        }
        drawHidden(&canvas)
        drawCells(&canvas)
        drawLostClock(&canvas)
        drawCharacters(&canvas)
        drawFailure(&canvas)
        let peak = trace.peak(in: stretches, from: part.startSample)
        for row in 0..<rows.count {
            drawWave(&canvas, row, peak)
            drawAxis(&canvas, row)
        }
        drawReversals(&canvas)
    }

    private func drawCells(_ canvas: inout SVGCanvas) {
        for run in part.bitRuns {
            let bits = run.direction == .backward ? run.bits.reversed() : run.bits
            // Of those that are drawn: how many come before them is nobody's business.
            var isOdd = true
            for (index, bit) in bits.enumerated() where index + 1 < run.cellEdges.count {
                let (from, to) = (run.cellEdges[index], run.cellEdges[index + 1])
                guard from < to, stretches.contains(from...to) else { continue }
                isOdd.toggle()
                for piece in rows.pieces(from...to) {
                    let top = rows.y(row: piece.row) + lanes.waveTop
                    if isOdd {
                        canvas.rectangle(
                            "odd", x: piece.left, y: top, width: piece.width, height: Self.waveHeight)
                    }
                    canvas.upright(
                        index == 0 ? "end" : "edge", x: piece.left, from: top, to: top + Self.waveHeight)
                }
                if reveals, let piece = rows.pieces(from...to).max(by: { $0.width < $1.width }) {
                    canvas.words("bit", x: piece.middle, y: rows.y(row: piece.row) + lanes.bitLine, "\(bit)")
                }
            }
            if let last = run.cellEdges.last, stretches.contains(last...last) {
                let row = rows.row(of: last)
                let top = rows.y(row: row) + lanes.waveTop
                canvas.upright("end", x: rows.x(last, row: row), from: top - 4, to: top + Self.waveHeight + 4)
            }
        }
    }

    /// What must not be measured.
    private func drawHidden(_ canvas: inout SVGCanvas) {
        let start = Double(part.startSample)
        for hidden in stretches.hidden(in: start...start + Double(trace.waveform.count)) {
            for piece in rows.pieces(hidden) {
                let top = rows.y(row: piece.row) + lanes.waveTop
                canvas.rectangle(
                    "hidden", x: piece.left, y: top, width: piece.width, height: Self.waveHeight)
                guard piece.width > Self.wordWidth else { continue }
                canvas.words("hiddenword", x: piece.middle, y: top + Self.waveHeight / 2 + 4, "hidden")
            }
        }
    }

    private func drawLostClock(_ canvas: inout SVGCanvas) {
        for gap in stretches.withoutClock(part, trace) {
            for piece in rows.pieces(gap) {
                let top = rows.y(row: piece.row) + lanes.waveTop
                canvas.rectangle("lost", x: piece.left, y: top, width: piece.width, height: Self.waveHeight)
                guard piece.width > Self.wordWidth else { continue }
                canvas.words("lostword", x: piece.middle, y: top + Self.waveHeight - 10, "no clock")
            }
        }
    }

    private func drawCharacters(_ canvas: inout SVGCanvas) {
        for character in characters.characters {
            let pieces = rows.pieces(character.range)
            let widest = pieces.max { $0.width < $1.width }
            for piece in pieces {
                let top = rows.y(row: piece.row)
                canvas.rectangle(
                    character.isCheck ? "checkbox" : isMended ? "mendedbox" : "box", x: piece.left + 0.7,
                    y: top, width: piece.width - 1.4,
                    height: Self.characterHeight, round: 3)
            }
            guard let widest else { continue }
            if character.isCheck {
                canvas.words(
                    "checkword", x: widest.middle, y: rows.y(row: widest.row) + Self.characterHeight - 5,
                    "LRC")
                continue
            }
            canvas.words(
                "character", x: widest.middle,
                y: rows.y(row: widest.row) + Self.characterHeight - 4.5,
                character.code.map { String(decoding: [$0], as: UTF8.self) } ?? "•")
        }
    }

    private func drawFailure(_ canvas: inout SVGCanvas) {
        guard let failure else { return }
        let pieces = rows.pieces(failure.range)
        for piece in pieces {
            let top = rows.y(row: piece.row)
            canvas.rectangle(
                "badbox", x: piece.left, y: top, width: piece.width,
                height: Self.characterHeight, round: 3)
            canvas.rectangle(
                "failed", x: piece.left, y: top + Self.characterHeight, width: piece.width,
                height: lanes.waveTop + Self.waveHeight - Self.characterHeight)
        }
        if let piece = pieces.max(by: { $0.width < $1.width }) {
            let half = Double(failure.word.utf8.count) * Self.letterWidth / 2
            let right = DrawingRows.left + DrawingRows.width - half
            canvas.words(
                "place", x: min(max(piece.middle, DrawingRows.left + half), right),
                y: rows.y(row: piece.row) - 4, failure.word)
        }
    }

    private func height(_ sample: Double, _ row: Int, _ peak: Double) -> Double {
        rows.y(row: row) + lanes.waveTop + Self.waveHeight / 2 - sample / peak * (Self.waveHeight / 2 - 8)
    }

    private func drawWave(_ canvas: inout SVGCanvas, _ row: Int, _ peak: Double) {
        let range = rows.range(row: row)
        let start = Double(part.startSample)
        let end = min(range.upperBound + 1, start + Double(trace.waveform.count - 1))
        guard range.lowerBound < end else { return }
        canvas.level(
            "middle", y: height(0, row, peak), from: DrawingRows.left, to: rows.x(end, row: row))
        if let piece = stretches.piece(of: range.lowerBound...end) { drawWave(&canvas, piece, row, peak) }
    }

    private func drawWave(
        _ canvas: inout SVGCanvas, _ piece: ClosedRange<Double>, _ row: Int, _ peak: Double
    ) {
        let start = Double(part.startSample)
        let first = max(Int((piece.lowerBound - start).rounded(stretches.areAll ? .down : .up)), 0)
        let last = min(Int(piece.upperBound - start), trace.waveform.count - 1)
        guard first < last else { return }
        let step = max((last - first) / Self.mostPoints, 1)
        let points = stride(from: first, through: last, by: step).map { index in
            (
                x: rows.x(start + Double(index), row: row),
                y: height(Double(trace.waveform[index]), row, peak)
            )
        }
        canvas.curve("wave", points)
    }

    private func drawReversals(_ canvas: inout SVGCanvas) {
        for reversal in trace.reversals where stretches.contains(reversal.position...reversal.position) {
            let row = rows.row(of: reversal.position)
            let isUp = reversal.amplitude > 0
            let edge = rows.y(row: row) + lanes.waveTop + (isUp ? 1 : Self.waveHeight - 1)
            let kind = reversal.confidence < Self.sure ? "unsure" : isUp ? "up" : "down"
            canvas.arrow(
                kind, x: rows.x(reversal.position, row: row), tip: isUp ? edge + 5 : edge - 5, isDown: isUp)
        }
    }

    /// Milliseconds from the swipe's beginning.
    private func drawAxis(_ canvas: inout SVGCanvas, _ row: Int) {
        let rate = Double(max(sampleRate, 1)) / 1000
        let start = Double(part.startSample)
        let range = rows.range(row: row)
        let step = Self.tick(milliseconds: rows.samples / rate)
        var tick = ((range.lowerBound - start) / rate / step).rounded(.up) * step
        while tick * rate + start < range.upperBound, tick * rate <= Double(trace.waveform.count) {
            let x = rows.x(tick * rate + start, row: row)
            let top = rows.y(row: row) + lanes.waveTop + Self.waveHeight
            canvas.upright("tick", x: x, from: top, to: top + 4)
            canvas.words("axis", x: x, y: rows.y(row: row) + lanes.axisLine, "\(SVGCanvas.text(tick)) ms")
            tick += step
        }
    }

    /// A round step that gives some ten ticks.
    private static func tick(milliseconds: Double) -> Double {
        var step = 0.1
        for factor in [2.0, 2.5, 2, 2, 2.5, 2, 2, 2.5, 2] where milliseconds / step > 14 { step *= factor }
        return step
    }
}
