import CardData
import Glibc
import StripeSignal

/// A swipe for eyes, as SVG: waveform, flux reversals, cells, bits, characters, and where it failed.
///
/// Bits are written only when card data is revealed, and characters are masked until then. (Whoever measures the
/// waveform can still read it: the drawing is as secret as the recording, and its file is readable by its owner only.)
struct SwipeDrawing {
    private let swipe: RecordedSwipe
    private let reveals: Bool
    /// Horizontal pixels a cell; the median cell sets the scale.
    private static let cellWidth = 14.0
    private static let height = 260.0
    private static let middle = 110.0
    private static let reach = 80.0
    /// Wider drawings are scaled down: viewers give up on more.
    private static let widest = 30_000.0

    init(_ swipe: RecordedSwipe, reveals: Bool) {
        self.swipe = swipe
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
        guard let part = swipe.parts.first, let trace = part.trace else { return Self.frame(100, "") }
        let start = Double(part.startSample)
        let scale = min(Self.cellWidth / medianCell(part), Self.widest / max(Double(trace.waveform.count), 1))
        func x(_ sample: Double) -> String { Self.text((sample - start) * scale + 10) }
        var body = cells(part, x) + waveform(trace, scale) + reversals(trace, x)
        body += characters(trace, x)
        if let failed = trace.refusedAt {
            body += "<line class=\"fail\" x1=\"\(x(failed))\" x2=\"\(x(failed))\" y1=\"15\" y2=\"225\"/>\n"
        }
        let status = swipe.tracks.map { "track \($0.track): \($0.status)" }.joined(separator: ", ")
        body += "<text class=\"title\" x=\"10\" y=\"250\">\(status)</text>\n"
        return Self.frame(Double(trace.waveform.count) * scale + 20, body)
    }

    private func cells(_ part: StripeSwipe, _ x: (Double) -> String) -> String {
        var body = ""
        for run in part.bitRuns {
            let bits = run.direction == .backward ? run.bits.reversed() : run.bits
            for (index, bit) in bits.enumerated() where index + 1 < run.cellEdges.count {
                let left = x(run.cellEdges[index])
                let middle = x((run.cellEdges[index] + run.cellEdges[index + 1]) / 2)
                body += "<path class=\"edge\" d=\"M\(left) 25V195\"/>"
                if reveals { body += "<text class=\"bit\" x=\"\(middle)\" y=\"207\">\(bit)</text>" }
                body += "\n"
            }
            if let end = run.cellEdges.last { body += "<path class=\"end\" d=\"M\(x(end)) 20V200\"/>\n" }
        }
        return body
    }

    private func waveform(_ trace: StripeTrace, _ scale: Double) -> String {
        let peak = Double(trace.waveform.reduce(1) { max($0, abs($1)) })
        var path = ""
        for (index, sample) in trace.waveform.enumerated() {
            let y = Self.middle - Double(sample) / peak * Self.reach
            path += "\(index == 0 ? "M" : "L")\(Self.text(Double(index) * scale + 10)) \(Self.text(y))"
        }
        return "<path class=\"wave\" d=\"\(path)\"/>\n"
    }

    private func reversals(_ trace: StripeTrace, _ x: (Double) -> String) -> String {
        trace.reversals.map { reversal in
            let y = reversal.amplitude > 0 ? Self.middle - Self.reach - 8 : Self.middle + Self.reach + 8
            let faint = Self.text(0.25 + 0.75 * Double(reversal.confidence))
            return
                "<circle cx=\"\(x(reversal.position))\" cy=\"\(Self.text(y))\" r=\"2\" opacity=\"\(faint)\"/>\n"
        }.joined()
    }

    private func characters(_ trace: StripeTrace, _ x: (Double) -> String) -> String {
        let reading = swipe.tracks.first { $0.text != nil }
        let shown = Array((reveals ? reading?.text?.reveal() : reading?.masked) ?? "")
        var body = ""
        for (index, range) in trace.characters.enumerated() {
            let middle = x((range.lowerBound + range.upperBound) / 2)
            body += "<path class=\"character\" d=\"M\(x(range.lowerBound)) 212H\(x(range.upperBound))\"/>"
            if index < shown.count {
                body += "<text class=\"bit\" x=\"\(middle)\" y=\"226\">\(Self.escaped(shown[index]))</text>"
            }
            body += "\n"
        }
        return body
    }

    private func medianCell(_ part: StripeSwipe) -> Double {
        let cells = part.bitRuns.flatMap { run in
            zip(run.cellEdges, run.cellEdges.dropFirst()).map { $1 - $0 }
        }
        return max(cells.sorted().dropFirst(cells.count / 2).first ?? Self.cellWidth, 0.5)
    }

    private static func escaped(_ character: Character) -> String {
        switch character {
        case "<": "&lt;"
        case ">": "&gt;"
        case "&": "&amp;"
        case "\u{20}"..."\u{7E}": String(character)
        case _: "·"
        }
    }

    /// A hundredth of a pixel is enough.
    private static func text(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }

    private static func frame(_ width: Double, _ body: String) -> String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="\(text(width))" height="\(text(height))">
        <style>.wave{fill:none;stroke:#1f4e79}.edge{stroke:#bbb}.end{stroke:#444;stroke-dasharray:3}\
        .fail{stroke:#c00;stroke-width:2}.character{stroke:#2a7d2a;stroke-width:2}circle{fill:#d2691e}\
        text{font:10px monospace}.bit{text-anchor:middle}.title{font-size:14px}</style>
        <rect width="100%" height="100%" fill="#fff"/>

        """ + body + "</svg>\n"
    }
}
