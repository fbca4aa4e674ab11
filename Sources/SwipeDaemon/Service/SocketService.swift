import EventServer
import Logging
import ServiceLifecycle
import ServiceSupport
import SwipeProtocol

/// Keeps the socket server running, and ends it with a `bye` to every client.
struct SocketService: Service {
    let server: EventServer
    let notifier: ServiceNotifier
    let metrics: MetricsWriter
    let logger: Logger

    /// The number is the size of the memory for cards (`CSensitiveMemory`).
    private static let notLocked = """
        memory for cards is not locked and may be swapped out: allow the daemon 512 kB of it \
        (LimitMEMLOCK= in systemd, ulimit -l elsewhere)
        """

    /// Listens only now, when the group handles the signals: once a client can connect, the daemon can also be ended
    /// properly.
    func run() async throws {
        try await server.start()
        logger.info("listening", metadata: ["event": "daemon.start", "version": "\(DaemonVersion.current)"])
        if !CardMemory.isLocked {
            logger.warning("\(Self.notLocked)", metadata: ["event": "daemon.memory_not_locked"])
        }
        notifier.notify(.ready)
        // Only now: a daemon whose socket another one has must not touch the other one's file.
        async let written: Void = metrics.run()
        try await gracefulShutdown()
        await written
        notifier.notify(.stopping)
        await server.stop()
    }
}
