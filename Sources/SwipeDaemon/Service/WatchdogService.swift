import DeviceIO
import Logging
import NIOCore
import ServiceLifecycle
import ServiceSupport

/// Reports to systemd that the daemon works, twice in each watchdog interval: that tasks run, that the event loop
/// turns, and that every thread between a device and its session does.
///
/// Whatever hangs, the message does not go out, and systemd starts the daemon again: a hung thread cannot be ended from
/// within.
struct WatchdogService: Service {
    /// The kernel holds a request to a reader that does not answer for 5 s; nothing of ours waits longer than 10 s.
    static let patience = Duration.seconds(15)

    let notifier: ServiceNotifier
    let loop: any EventLoop
    let logger: Logger

    func run() async throws {
        guard let interval = notifier.watchdogInterval else { return try await gracefulShutdown() }
        try await cancelWhenGracefulShutdown {
            while true {
                try await feed()
                do { try await Task.sleep(for: interval / 2) } catch { return }
            }
        }
    }

    /// From the event loop itself: where the loop hangs, the watchdog gets no message.
    private func feed() async throws {
        let silent = DeviceThreads.silent(for: Self.patience)
        guard silent.isEmpty else {
            return logger.error(
                "a device holds the thread \(silent.joined(separator: ", ")); the watchdog is not fed any more",
                metadata: ["event": "daemon.thread_hangs"])
        }
        try await loop.submit { [notifier] in _ = notifier.notify(.watchdog) }.get()
    }
}
