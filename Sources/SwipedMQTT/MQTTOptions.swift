/// What the command line says.
package struct MQTTOptions: Sendable {
    package var configurationPath: String?
    package var isForeground: Bool

    package init(configurationPath: String? = nil, isForeground: Bool = false) {
        self.configurationPath = configurationPath
        self.isForeground = isForeground
    }
}

/// How the bridge ends.
package enum MQTTExit: Int32, Sendable {
    case ok = 0
    case failure = 1
    case badConfiguration = 78
}
