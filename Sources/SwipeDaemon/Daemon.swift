import EventServer
import FoundationEssentials
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
package import ServiceSupport
import SwipeProtocol
import UnixSignals

/// The daemon: reads the configuration, puts the parts together, runs until a signal ends it.
package enum Daemon {
    /// Checks what ``DaemonOptions/configurationPath`` says.
    ///
    /// - Returns: what was read. Names under `[access]` that this system does not know are not a fault: they may be
    ///   added later.
    package static func checkConfiguration(
        _ options: DaemonOptions
    ) async throws(ConfigurationError) -> CheckedConfiguration {
        try await ConfigurationLoader.check(
            path: options.configurationPath, isRequired: options.isConfigurationRequired,
            socketPath: options.socketPath)
    }

    /// Runs the daemon until SIGTERM or SIGINT.
    package static func run(_ options: DaemonOptions) async -> ExitStatus {
        let hangups = await EarlySignals.trap()
        let environment = ProcessInfo.processInfo.environment
        let logging = DaemonLog(
            JournalLogHandler(of: "swiped", environment: environment, isForeground: options.isForeground))
        do throws(ConfigurationError) {
            let configuration = try await load(options)
            logging.level = configuration.logLevel
            return await serve(options, configuration, environment, logging, hangups)
        } catch {
            logging.logger.error(
                "bad configuration: \(error)", metadata: ["event": "daemon.bad_configuration"])
            return .badConfiguration
        }
    }

    static func load(_ options: DaemonOptions) async throws(ConfigurationError) -> DaemonConfiguration {
        try await ConfigurationLoader.load(
            path: options.configurationPath, isRequired: options.isConfigurationRequired,
            socketPath: options.socketPath)
    }

    private static func serve(
        _ options: DaemonOptions, _ configuration: DaemonConfiguration, _ environment: [String: String],
        _ log: DaemonLog, _ hangups: UnixSignalsSequence
    ) async -> ExitStatus {
        do {
            let parts = try DaemonParts(options, configuration, environment, log)
            try await parts.run(hangups: hangups)
            log.logger.info("ended", metadata: ["event": "daemon.end"])
            return .ok
        } catch is CancellationError {
            // Told to end, and some part was not through when its time was over: an end all the same.
            log.logger.warning("ended before everything was closed", metadata: ["event": "daemon.cut_short"])
            return .ok
        } catch {
            log.logger.error("\(StartComplaint.words(for: error))", metadata: ["event": "daemon.failed"])
            return .failure
        }
    }
}
