import Glibc

/// The reports that Swift's runtime writes of a crash: registers and the memory that they point to, for one.
enum CrashReports {
    /// The signals that the runtime catches for them (SWIFT_BACKTRACE, docs/Backtracing.rst of the Swift project).
    private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGQUIT]

    /// Lets the kernel end the process at once instead. systemd notes the signal and starts the gateway again.
    static func turnOff() {
        for number in signals { signal(number, SIG_DFL) }
    }
}
