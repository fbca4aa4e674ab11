package import ServiceSupport

/// What the command line says.
package struct WebOptions: Sendable {
    package var service: ServiceOptions
    /// Where to listen where systemd hands no socket over: `127.0.0.1:PORT`.
    package var listen: [String]
    package var listenTLS: [String]
    package var control: String?

    package init(
        _ service: ServiceOptions, listen: [String] = [], listenTLS: [String] = [], control: String? = nil
    ) {
        self.service = service
        self.listen = listen
        self.listenTLS = listenTLS
        self.control = control
    }
}
