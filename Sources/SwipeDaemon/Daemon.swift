import Logging
package import ServiceSupport

/// The daemon: reads the configuration, puts the parts together, lets clients in, and runs until a signal ends it.
package struct Daemon: Sendable {
    /// Checks what ``DaemonOptions/configurationPath`` says.
    ///
    /// - Returns: what was read. Names under `[access]` that this system does not know are not a fault: they may be
    ///   added later.
    package static func checkConfiguration(
        _ options: DaemonOptions
    ) throws(ConfigurationError) -> CheckedConfiguration {
        try ConfigurationLoader.check(
            path: options.configurationPath, isRequired: options.isConfigurationRequired,
            socketPath: options.socketPath)
    }

    /// Why there is none: the log has more words.
    package struct Failure: Error {
        package var status: ExitStatus
    }

    /// What it listens to; held once it lets clients in.
    package static let signals: [ServiceSignal] = [.end, .reload]

    private let parts: DaemonParts
    private let log: DaemonLog

    /// Lets clients in, on the thread that the program began with and before it has another: signals wait from now on.
    package init(_ options: DaemonOptions, environment: [String: String]) throws(Failure) {
        // A reload waits until the configuration is read.
        ServiceSignal.hold([.reload])
        ServiceSignal.endAtOnce()
        log = DaemonLog(
            JournalLogHandler(of: "swiped", environment: environment, isForeground: options.isForeground))
        let configuration: DaemonConfiguration
        do throws(ConfigurationError) {
            configuration = try Self.load(options)
        } catch {
            log.logger.error(
                "bad configuration: \(error)", metadata: ["event": "daemon.bad_configuration"])
            throw Failure(status: .badConfiguration)
        }
        log.level = configuration.logLevel
        ServiceSignal.hold(Self.signals)
        do {
            parts = try DaemonParts(options, configuration, environment, log)
            try parts.listen()
        } catch {
            log.logger.error("\(StartComplaint.words(for: error))", metadata: ["event": "daemon.failed"])
            throw Failure(status: .failure)
        }
    }

    static func load(_ options: DaemonOptions) throws(ConfigurationError) -> DaemonConfiguration {
        try ConfigurationLoader.load(
            path: options.configurationPath, isRequired: options.isConfigurationRequired,
            socketPath: options.socketPath)
    }

    /// Runs until a signal says so.
    package func run(_ signals: AsyncStream<ServiceSignal>) async -> ExitStatus {
        await parts.run(signals)
        log.logger.info("ended", metadata: ["event": "daemon.end"])
        return .ok
    }
}
