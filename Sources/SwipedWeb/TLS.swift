internal import Glibc
internal import NIOSSL
internal import ServiceSupport

/// TLS for browsers that want it also on the loopback: with a certificate that the administrator has made and trusts.
enum TLS {
    private static let maximumBytes = 256 * 1_024

    static func context(_ configuration: WebConfiguration) throws(ConfigurationFault) -> NIOSSLContext {
        guard !configuration.certificate.isEmpty else {
            throw ConfigurationFault(lines: [
                "a socket for TLS, and no [tls] certificate and key: see docs/web.md, swiped-web-authority"
            ])
        }
        let chain = try read(configuration.certificate, "\(configuration.certificatePlace): certificate") {
            try NIOSSLCertificate.fromPEMFile($0).map { NIOSSLCertificateSource.certificate($0) }
        }
        let key = try read(configuration.key, "\(configuration.keyPlace): key") {
            try NIOSSLPrivateKey(file: $0, format: .pem)
        }
        do {
            var settings = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain, privateKey: .privateKey(key))
            settings.minimumTLSVersion = .tlsv12
            settings.applicationProtocols = ["http/1.1"]
            return try NIOSSLContext(configuration: settings)
        } catch {
            throw ConfigurationFault(lines: [
                "\(configuration.certificatePlace): certificate: \(configuration.certificate) and "
                    + "\(configuration.key) do not go together: \(error)"
            ])
        }
    }

    /// - Parameter place: where the configuration names the file.
    private static func read<Content>(
        _ path: String, _ place: String, _ body: (String) throws -> Content
    ) throws(ConfigurationFault) -> Content {
        guard access(path, R_OK) != 0 || FileContent.read(path, maximumBytes: maximumBytes) != nil else {
            throw ConfigurationFault(lines: [
                "\(place): \(path): no file, or a longer one than any of these"
            ])
        }
        do { return try body(path) } catch {
            let reason =
                access(path, R_OK) == 0 ? "not in PEM form: \(error)" : String(cString: strerror(errno))
            throw ConfigurationFault(lines: ["\(place): \(path): \(reason)"])
        }
    }
}
