import ReaderKit
import ServiceLifecycle

/// Ends every reader's attachment when the daemon ends, before the socket server says `bye`.
struct ReadersService: Service {
    let supervisor: ReaderSupervisor

    func run() async throws {
        try await gracefulShutdown()
        await supervisor.stop(.shutdown)
    }
}
