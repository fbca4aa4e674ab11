import ServiceLifecycle
import UnixSignals

/// Reloads the configuration on SIGHUP.
struct ReloadService: Service {
    /// Trapped before anything else starts: an early SIGHUP must not end the daemon.
    let signals: UnixSignalsSequence
    let reload: @Sendable () async -> Void

    func run() async throws {
        for await _ in signals.cancelOnGracefulShutdown() { await reload() }
    }
}
