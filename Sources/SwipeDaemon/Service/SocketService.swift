import EventServer
import ServiceLifecycle

/// Keeps the socket server running, and ends it with a `bye` to everybody.
struct SocketService: Service {
    let server: EventServer
    let notifier: ServiceNotifier

    func run() async throws {
        notifier.notify(.ready)
        try await gracefulShutdown()
        notifier.notify(.stopping)
        await server.stop()
    }
}
