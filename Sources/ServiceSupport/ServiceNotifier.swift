import Glibc
import UnixIO

/// Reports to systemd how the service is doing: the `sd_notify` protocol, in the twenty lines that it needs.
///
/// libsystemd would bring 1.1 MB and seven libraries for one datagram. Source: sd_notify(3).
package struct ServiceNotifier: Sendable {
    /// For default arguments, which other modules see.
    package static var thisProcess: Int32 { getpid() }

    /// `/run/systemd/notify`, or an abstract name that begins with `@`; nil when no program receives there.
    private let path: String?
    /// How often systemd wants to receive `WATCHDOG=1`; nil when it does not.
    package let watchdogInterval: Duration?

    /// Reads `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`.
    package init(environment: [String: String], processID: Int32 = ServiceNotifier.thisProcess) {
        path = environment["NOTIFY_SOCKET"].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        let isForUs = environment["WATCHDOG_PID"].map { $0 == "\(processID)" } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) }
        watchdogInterval = isForUs ? microseconds.flatMap { $0 > 0 ? .microseconds($0) : nil } : nil
    }

    /// What a service can say.
    package enum State: Sendable, Hashable {
        case ready
        /// A reload began at this time of `CLOCK_MONOTONIC`; ``ready`` ends it.
        case reloading(monotonicMicroseconds: UInt64)
        case stopping
        case watchdog
        /// One line for `systemctl status`.
        case status(String)

        var message: String {
            switch self {
            case .ready: "READY=1"
            case .reloading(let time): "RELOADING=1\nMONOTONIC_USEC=\(time)"
            case .stopping: "STOPPING=1"
            case .watchdog: "WATCHDOG=1"
            case .status(let line): "STATUS=\(line)"
            }
        }
    }

    /// Sends a state; whether it could be sent. Nobody listening is not a failure.
    @discardableResult
    package func notify(_ state: State) -> Bool {
        guard let path else { return true }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        guard let address = UnixAddress(pathOrAbstractName: path) else { return false }
        let message = Array(state.message.utf8)
        return address.with { sendto(descriptor, message, message.count, Int32(MSG_NOSIGNAL), $0, $1) }
            == message.count
    }
}
