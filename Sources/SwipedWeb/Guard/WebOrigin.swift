/// An origin as a browser sends it: scheme, host and port, serialised (RFC 6454, 6.1). Two are the same where their bytes are.
struct WebOrigin: Sendable, Hashable, CustomStringConvertible {
    let description: String

    private static let maximumLength = 256
    private static let defaultPorts = ["http": 80, "https": 443]

    /// An origin in the one form that a browser sends: lower case, nothing after the port, no port where it is the scheme's
    /// own. Nil for everything else, `null` and patterns among them.
    init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength, let mark = text.firstRange(of: "://"),
            let ownPort = Self.defaultPorts[String(text[..<mark.lowerBound])]
        else { return nil }
        let authority = text[mark.upperBound...]
        guard let (host, port) = Self.parts(authority), Self.isHost(host) else { return nil }
        if let port {
            guard let number = UInt16(port), number > 0, "\(number)" == port, Int(number) != ownPort else {
                return nil
            }
        }
        description = text
    }

    /// The host, and what stands after its colon.
    private static func parts(_ authority: Substring) -> (host: Substring, port: Substring?)? {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let rest = authority[authority.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            return (authority[...end], rest.isEmpty ? nil : rest.dropFirst())
        }
        guard let colon = authority.firstIndex(of: ":") else { return (authority, nil) }
        return (authority[..<colon], authority[authority.index(after: colon)...])
    }

    /// A name or an address as a browser writes it. A dot at the end is part of a name, and makes another one.
    private static func isHost(_ host: Substring) -> Bool {
        let isAddress = host.hasPrefix("[")
        let inner = isAddress ? host.dropFirst().dropLast() : host
        return !inner.isEmpty && !inner.hasPrefix(".") && !inner.hasPrefix("-")
            && inner.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "."):
                    true
                case UInt8(ascii: "-"), UInt8(ascii: "_"): !isAddress
                case UInt8(ascii: ":"): isAddress
                case _: false
                }
            }
    }
}

/// The names under which a listener may be asked for: its own, exact, with its port.
struct OwnHosts: Sendable, Hashable {
    /// What `Host` may say.
    let hosts: Set<String>
    /// The origins of the pages that the listener serves itself.
    let origins: Set<WebOrigin>

    private static let names = ["localhost", "127.0.0.1", "[::1]"]

    init(port: Int, isTLS: Bool) {
        let (scheme, ownPort) = isTLS ? ("https", 443) : ("http", 80)
        let hosts = Self.names.map { port == ownPort ? $0 : "\($0):\(port)" }
        self.hosts = Set(hosts)
        origins = Set(hosts.compactMap { WebOrigin("\(scheme)://\($0)") })
    }

    /// The origin of a page that was asked for under this name.
    func origin(of host: String) -> WebOrigin? { origins.first { $0.description.hasSuffix("://\(host)") } }
}
