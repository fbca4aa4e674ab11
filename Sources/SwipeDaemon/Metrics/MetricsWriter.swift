import EventServer
import Glibc
import Logging
import ServiceSupport

/// Writes the counters for Prometheus at intervals, and removes the file in the end.
struct MetricsWriter {
    let server: EventServer
    let configuration: DaemonConfiguration.Metrics
    let logger: Logger

    /// Until the task is cancelled.
    func run() async {
        guard let path = configuration.path else { return }
        var report = MetricsReport(path: path, event: "metrics.failed", logger)
        let startedAt = Double(time(nil))
        while !Task.isCancelled {
            let metrics = MetricsText(
                await server.report(), version: DaemonVersion.current, startedAt: startedAt)
            report.write(metrics.text)
            try? await Task.sleep(for: configuration.interval)
        }
        report.remove()
    }
}
