internal import NIOSSL
internal import ServiceSupport

/// TLS for browsers that want it also on the loopback: with a certificate that the administrator has made and trusts.
enum TLS {
    private static let maximumBytes = 256 * 1_024

    static func context(_ configuration: WebConfiguration) throws(WebConfigurationFault) -> NIOSSLContext {
        guard !configuration.certificate.isEmpty else {
            throw WebConfigurationFault(lines: [
                "a socket for TLS, and no [tls] certificate and key: see docs/web.md, swiped-web-authority"
            ])
        }
        for path in [configuration.certificate, configuration.key]
        where FileContent.read(path, maximumBytes: maximumBytes) == nil {
            throw WebConfigurationFault(lines: ["[tls] \(path) is not there, or cannot be read"])
        }
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(configuration.certificate).map {
                NIOSSLCertificateSource.certificate($0)
            }
            let key = try NIOSSLPrivateKey(file: configuration.key, format: .pem)
            var settings = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain, privateKey: .privateKey(key))
            settings.minimumTLSVersion = .tlsv12
            settings.applicationProtocols = ["http/1.1"]
            return try NIOSSLContext(configuration: settings)
        } catch {
            throw WebConfigurationFault(lines: [
                "[tls] \(configuration.certificate) and \(configuration.key) are not a certificate and its key: \(error)"
            ])
        }
    }
}
