package import SectionFiles
package import ServiceSupport
internal import SwipeProtocol

/// What swiped-web.conf says.
package struct WebConfiguration: ServiceConfiguration {
    /// The daemon's socket.
    var daemon = "/run/swiped/swiped.sock"
    var maximumPages = 200
    /// Where the live page's files are.
    var files = "/usr/share/swiped-web"
    /// Where the tokens are kept, as hashes.
    var state = "/var/lib/swiped-web"
    var origins: [WebOrigin: Doorkeeper.Rule] = [:]
    var live = Doorkeeper.Rule()
    var certificate = ""
    var key = ""
    /// `FILE:LINE` of each of the two.
    var certificatePlace = "", keyPlace = ""
    package var service = ServiceSettings(metrics: "/run/swiped-web/metrics.prom")

    package static let program = "swiped-web"
    package static let events = "web"
    package static let sections = ["[server]", "[live]", "[tls]", "[origin SCHEME://HOST]"]
    static let maximumOrigins = 256
    static let pageRange = 1...8_192

    package init() {}

    package mutating func take(_ section: FileSection) throws(SectionFaults) -> Bool {
        switch section.words {
        case ["server"]: try takeServer(section)
        case ["live"]: try live.take(section)
        case ["tls"]: try takeTLS(section)
        case let words where words.count == 2 && words[0] == "origin": try takeOrigin(words[1], section)
        case _: return false
        }
        return true
    }

    package func faults(in file: SectionFile) -> [SectionFault] {
        guard certificate.isEmpty != key.isEmpty else { return [] }
        let said = certificate.isEmpty ? "key" : "certificate"
        return [
            SectionFault(
                line: file.line(of: ["tls"], said), reason: "[tls] needs both a certificate and a key")
        ]
    }

    package mutating func note(_ file: SectionFile, of path: String) {
        certificatePlace = "\(path):\(file.line(of: ["tls"], "certificate"))"
        keyPlace = "\(path):\(file.line(of: ["tls"], "key"))"
    }

    package func checkFiles() throws(ConfigurationFault) {
        let files = [certificate, key]
        guard files.allSatisfy({ !$0.isEmpty && !$0.hasPrefix("/run/credentials/") }) else { return }
        _ = try TLS.context(self)
    }

    private mutating func takeServer(_ section: FileSection) throws(SectionFaults) {
        try section.each { entry throws(SectionFault) in
            switch entry.key {
            case "daemon": daemon = try entry.socketPath()
            case "max_pages": maximumPages = try entry.whole(Self.pageRange)
            case "files": files = try entry.path()
            case "state": state = try entry.path()
            case _: throw entry.unknown(["daemon", "max_pages", "files", "state"])
            }
        }
    }

    private mutating func takeTLS(_ section: FileSection) throws(SectionFaults) {
        try section.each { entry throws(SectionFault) in
            switch entry.key {
            case "certificate": certificate = try entry.pathOrNothing()
            case "key": key = try entry.pathOrNothing()
            case _: throw entry.unknown(["certificate", "key"])
            }
        }
    }

    private mutating func takeOrigin(_ text: String, _ section: FileSection) throws(SectionFaults) {
        guard let origin = WebOrigin(text) else {
            throw SectionFaults(
                line: section.line,
                reason:
                    "'\(text)' is not an origin: write http:// or https://, the host in lower case, and the port unless it "
                    + "is the scheme's own; no path, no pattern")
        }
        guard origins[origin] == nil else {
            throw SectionFaults(line: section.line, reason: "there is an [origin \(text)] already")
        }
        guard origins.count < Self.maximumOrigins else {
            throw SectionFaults(line: section.line, reason: "more than \(Self.maximumOrigins) origins")
        }
        var rule = Doorkeeper.Rule()
        try rule.take(section)
        origins[origin] = rule
    }
}

extension Doorkeeper.Rule {
    private static let roles: [Role] = [.status, .masked, .full]

    fileprivate mutating func take(_ section: FileSection) throws(SectionFaults) {
        try section.each { entry throws(SectionFault) in
            switch entry.key {
            case "role":
                guard let role = Self.roles.first(where: { $0.rawValue == entry.value }) else {
                    throw entry.fault("write status, masked or full")
                }
                self.role = role
            case "pairing": needsPairing = try entry.truth()
            case _: throw entry.unknown(["role", "pairing"])
            }
        }
    }
}

extension WebConfiguration {
    private static let asFarAs = ", where swiped.conf has user:swiped-web under [access] full"

    package var warnings: [String] {
        var warnings: [String] = []
        for (origin, rule) in origins.sorted(by: { $0.key.description < $1.key.description }) {
            if rule.role == .full { warnings.append("pages of \(origin) see cards in full\(Self.asFarAs)") }
            if !rule.needsPairing {
                warnings.append(
                    "pages of \(origin) need no pairing: every program of this machine can say it is one")
            }
        }
        if live.role == .full { warnings.append("the live page sees cards in full\(Self.asFarAs)") }
        if !live.needsPairing {
            warnings.append("the live page needs no pairing: every user of this machine can look at it")
        }
        return warnings
    }
}
