import Glibc
import ServiceSupport
import UnixSignals

/// What signals do before the service group handles them, while the configuration is read.
enum EarlySignals {
    /// From now on SIGHUP waits to be read, and SIGTERM and SIGINT end the daemon with status 0 as they do later: there
    /// is no client yet that could get a `bye`.
    static func trap() async -> UnixSignalsSequence {
        let end: @convention(c) (Int32) -> Void = { _ in _exit(ExitStatus.ok.rawValue) }
        signal(SIGTERM, end)
        signal(SIGINT, end)
        return await UnixSignalsSequence(trapping: .sighup)
    }
}
