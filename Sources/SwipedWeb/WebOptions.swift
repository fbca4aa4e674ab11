/// What the command line says.
package struct WebOptions: Sendable {
    package var configurationPath: String?
    /// Where to listen where systemd hands no socket over: `127.0.0.1:PORT`.
    package var listen: [String]
    package var listenTLS: [String]
    package var control: String?
    package var isForeground: Bool

    package init(
        configurationPath: String? = nil, listen: [String] = [], listenTLS: [String] = [],
        control: String? = nil,
        isForeground: Bool = false
    ) {
        self.configurationPath = configurationPath
        self.listen = listen
        self.listenTLS = listenTLS
        self.control = control
        self.isForeground = isForeground
    }
}

/// How the gateway ends.
package enum WebExit: Int32, Sendable {
    case ok = 0
    case failure = 1
    case badConfiguration = 78
}
