import StripeSignal

/// The figures of many swipes, a panel each and a dot a swipe: what drifts, and which swipe is out of the row. Nothing but what
/// the table has is in it.
struct QualityDrawing {
    private struct Panel: Sendable {
        var title: String
        var value: @Sendable (CardReport) -> Double?
    }

    private static let panels = [
        Panel(title: "Cell variation, mean, %") { $0.cells?.mean },
        Panel(title: "Cell variation, worst, %") { $0.cells?.worst },
        Panel(title: "Half cells of the start sentinel, mean, %") { $0.halfCells?.mean },
        Panel(title: "Level, dB of full scale") { $0.level },
        Panel(title: "Weakest stretch, % (80: no weak one)") { $0.weakest },
        Panel(title: "Start sentinel, mm of clocking zeros") { $0.startSentinel },
        Panel(title: "Speed, mean, cm/s") { $0.speed?.mean },
        Panel(title: "Clipped, %") { $0.clipped },
        Panel(title: "Signal to noise, dB") { $0.noise },
    ]
    private static let width = 1000.0
    private static let left = 30.0
    private static let panelHeight = 90.0
    private static let dotSize = 6.0

    private let swipes: [MeasuredSwipe]

    init(_ swipes: [MeasuredSwipe]) { self.swipes = swipes }

    func svg() -> String {
        var canvas = SVGCanvas()
        var y = 30.0
        canvas.words("title", x: Self.left, y: y, "Quality of \(swipes.count) swipe(s), left to right")
        y += 22
        canvas.words("note", x: Self.left, y: y, Judgement(swipes.map(\.judgement)).sentence)
        y += 22
        canvas.words("note", x: Self.left, y: y, legend)
        y += 20
        for panel in Self.panels {
            draw(panel, top: y, &canvas)
            y += Self.panelHeight + 10
        }
        drawOutlines(top: y, &canvas)
        y += Self.panelHeight + 10
        return canvas.document(width: Self.width, height: y + 10)
    }

    private var legend: String {
        let read = swipes.flatMap(\.tracks).filter { $0.isRead }.count
        let all = swipes.reduce(0) { $0 + $1.tracks.count }
        return "\(read) of \(all) tracks read; green: read, red: not read or mended"
    }

    /// How high the sound of each swipe was from its beginning to its end, in ten parts.
    private func drawOutlines(top: Double, _ canvas: inout SVGCanvas) {
        let inner = Self.width - 2 * Self.left
        canvas.rectangle("frame", x: Self.left, y: top, width: inner, height: Self.panelHeight)
        let title = "Outline of each swipe, in fifths of its highest"
        canvas.words("note", x: Self.left + 6, y: top + 14, title)
        let (floor, room) = (top + Self.panelHeight - 6, Self.panelHeight - 28)
        let pitch = inner / Double(swipes.count)
        for (number, swipe) in swipes.enumerated() {
            guard let outline = swipe.tracks.first?.report.outline else { continue }
            let bar = pitch * 0.8 / Double(outline.count)
            let colour = swipe.tracks.contains { $0.isRead } ? "goodDot" : "badDot"
            for (part, percent) in outline.enumerated() where percent > 0 {
                let height = room * Double(percent) / 100
                canvas.rectangle(
                    colour, x: Self.left + (Double(number) + 0.1) * pitch + Double(part) * bar,
                    y: floor - height, width: bar * 0.9, height: height)
            }
        }
    }

    private func draw(_ panel: Panel, top: Double, _ canvas: inout SVGCanvas) {
        let inner = Self.width - 2 * Self.left
        canvas.rectangle("frame", x: Self.left, y: top, width: inner, height: Self.panelHeight)
        let values = swipes.flatMap { $0.tracks.compactMap { panel.value($0.report) } }
        guard let low = values.min(), let high = values.max() else {
            canvas.words("note", x: Self.left + 6, y: top + 14, "\(panel.title): not measured")
            return
        }
        canvas.words("note", x: Self.left + 6, y: top + 14, "\(panel.title): \(low) to \(high)")
        let range = max(high - low, 1e-9)
        let (floor, room) = (top + Self.panelHeight - 14, Self.panelHeight - 38)
        let pitch = inner / Double(swipes.count)
        for (number, swipe) in swipes.enumerated() {
            let x = Self.left + (Double(number) + 0.5) * pitch
            for track in swipe.tracks {
                guard let value = panel.value(track.report) else { continue }
                let height = high > low ? (value - low) / range * room : room / 2
                canvas.rectangle(
                    track.isRead ? "goodDot" : "badDot", x: x - Self.dotSize / 2,
                    y: floor - height - Self.dotSize / 2, width: Self.dotSize, height: Self.dotSize, round: 3)
            }
        }
    }
}
