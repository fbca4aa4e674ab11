import Glibc
import Synchronization

/// Signals that come before the till listens to them (``InputThread``), while its terminal shows nothing: the terminal is put back
/// as it was, and the till ends as it would have.
enum EarlySignals {
    /// What the terminal was. Written once, before the handler is there.
    private nonisolated(unsafe) static let saved = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    private static let isArmed = Atomic(false)
    /// Where a form is drawn; below 0 for nowhere.
    private static let screen = Atomic<Int32>(-1)

    /// Before the terminal is changed for the first time.
    static func arm(_ settings: termios) {
        guard !isArmed.exchange(true, ordering: .sequentiallyConsistent) else { return }
        saved.initialize(to: settings)
        // What the handler uses is made here, not in the middle of it.
        screen.store(-1, ordering: .sequentiallyConsistent)
        _ = Terminal.leaving.utf8CodeUnitCount
        for number in InputThread.endings { signal(number, handler) }
    }

    /// From now on a form is drawn on this descriptor, on a screen of its own.
    static func draws(on output: Int32) { screen.store(output, ordering: .sequentiallyConsistent) }

    /// Only what a signal handler may do (signal-safety(7)). The signal comes once more when this is over, and ends the till.
    private static let handler: @convention(c) (Int32) -> Void = { number in
        let output = screen.load(ordering: .sequentiallyConsistent)
        if output >= 0 { _ = write(output, Terminal.leaving.utf8Start, Terminal.leaving.utf8CodeUnitCount) }
        tcsetattr(STDIN_FILENO, TCSAFLUSH, saved)
        signal(number, SIG_DFL)
        kill(getpid(), number)
    }
}
