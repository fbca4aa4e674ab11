/// What a terminal makes of a text: how many columns it takes, and what of it may be sent there at all.
package struct ScreenText: Sendable {
    /// Whether the terminal shows UTF-8.
    package let hasUnicode: Bool

    package init(hasUnicode: Bool) { self.hasUnicode = hasUnicode }

    /// Without what would steer the terminal, and without what it cannot show.
    package func plain(_ text: String) -> String {
        String(
            text.map { character in
                if character == "\u{A0}" || character == "\u{202F}" { return " " }
                if character.unicodeScalars.contains(where: Self.steers) { return "?" }
                if hasUnicode || character.isASCII { return character }
                return character == "•" ? "*" : "?"
            })
    }

    /// Control characters of ASCII and Latin-1, and those that turn the direction of what follows (UAX #9).
    private static func steers(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// How many columns a text takes.
    package static func width(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + width($1) } }

    /// The beginning of a text that fits into so many columns.
    package static func cut(_ text: some StringProtocol, to columns: Int) -> String {
        var room = max(columns, 0)
        return String(
            text.prefix { character in
                room -= width(character)
                return room >= 0
            })
    }

    /// Words in lines; a word that is longer than a line, an address for one, goes over several.
    package static func wrap(_ text: some StringProtocol, to columns: Int) -> [String] {
        let room = max(columns, 1)
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, width(line) + width(word) + 1 > room {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
            while width(line) > room {
                // A letter of two columns on a screen of one is shown all the same.
                let start = max(cut(line, to: room).count, 1)
                lines.append(String(line.prefix(start)))
                line.removeFirst(start)
            }
        }
        return line.isEmpty ? lines : lines + [line]
    }

    /// Two columns for what Unicode calls wide and full-width (UAX #11, in blocks) and for pictures; else one.
    private static func width(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first, first.value >= 0x1100 else { return 1 }
        switch first.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
            0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return 2
        default: return first.properties.isEmojiPresentation ? 2 : 1
        }
    }
}
