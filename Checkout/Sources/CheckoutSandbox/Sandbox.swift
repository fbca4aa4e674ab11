import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOSSL

/// A payment service for tests and demonstrations: a real HTTP server with the API of `openapi.yaml` and books that
/// can be read. It takes published test numbers only; what happens is chosen by the number (``TestCard``).
package struct Sandbox: Sendable {
    private let options: SandboxOptions
    private let store: Store

    package init(_ options: SandboxOptions = SandboxOptions()) throws {
        self.options = options
        store = try Store(path: options.database, keySeconds: options.keySeconds)
    }

    /// Serves until the task is cancelled.
    ///
    /// - Parameter onReady: is told the address, `http://127.0.0.1:49152`, once it listens.
    package func run(onReady: @escaping @Sendable (String) -> Void) async throws {
        var logger = Logger(label: "checkout-sandbox")
        // Nothing of a request goes to a log.
        logger.logLevel = .critical
        let scheme = options.certificate == nil ? "http" : "https"
        let host = options.host
        let application = Application(
            router: API(
                store: store, slowSeconds: options.slowSeconds, slowUntil: options.slowUntil,
                takesManyCharges: options.takesManyCharges, scheme: scheme
            )
            .router(faults: options.faults),
            server: try serverBuilder(),
            configuration: ApplicationConfiguration(
                address: .hostname(options.host, port: options.port), serverName: "checkout-sandbox"),
            onServerRunning: { channel in onReady("\(scheme)://\(host):\(channel.localAddress?.port ?? 0)") },
            logger: logger)
        try await application.run()
    }

    private func serverBuilder() throws -> HTTPServerBuilder {
        guard let certificate = options.certificate else { return .http1() }
        let chain = try NIOSSLCertificate.fromPEMFile(certificate.chain).map {
            NIOSSLCertificateSource.certificate($0)
        }
        let key = try NIOSSLPrivateKey(file: certificate.key, format: .pem)
        return try .tls(
            .http1(),
            tlsConfiguration: TLSConfiguration.makeServerConfiguration(
                certificateChain: chain, privateKey: .privateKey(key)))
    }
}
