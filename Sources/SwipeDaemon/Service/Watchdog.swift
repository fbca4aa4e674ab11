import DeviceIO
import Logging
import NIOCore
import ServiceSupport

/// Reports to systemd that the daemon works, twice in each watchdog interval: that tasks run, that the event loop
/// turns, and that every thread between a device and its session does.
///
/// Whatever hangs, the message does not go out, and systemd starts the daemon again: a hung thread cannot be ended from
/// within.
struct Watchdog {
    /// The kernel holds a request to a reader that does not answer for 5 s; nothing of ours waits longer than 10 s.
    static let patience = Duration.seconds(15)

    let notifier: ServiceNotifier
    let loop: any EventLoop
    let logger: Logger

    /// Until the task is cancelled.
    func run() async {
        guard let interval = notifier.watchdogInterval else { return }
        while !Task.isCancelled {
            feed()
            try? await Task.sleep(for: interval / 2)
        }
    }

    /// From the event loop itself: where the loop hangs, the watchdog gets no message.
    private func feed() {
        let silent = DeviceThreads.silent(for: Self.patience)
        guard silent.isEmpty else {
            return logger.error(
                "a device holds the thread \(silent.joined(separator: ", ")); the watchdog is not fed any more",
                metadata: ["event": "daemon.thread_hangs"])
        }
        loop.execute { [notifier] in _ = notifier.notify(.watchdog) }
    }
}
