/// Writes SVG elements. Classes are those of ``style``; numbers have one decimal, which is a tenth of a pixel.
struct SVGCanvas {
    private(set) var body = ""

    mutating func rectangle(
        _ kind: String, x: Double, y: Double, width: Double, height: Double, round: Double = 0
    ) {
        let corner = round > 0 ? " rx=\"\(Self.text(round))\"" : ""
        body +=
            "<rect class=\"\(kind)\" x=\"\(Self.text(x))\" y=\"\(Self.text(y))\" "
            + "width=\"\(Self.text(max(width, 0)))\" height=\"\(Self.text(max(height, 0)))\"\(corner)/>\n"
    }

    mutating func upright(_ kind: String, x: Double, from top: Double, to bottom: Double) {
        body += "<path class=\"\(kind)\" d=\"M\(Self.text(x)) \(Self.text(top))V\(Self.text(bottom))\"/>\n"
    }

    mutating func level(_ kind: String, y: Double, from left: Double, to right: Double) {
        body += "<path class=\"\(kind)\" d=\"M\(Self.text(left)) \(Self.text(y))H\(Self.text(right))\"/>\n"
    }

    mutating func curve(_ kind: String, _ points: [(x: Double, y: Double)]) {
        guard points.count > 1 else { return }
        let path = points.map { "\(Self.text($0.x)) \(Self.text($0.y))" }.joined(separator: "L")
        body += "<path class=\"\(kind)\" d=\"M\(path)\"/>\n"
    }

    /// A filled triangle whose tip points at the waveform.
    mutating func arrow(_ kind: String, x: Double, tip: Double, isDown: Bool) {
        let base = isDown ? tip - 5 : tip + 5
        body +=
            "<path class=\"\(kind)\" d=\"M\(Self.text(x)) \(Self.text(tip))L\(Self.text(x - 2.6)) \(Self.text(base))"
            + "H\(Self.text(x + 2.6))Z\"/>\n"
    }

    mutating func words(_ kind: String, x: Double, y: Double, _ text: String) {
        body +=
            "<text class=\"\(kind)\" x=\"\(Self.text(x))\" y=\"\(Self.text(y))\">\(Self.escaped(text))</text>\n"
    }

    func document(width: Double, height: Double) -> String {
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(Self.text(width))\" height=\"\(Self.text(height))\" "
            + "viewBox=\"0 0 \(Self.text(width)) \(Self.text(height))\">\n<style>\(Self.style)</style>\n"
            + "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n" + body + "</svg>\n"
    }

    private static let style = """
        text{font:11px 'DejaVu Sans',Arial,sans-serif;fill:#333}.title{font-size:17px;font-weight:bold}\
        .good,.mended,.bad{font-size:14px;font-weight:bold}.good{fill:#1a7f37}.mended{fill:#9a6700}\
        .bad{fill:#cf222e}.note{fill:#666}.axis{font-size:9px;fill:#888;text-anchor:middle}\
        .bit,.character,.place,.checkword{text-anchor:middle}.checkword{font-size:9px;fill:#666}.bit{font:9px 'DejaVu Sans Mono',monospace;fill:#555}\
        .character{font:bold 12px 'DejaVu Sans Mono',monospace;fill:#1a4d2e}\
        .place{font-size:10px;font-weight:bold;fill:#cf222e}\
        .wave{fill:none;stroke:#1f4e79;stroke-width:1.1;stroke-linejoin:round}\
        .envelope{fill:#c9d9ea;stroke:#1f4e79;stroke-width:.5}\
        .speed{fill:none;stroke:#b35900;stroke-width:1.4}.speedword{font-size:10px;fill:#b35900}\
        .middle{stroke:#ddd}.edge{stroke:#b9c2cc;stroke-width:.7}.end{stroke:#57606a;stroke-dasharray:3 2}\
        .tick{stroke:#aaa;stroke-width:.7}.frame{fill:#fbfcfd;stroke:#e3e7eb}.odd{fill:#f0f4f8}\
        .box{fill:#dff3e4;stroke:#7cc08f;stroke-width:.7}.checkbox{fill:#eef2f6;stroke:#b9c2cc;stroke-width:.7}.mendedbox{fill:#fff3cd;stroke:#d4a72c;stroke-width:.7}\
        .badbox{fill:#ffd8d6;stroke:#cf222e;stroke-width:1}.failed{fill:#ff8182;fill-opacity:.28}\
        .hidden{fill:#eaeef2}.hiddenword{font-size:10px;fill:#57606a;text-anchor:middle}\
        .goodDot{fill:#1a7f37}.badDot{fill:#cf222e}.lost{fill:#8c959f;fill-opacity:.16}.lostword{font-size:10px;fill:#57606a;text-anchor:middle}\
        .up,.down{fill:#d2691e}.unsure{fill:#e8b98f}
        """

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "&": result += "&amp;"
            case "\u{20}"..."\u{7E}", "·", "•", "–", "…", "µ": result.append(character)
            case _: result += "·"
            }
        }
        return result
    }

    static func text(_ value: Double) -> String {
        let tenths = (min(max(value.isFinite ? value : 0, -1e6), 1e6) * 10).rounded()
        return tenths.truncatingRemainder(dividingBy: 10) == 0 ? "\(Int(tenths / 10))" : "\(tenths / 10)"
    }
}
