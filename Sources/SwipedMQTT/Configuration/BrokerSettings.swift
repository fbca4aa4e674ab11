internal import Glibc
internal import SectionFiles

/// Where the broker is, and as whom to connect.
struct BrokerSettings: Sendable, Hashable {
    var host = "localhost"
    /// Nil for the usual one: 1883, with TLS 8883.
    var port: Int?
    /// MQTT 5, or 3.1.1, which has no expiry and does not say why it refuses.
    var isVersion5 = true
    /// What the host is called in topics; nil for the machine's own name.
    var name: String?
    /// Nil for `swiped-` and the host's name.
    var client: String?
    var keepAlive = 30
    var user: String?
    var password: SecretFile?
    var isTLS = false
    /// Who may vouch for the broker; nil for whom the system trusts.
    var authority: SecretFile?
    var certificate: SecretFile?
    var key: SecretFile?
    /// Where each key stands: `FILE:LINE`.
    var places: [String: String] = [:]

    static let portRange = 1...65_535
    /// libmosquitto takes no less than 5; a broker waits one and a half times as long.
    static let keepAliveRange = 5...3_600

    var portInUse: Int { port ?? (isTLS ? 8_883 : 1_883) }

    static func isLocal(_ host: String) -> Bool {
        var address = in_addr()
        if inet_pton(AF_INET, host, &address) == 1 { return host.hasPrefix("127.") }
        return ["localhost", "::1"].contains(host)
    }

    /// What is wrong with the settings together, each with the key that needs another.
    var faults: [(key: String, reason: String)] {
        var faults: [(key: String, reason: String)] = []
        if password != nil, user == nil { faults.append(("password", "needs a user as well")) }
        if certificate != nil, key == nil { faults.append(("certificate", "needs a key as well")) }
        if key != nil, certificate == nil { faults.append(("key", "needs a certificate as well")) }
        let files = [("authority", authority), ("certificate", certificate), ("key", key)]
        for (key, file) in files where file != nil && !isTLS { faults.append((key, "needs tls = yes")) }
        return faults
    }

    /// `FILE:LINE: key: ` where a file says it.
    func place(_ key: String) -> String { (places[key].map { "\($0): " } ?? "[broker] ") + "\(key): " }

    mutating func take(_ section: FileSection) throws(SectionFaults) {
        try section.each { entry throws(SectionFault) in try take(entry) }
    }

    private mutating func take(_ entry: SectionEntry) throws(SectionFault) {
        switch entry.key {
        case "host": host = try entry.host()
        case "port": port = try entry.whole(Self.portRange)
        case "version": isVersion5 = try entry.word(of: ["5", "3.1.1"]) == "5"
        case "name": name = try entry.something()
        case "client_id": client = try entry.something()
        case "keepalive": keepAlive = try entry.whole(Self.keepAliveRange)
        case "user": user = try entry.something()
        case "password": password = SecretFile(try entry.something())
        case "tls": isTLS = try entry.truth()
        case "authority": authority = SecretFile(try entry.something())
        case "certificate": certificate = SecretFile(try entry.something())
        case "key": key = SecretFile(try entry.something())
        case _:
            throw entry.unknown([
                "host", "port", "version", "name", "client_id", "keepalive", "user", "password", "tls",
                "authority", "certificate", "key",
            ])
        }
    }
}

/// A file that is named by its path, or by the name of a credential that systemd hands over (systemd.exec(5), LoadCredential=).
struct SecretFile: Sendable, Hashable {
    let name: String

    init(_ name: String) { self.name = name }

    var isPath: Bool { name.hasPrefix("/") }

    static let variable = "CREDENTIALS_DIRECTORY"

    /// Nil where it is a credential, and systemd has handed none over.
    func path(_ environment: [String: String]) -> String? {
        if isPath { return name }
        return environment[Self.variable].map { "\($0)/\(name)" }
    }
}

extension SectionEntry {
    fileprivate func something() throws(SectionFault) -> String {
        guard !value.isEmpty else { throw fault("write something, or leave the line out") }
        return value
    }

    /// A name or an address: what the resolver would say of anything else comes late, and says little.
    fileprivate func host() throws(SectionFault) -> String {
        let host = try something()
        let isName = host.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ".-_".contains($0)) }
        var address = in6_addr()
        let zoneless = host.prefix { $0 != "%" }
        guard isName || inet_pton(AF_INET6, String(zoneless), &address) == 1 else {
            throw fault(
                "write a name or an address alone: port has a line of its own, and tls = yes is for mqtts:")
        }
        return host
    }
}
