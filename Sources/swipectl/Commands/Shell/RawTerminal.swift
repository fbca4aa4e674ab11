import Glibc

/// A terminal whose keys come one by one, as long as a line is being typed.
struct RawTerminal {
    private static let restOfLine = "\u{1B}[K"
    private static let left = "\u{1B}[D"
    private static let usualColumns = 80

    private let before: termios

    /// Nil where standard input or output is no terminal.
    init?() {
        var settings = termios()
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, tcgetattr(STDIN_FILENO, &settings) == 0
        else { return nil }
        before = settings
    }

    func begin() {
        var settings = before
        settings.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG | IEXTEN)
        settings.c_iflag &= ~tcflag_t(IXON | ICRNL)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    }

    func end() {
        var settings = before
        tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    }

    /// What was typed; nil where nothing more will be.
    func keys() -> [UInt8]? { FullScreen.keys() }

    /// As many as there are now: a window changes its size at any time.
    var columns: Int { OutputWindow.columns ?? Self.usualColumns }

    /// Words side by side, none of them broken at the end of a row.
    static func rows(_ words: [String], columns: Int) -> String {
        let gap = "  "
        var rows: [String] = []
        for word in words {
            if let last = rows.last, last.count + gap.count + word.count < columns {
                rows[rows.count - 1] = last + gap + word
            } else {
                rows.append(word)
            }
        }
        return rows.map { $0 + "\n" }.joined()
    }

    /// Draws the line in the row where the cursor is: as much of it as fits, round the cursor.
    func draw(_ prompt: String, _ editor: LineEditor) throws(OutputFailure) {
        let room = max(columns - prompt.count - 1, 1)
        let start = max(editor.cursor - room, 0)
        let shown = editor.characters[start...].prefix(room)
        let back = String(repeating: Self.left, count: shown.count - (editor.cursor - start))
        try Output.result("\r" + prompt + String(shown) + Self.restOfLine + back)
    }

    /// Lines above the one that is being typed.
    func say(_ lines: String) throws(OutputFailure) { try Output.result("\r" + Self.restOfLine + lines) }
}
