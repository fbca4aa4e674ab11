import Glibc

/// Colours, for a terminal only. `NO_COLOR` (no-color.org) and a dumb terminal turn them off.
struct Style {
    enum Color: String {
        case good = "32"
        case bad = "31"
        case notable = "1"
        case faint = "2"
    }

    let isColored: Bool

    /// What standard output is written with.
    static func forStandardOutput() -> Style {
        let refused = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
        let isDumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? true
        return Style(isColored: isatty(STDOUT_FILENO) == 1 && !refused && !isDumb)
    }

    func paint(_ text: String, _ color: Color) -> String {
        isColored ? "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m" : text
    }
}

extension String {
    /// Without characters that would steer a terminal: names come from devices and cards.
    var printable: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.properties.isPrintable ? $0 : "?" }))
    }

    /// Filled with blanks to a width.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}

extension Unicode.Scalar.Properties {
    fileprivate var isPrintable: Bool {
        switch generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
            false
        default: true
        }
    }
}
