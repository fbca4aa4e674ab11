import Glibc
import TillScreen

/// A terminal in raw mode: keys come one by one and unseen, the screen is drawn by us. It is put back as it was by
/// ``restore()``, which a signal's way out calls, too.
final class Terminal: Sendable {
    let output: Int32
    private let saved: termios

    /// Leaves the form's screen: pastes without brackets, the shell's screen, the cursor.
    static let leaving: StaticString = "\u{1B}[?2004l\u{1B}[?1049l\u{1B}[?25h"

    /// Nil where standard input or `output` is no terminal.
    init?(output: Int32) {
        var settings = termios()
        guard isatty(output) == 1, tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
        saved = settings
        self.output = output
        EarlySignals.arm(saved)
        cfmakeraw(&settings)
        // What was typed before is for the form, and not to be seen as the terminal has shown it.
        tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
        EarlyKeys.take(columns: columns, isShown: saved.c_lflag & tcflag_t(ECHO) != 0)
        EarlySignals.draws(on: output)
        // Another screen, so that the shell's stays as it is; pastes come in brackets.
        write("\u{1B}[?1049h\u{1B}[?2004h")
    }

    func restore() {
        write(Self.leaving.description)
        var settings = saved
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    }

    /// How wide it is; 80 where it does not say.
    var columns: Int { Screen.columns(of: output) }

    var rows: Int {
        var size = winsize()
        let isKnown = ioctl(output, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 0
        return isKnown ? Int(size.ws_row) : 24
    }

    /// Draws lines from the top, and puts the cursor where it belongs.
    func show(_ lines: [String], cursor: (row: Int, column: Int)?) {
        var text = "\u{1B}[?25l\u{1B}[H"
        // No line feed behind the last one: that would push the first one out.
        text += lines.prefix(rows).joined(separator: "\u{1B}[K\r\n") + "\u{1B}[J"
        if let cursor, cursor.row < rows {
            text += "\u{1B}[\(cursor.row + 1);\(cursor.column + 1)H\u{1B}[?25h"
        }
        write(text)
    }

    private func write(_ text: String) { Console.write(text, to: output) }
}

/// A keyboard whose letters are not shown: for lines that are typed where there is no screen to draw on.
final class UnseenInput: Sendable {
    private let saved: termios

    /// Nil where standard input is no terminal.
    init?() {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
        saved = settings
        EarlySignals.arm(saved)
        // A line that has no end yet can be read only where lines are none.
        settings.c_lflag &= ~tcflag_t(ECHO | ICANON)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
        if saved.c_lflag & tcflag_t(ECHO) != 0 {
            EarlyKeys.take(columns: Screen.columns(of: STDIN_FILENO), isShown: true)
        }
        settings.c_lflag |= tcflag_t(ICANON)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    }

    /// - Parameter keepsKeys: whether what was typed and not read is for whoever reads next.
    func restore(keepsKeys: Bool = false) {
        var settings = saved
        tcsetattr(STDIN_FILENO, keepsKeys ? TCSADRAIN : TCSAFLUSH, &settings)
    }
}

/// Writing to descriptors, a text at a time.
enum Console {
    /// Gives standard input, output and error that were closed to what can be neither read nor written: else the next file
    /// that is opened, a payment's note for one, would get the result's line.
    static func openMissing() {
        for (descriptor, mode) in [
            (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
        ]
        where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest number that is free: this one.
            _ = open("/dev/null", mode)
        }
    }

    /// Whether all of it was written.
    @discardableResult
    static func write(_ text: String, to descriptor: Int32 = STDOUT_FILENO) -> Bool {
        write(Array(text.utf8), to: descriptor)
    }

    /// Whether all of them were written.
    @discardableResult
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var bytes = bytes[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR || errno == EAGAIN else { return false }
            if count < 0, errno == EAGAIN { waitForRoom(descriptor) }
            bytes = bytes.dropFirst(max(count, 0))
        }
        return true
    }

    private static func waitForRoom(_ descriptor: Int32) {
        var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&polled, 1, -1)
    }

    /// Words for people: in lines as wide as the terminal, where it is one.
    @discardableResult
    static func words(_ text: String, to descriptor: Int32 = STDOUT_FILENO) -> Bool {
        var size = winsize()
        let isTerminal =
            isatty(descriptor) == 1 && ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        guard isTerminal else { return line(text, to: descriptor) }
        return line(ScreenText.wrap(text, to: Int(size.ws_col)).joined(separator: "\n"), to: descriptor)
    }

    @discardableResult
    static func line(_ text: String, to descriptor: Int32 = STDOUT_FILENO) -> Bool {
        write(text + "\n", to: descriptor)
    }
}
