package import ServiceSupport

/// The bridge as a program: reads its configuration, connects to both sides, and runs until a signal ends it.
package enum MQTTProgram {
    /// Runs until a signal says so.
    package static func run(
        _ options: ServiceOptions, environment: [String: String], signals: AsyncStream<ServiceSignal>
    ) async -> ExitStatus {
        await MQTTConfiguration.run(options, environment) { configuration, logger in
            try await BridgeRunner(configuration, environment, logger).run(signals)
        }
    }

    /// A drop-in for the unit, made of the configuration: it lets the program reach the broker, and nothing else.
    ///
    /// - Parameter named: the configuration, instead of the usual file.
    package static func dropIn(_ named: String?) throws -> String {
        try AddressDropIn(of: read(named).broker.host).text
    }

    private static func read(_ named: String?) throws(ConfigurationFault) -> MQTTConfiguration {
        let path = named ?? MQTTConfiguration.file
        if named == nil, !FileContent.isThere(path) { return MQTTConfiguration() }
        guard let bytes = FileContent.read(path, maximumBytes: maximumBytes),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw ConfigurationFault(lines: ["\(path): it cannot be read"]) }
        return try MQTTConfiguration(text, of: path)
    }

    private static let maximumBytes = 64 * 1_024
}
