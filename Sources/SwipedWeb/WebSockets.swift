internal import ServiceSupport

/// The listening sockets of the gateway, from systemd or bound here.
struct WebSockets {
    private(set) var plain: [LoopbackSocket] = []
    private(set) var tls: [LoopbackSocket] = []
    private(set) var control: Int32?

    /// The names in the socket units.
    private static let (tlsName, controlName) = ("tls", "control")

    init(_ options: WebOptions, _ environment: [String: String]) throws {
        do throws(LoopbackSocket.Fault) {
            for handed in HandedSocket.all(environment: environment) {
                switch handed.name {
                case Self.controlName: control = handed.descriptor
                case Self.tlsName: tls.append(try LoopbackSocket(checking: handed.descriptor))
                case _: plain.append(try LoopbackSocket(checking: handed.descriptor))
                }
            }
            for address in options.listen { plain.append(try LoopbackSocket(listeningAt: address)) }
            for address in options.listenTLS { tls.append(try LoopbackSocket(listeningAt: address)) }
            if let path = options.control { control = try ControlFile.listen(at: path) }
        } catch {
            throw StartFault(words: error.description)
        }
        guard !plain.isEmpty || !tls.isEmpty else {
            throw StartFault(
                words: "no socket to listen at: start swiped-web.socket, or say --listen 127.0.0.1:PORT")
        }
    }
}
