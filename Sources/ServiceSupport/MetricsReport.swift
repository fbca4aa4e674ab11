package import Logging

/// The metrics' file of a service, written again and again.
package struct MetricsReport: Sendable {
    private let file: MetricsFile
    private let event: String
    private let logger: Logger
    private var lastFailure: Int32?

    /// - Parameter event: what the log calls a file that cannot be written.
    package init(path: String, event: String, _ logger: Logger) {
        file = MetricsFile(path: path)
        self.event = event
        self.logger = logger
    }

    /// Nil where the configuration says that there is none.
    package init?(_ configuration: some ServiceConfiguration, _ logger: Logger) {
        let path = configuration.service.metrics
        guard !path.isEmpty else { return nil }
        let event = "\(type(of: configuration).events).\(ServiceEvent.metricsFailed.rawValue)"
        self.init(path: path, event: event, logger)
    }

    /// Complains once for each kind of failure: the next attempt comes in seconds.
    package mutating func write(_ text: String) {
        let failure = file.write(text)
        if let failure, failure != lastFailure {
            logger.notice(
                "metrics cannot be written, trying again",
                metadata: [
                    "event": "\(event)", "path": "\(file.path)", "why": "\(ErrorNumber.words(failure))",
                ])
        }
        lastFailure = failure
    }

    package func remove() { file.remove() }
}
