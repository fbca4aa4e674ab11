import Glibc

/// The window that standard output is drawn in.
enum OutputWindow {
    /// As many as there are now; nil where it is no terminal.
    static var columns: Int? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
