internal import Glibc

/// What signals tell a service, heard by a thread that does nothing else: the one that the program began with.
package enum ServiceSignal: Sendable, Hashable {
    /// SIGTERM or SIGINT.
    case end
    /// SIGHUP.
    case reload

    /// From now on they wait until they are heard, on this thread and on those that it begins: before any other thread.
    package static func hold(_ signals: [ServiceSignal]) {
        var numbers = set(of: signals)
        pthread_sigmask(SIG_BLOCK, &numbers, nil)
    }

    /// Until they are held, SIGTERM and SIGINT end the program as they do later: there is no client yet that could be told.
    package static func endAtOnce() {
        let end: @convention(c) (Int32) -> Void = { _ in _exit(ExitStatus.ok.rawValue) }
        signal(SIGTERM, end)
        signal(SIGINT, end)
    }

    /// Tells of those that were held what has come, and then what comes, until the program ends.
    package static func hear(_ signals: [ServiceSignal], _ tell: (ServiceSignal) -> Void) -> Never {
        var numbers = set(of: signals)
        var number: Int32 = 0
        while true {
            if sigwait(&numbers, &number) == 0 { tell(number == SIGHUP ? .reload : .end) }
        }
    }

    private static func set(of signals: [ServiceSignal]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in signals.flatMap(\.numbers) { sigaddset(&set, number) }
        return set
    }

    private var numbers: [Int32] {
        switch self {
        case .end: [SIGTERM, SIGINT]
        case .reload: [SIGHUP]
        }
    }
}
