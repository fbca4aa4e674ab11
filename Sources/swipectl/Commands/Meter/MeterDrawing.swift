import CardData
import SwipeProtocol

/// A meter in as many columns and rows as there are. Only letters that every terminal has.
struct MeterDrawing {
    private static let lowest = -90
    private static let narrow = 60
    private static let labelWidth = 7
    private static let figureWidth = 8
    /// Columns of a tenth of a swipe.
    private static let widestBar = 4

    var model: MeterModel
    var reader: String
    var style: Style

    func lines(columns: Int, rows: Int) -> [String] {
        // The last column stays free: some terminals go to the next line in it.
        let width = max(columns - 1, 1)
        var lines = [Line("swipectl meter  \(reader)", .notable)]
        if model.isClosed { lines.append(Line("the microphone is closed: swipectl status", .bad)) }
        lines += levels(width: width) + gain + [Line("")] + outline(width: width)
        // The last line says how to end, whatever else there is room for.
        lines += swipes(width: width).prefix(max(rows - lines.count - 1, 0))
        lines.append(Line("g sets the gain as advised, Ctrl-C ends", .faint))
        return lines.prefix(max(rows, 1)).map { $0.text(style, width: width) }
    }

    /// A line in one colour, cut off where the window ends.
    private struct Line {
        var words: String
        var color: Style.Color?

        init(_ words: String, _ color: Style.Color? = nil) {
            self.words = words.printable
            self.color = color
        }

        func text(_ style: Style, width: Int) -> String {
            let cut = String(words.prefix(width))
            return color.map { style.paint(cut, $0) } ?? cut
        }
    }

    private func levels(width: Int) -> [Line] {
        guard let level = model.level else { return [row("level", "measuring ..."), row("noise", "-")] }
        let barWidth = max(width - Self.labelWidth - Self.figureWidth, 0)
        let color: Style.Color? = level.isClipped ? .bad : level.isOpen ? .good : nil
        let isNarrow = width < Self.narrow
        let floor = level.floor.map { "\($0) dB" } ?? "measuring ..."
        let hum = level.hum.map { "hum \($0.hertz) Hz \($0.decibels) dB" } ?? "no hum"
        let gate = level.isOpen ? "gate open" : "gate closed"
        let clipped = level.isClipped ? "CLIPPED" : "not clipped"
        let hold = row("hold", model.hold.map { "\($0) dB" } ?? "-")
        let bar = row("level", "\(level.peak) dB".padded(to: Self.figureWidth) + bar(level, barWidth), color)
        let state = row("state", "\(gate), \(clipped)", level.isClipped ? .bad : nil)
        return isNarrow
            ? [bar, hold, row("noise", floor), row("", hum), state]
            : [bar, hold, row("noise", "\(floor), \(hum)"), state]
    }

    private func row(_ label: String, _ words: String, _ color: Style.Color? = nil) -> Line {
        Line(label.padded(to: Self.labelWidth) + words, color)
    }

    /// From the lowest to full scale: `#` is the level, `|` the highest of the last seconds, `.` the noise.
    private func bar(_ level: SoundLevel, _ width: Int) -> String {
        func place(_ decibels: Int) -> Int {
            min(max(decibels - Self.lowest, 0) * width / -Self.lowest, width)
        }
        var cells = [Character](repeating: "-", count: width)
        for index in cells.indices.prefix(place(level.peak)) { cells[index] = "#" }
        for index in cells.indices.prefix(level.floor.map(place) ?? 0) { cells[index] = "." }
        if let hold = model.hold.map(place), hold > 0 { cells[hold - 1] = "|" }
        return String(cells)
    }

    private var gain: [Line] {
        let color: Style.Color =
            switch model.gain {
            case .keep: .good
            case .unknown: .faint
            case .raise, .lower: .bad
            }
        let words =
            switch model.gain {
            case .unknown, .keep: model.gain.words
            case .raise, .lower: model.gain.words + ": g does it"
            }
        var lines = [row("gain", words, color)]
        if let percent = model.setGain {
            lines.append(row("", "set to \(percent) %; keep it: gain = \(percent)"))
        }
        if let complaint = model.complaint { lines.append(row("", complaint, .bad)) }
        return lines
    }

    /// The last passage from its beginning to its end, a fifth of its height a row.
    private func outline(width: Int) -> [Line] {
        guard let outline = model.outline else { return [] }
        let room = (width - Self.labelWidth - 2) / max(outline.count, 1)
        let cell = min(max(room, 1), Self.widestBar)
        return stride(from: 100, to: 0, by: -20).map { height in
            let bars = outline.map { String(repeating: $0 >= height ? "#" : " ", count: cell) }.joined()
            return row(height == 100 ? "last" : "", "|\(bars)|")
        } + [Line("")]
    }

    private func swipes(width: Int) -> [Line] {
        guard !model.swipes.isEmpty else { return [] }
        let isNarrow = width < Self.narrow
        var table = Table(
            header: ["TIME", "PEAK", "TRACKS"] + (isNarrow ? [] : ["cm/s", "SNR", "JITTER %", "CLIPPED %"]))
        for swipe in model.swipes {
            let tracks = swipe.tracks.map { "\($0.track) \($0.status.rawValue)" }.joined(separator: ", ")
            let (quality, time) = (swipe.quality, EventPresentation.localTime(swipe.time).prefix(8))
            let figures = [
                quality.speed, quality.signalToNoiseDecibels, quality.jitterPercent, quality.clippedPercent,
            ]
            let cells = [String(time), swipe.peak.map { "\($0)" } ?? "-", tracks.isEmpty ? "-" : tracks]
            table.append(
                (cells + (isNarrow ? [] : figures.map(Self.word))).map { Table.Cell($0) })
        }
        let text = table.text(Style(isColored: false))
        return text.split(separator: "\n").enumerated().map { Line(String($1), $0 == 0 ? .faint : nil) }
    }

    /// To a tenth.
    private static func word(_ value: Double?) -> String {
        value.flatMap { Int(exactly: ($0 * 10).rounded()) }.map { "\(Double($0) / 10)" } ?? "-"
    }
}
