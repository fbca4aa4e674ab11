import NIOCore
import ServiceLifecycle

/// Tells systemd that the event loop turns, twice in each watchdog interval.
///
/// The message is sent from the loop itself, so that a loop that hangs is a watchdog that starves.
struct WatchdogService: Service {
    let notifier: ServiceNotifier
    let loop: any EventLoop

    func run() async throws {
        guard let interval = notifier.watchdogInterval else { return try await gracefulShutdown() }
        let notifier = notifier
        let task = loop.scheduleRepeatedTask(
            initialDelay: .zero, delay: TimeAmount(interval / 2)
        ) { _ in
            notifier.notify(.watchdog)
        }
        defer { task.cancel() }
        try await gracefulShutdown()
    }
}
