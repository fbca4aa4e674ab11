package import Logging

/// What the command line of a service says to it.
package struct ServiceOptions: Sendable {
    package var configurationPath: String?
    package var isForeground: Bool

    package init(configurationPath: String? = nil, isForeground: Bool = false) {
        self.configurationPath = configurationPath
        self.isForeground = isForeground
    }
}

/// What every service says in its log, after the service's own ``ServiceConfiguration/events``.
package enum ServiceEvent: String, Sendable, CaseIterable {
    case warning
    case badConfiguration = "bad_configuration"
    case failed
    case metricsFailed = "metrics_failed"
}

extension ServiceConfiguration {
    static func metadata(_ event: ServiceEvent) -> Logger.Metadata {
        ["event": "\(events).\(event.rawValue)"]
    }

    /// Reads the configuration, says its warnings and serves; the log has why it does not.
    package static func run(
        _ options: ServiceOptions, _ environment: [String: String],
        serve: (Self, Logger) async throws -> ExitStatus
    ) async -> ExitStatus {
        let handler = JournalLogHandler(
            of: program, environment: environment, isForeground: options.isForeground)
        var logger = Logger(label: program) { _ in handler }
        do {
            let (configuration, _) = try load(options.configurationPath)
            logger.logLevel = Logger.Level(rawValue: configuration.service.level) ?? .info
            for warning in configuration.warnings {
                logger.warning("\(warning)", metadata: metadata(.warning))
            }
            return try await serve(configuration, logger)
        } catch let fault as ConfigurationFault {
            for line in fault.lines {
                logger.error("bad configuration: \(line)", metadata: metadata(.badConfiguration))
            }
            return .badConfiguration
        } catch {
            let fault = error as? StartFault ?? StartFault(words: "\(error)")
            logger.error("cannot start: \(fault.words)", metadata: metadata(.failed))
            return fault.exit
        }
    }
}
