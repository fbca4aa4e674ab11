/// A payment service's address in one form, however it was written: requests are made to it, and notes are kept under it.
///
///     HTTPS://Pay.Example.com:443/shop/   and   https://pay.example.com/shop   are one service
///     http://localhost:8080, http://127.0.0.1:8080, http://127.0.0.2:8080 and http://[::1]:8080   have one ``name``
public struct ServiceAddress: Sendable, Hashable {
    /// `http` or `https`, or what else was written, in lower case.
    public let scheme: String
    /// In lower case, without a dot at its end. IPv4 addresses have four decimal numbers, IPv6 addresses brackets and the
    /// form of RFC 5952.
    public let host: String
    /// 443 or 80 where none was written.
    public let port: Int
    /// Empty, or with a slash at its beginning and none at its end.
    public let path: String

    /// Reads an address: scheme, host, perhaps a port and a path.
    ///
    /// - Returns: nil where that is not all there is: a user's name, a query, a fragment, a host that is not ASCII.
    public init?(_ text: String) {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }),
            let mark = Self.range(of: "://", in: text)
        else { return nil }
        scheme = text[..<mark.lowerBound].lowercased()
        let rest = text[mark.upperBound...]
        guard !scheme.isEmpty, scheme.utf8.allSatisfy({ (0x61...0x7A).contains($0) }),
            !rest.contains(where: { "?#@".contains($0) })
        else { return nil }
        let authority = rest.prefix { $0 != "/" }
        guard let (host, port) = Self.split(authority), let canonical = HostName.canonical(host) else {
            return nil
        }
        self.host = canonical
        let usual = ["https": 443, "http": 80][scheme] ?? 0
        guard let number = port.isEmpty ? usual : Int(port), (port.isEmpty ? 0 : 1)...65_535 ~= number else {
            return nil
        }
        self.port = number
        self.path = Self.canonicalPath(rest.dropFirst(authority.count))
    }

    /// Where requests go.
    public var url: String { "\(scheme)://\(host)\(suffix)" }

    /// What notes call the service: this machine by one name.
    public var name: String { "\(scheme)://\(isThisMachine ? "localhost" : host)\(suffix)" }

    /// The name of an address as it was written; the text itself where that is none.
    public static func name(of text: String) -> String { ServiceAddress(text)?.name ?? text }

    /// Whether it cannot lead to another machine (RFC 6761 §6.3, RFC 1122 §3.2.1.3, RFC 4291 §2.5.3).
    public var isThisMachine: Bool {
        host == "localhost" || host == "[::1]" || (host.hasPrefix("127.") && HostName.isIPv4(host))
    }

    private var suffix: String {
        let isUsual = (scheme == "https" && port == 443) || (scheme == "http" && port == 80) || port == 0
        return (isUsual ? "" : ":\(port)") + path
    }

    private static func range(of mark: String, in text: String) -> Range<String.Index>? {
        var start = text.startIndex
        while start < text.endIndex {
            if text[start...].hasPrefix(mark) { return start..<text.index(start, offsetBy: mark.count) }
            start = text.index(after: start)
        }
        return nil
    }

    /// Host and port; the port is empty where there is none.
    private static func split(_ authority: Substring) -> (host: Substring, port: Substring)? {
        let end: Substring.Index
        if authority.hasPrefix("[") {
            guard let bracket = authority.firstIndex(of: "]") else { return nil }
            end = authority.index(after: bracket)
        } else {
            end = authority.firstIndex(of: ":") ?? authority.endIndex
        }
        let rest = authority[end...]
        guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
        let port = rest.dropFirst()
        guard port.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return (authority[..<end], port)
    }

    /// RFC 3986 §6.2.2: what need not be written as `%7E` is not, and then dots are followed, as servers do with `%2E`. Of several
    /// slashes one is enough.
    private static func canonicalPath(_ path: Substring) -> String {
        var parts: [String] = []
        for part in path.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            switch unescaped(part) {
            case "", ".": break
            case "..": _ = parts.popLast()
            case let name: parts.append(name)
            }
        }
        return parts.map { "/" + $0 }.joined()
    }

    private static func unescaped(_ part: Substring) -> String {
        var result: [UInt8] = []
        var bytes = Array(part.utf8)[...]
        while let byte = bytes.popFirst() {
            let digits = String(decoding: bytes.prefix(2), as: UTF8.self)
            guard byte == UInt8(ascii: "%"), digits.utf8.count == 2, let value = UInt8(digits, radix: 16)
            else {
                result.append(byte)
                continue
            }
            bytes = bytes.dropFirst(2)
            let isPlain = (48...57).contains(value) || (65...90).contains(value) || (97...122).contains(value)
            if isPlain || "-._~".utf8.contains(value) {
                result.append(value)
            } else {
                result += Array(("%" + digits.uppercased()).utf8)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
