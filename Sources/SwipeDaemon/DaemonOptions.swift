/// What the command line says.
package struct DaemonOptions: Sendable {
    package var configurationPath: String
    /// Whether the path was given, so that a missing file is an error.
    package var isConfigurationRequired: Bool
    /// Instead of `[server] socket`, and of the socket that systemd hands over.
    package var socketPath: String?
    /// Logs for a person at a terminal, also under systemd.
    package var isForeground: Bool
    package var allowsSimulation: Bool

    package init(
        configurationPath: String? = nil, socketPath: String? = nil, isForeground: Bool = false,
        allowsSimulation: Bool = false
    ) {
        self.configurationPath = configurationPath ?? ConfigurationLoader.defaultPath
        isConfigurationRequired = configurationPath != nil
        self.socketPath = socketPath
        self.isForeground = isForeground
        self.allowsSimulation = allowsSimulation
    }
}
