package import ServiceSupport

/// The bridge as a program: reads its configuration, connects to both sides, and runs until a signal ends it.
package enum MQTTProgram {
    /// Runs until SIGTERM or SIGINT.
    package static func run(_ options: ServiceOptions, environment: [String: String]) async -> ExitStatus {
        await MQTTConfiguration.run(options, environment) { configuration, logger in
            try await BridgeRunner(configuration, environment, logger).run()
        }
    }
}
