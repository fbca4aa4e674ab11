import EventServer
import Glibc
import Logging
import ServiceLifecycle
import ServiceSupport

/// Writes the counters for Prometheus at intervals, and removes the file in the end.
struct MetricsWriter {
    let server: EventServer
    let configuration: DaemonConfiguration.Metrics
    let logger: Logger

    /// Runs until the daemon ends.
    func run() async {
        guard let path = configuration.path else { return }
        let file = MetricsFile(path: path)
        let startedAt = Double(time(nil))
        await cancelWhenGracefulShutdown {
            var lastFailure: Int32?
            while !Task.isCancelled {
                let metrics = MetricsText(
                    await server.report(), version: DaemonVersion.current, startedAt: startedAt)
                let failure = file.write(metrics.text)
                if let failure, failure != lastFailure { complain(path, failure) }
                lastFailure = failure
                try? await Task.sleep(for: configuration.interval)
            }
        }
        file.remove()
    }

    /// Once for each kind of failure: the next attempt comes in seconds.
    private func complain(_ path: String, _ failure: Int32) {
        logger.notice(
            "metrics cannot be written, trying again",
            metadata: ["event": "metrics.failed", "path": "\(path)", "why": "\(ErrorNumber.words(failure))"])
    }
}
