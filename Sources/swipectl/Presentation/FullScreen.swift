import Glibc

/// A terminal that is drawn on as a whole, and is as it was before once that ends: a screen of its own, no cursor, no echo.
struct FullScreen {
    private static let enter = "\u{1B}[?1049h\u{1B}[?25l"
    private static let leave = "\u{1B}[?25h\u{1B}[?1049l"
    private static let home = "\u{1B}[H"
    private static let restOfLine = "\u{1B}[K"
    private static let restOfScreen = "\u{1B}[J"
    private static let usual = (columns: 80, rows: 24)
    /// `_POSIX_VDISABLE`.
    private static let noKey: UInt8 = 0

    /// What the keyboard was set to; nil where standard input is no terminal.
    private var keyboard: termios?
    private var isOn = true

    init() throws(OutputFailure) {
        var settings = termios()
        if isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &settings) == 0 {
            keyboard = settings
            settings.c_lflag &= ~tcflag_t(ECHO | ICANON)
            // A process that is stopped would leave the screen to its shell.
            settings.c_iflag &= ~tcflag_t(IXON)
            withUnsafeMutableBytes(of: &settings.c_cc) { $0[Int(VSUSP)] = Self.noKey }
            tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
        }
        do throws(OutputFailure) {
            try Output.result(Self.enter)
        } catch {
            end()
            throw error
        }
    }

    /// As many columns and rows as there are now: a window changes its size at any time.
    var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return Self.usual
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Lines that fit; what was there is overwritten, without a flicker between.
    func draw(_ lines: [String]) throws(OutputFailure) {
        let text = lines.map { $0 + Self.restOfLine }.joined(separator: "\r\n")
        try Output.result(Self.home + text + Self.restOfScreen)
    }

    /// What was typed; nil where nothing more will be.
    static func keys() -> [UInt8]? {
        var polled = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard poll(&polled, 1, 0) > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return [] }
        return count > 0 ? Array(bytes.prefix(count)) : nil
    }

    /// Puts everything back. May be called twice.
    mutating func end() {
        guard isOn else { return }
        isOn = false
        // Where that cannot be written, the terminal is gone.
        try? Output.result(Self.leave)
        guard var keyboard else { return }
        // With what was typed meanwhile, which was for no shell.
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &keyboard)
    }
}
