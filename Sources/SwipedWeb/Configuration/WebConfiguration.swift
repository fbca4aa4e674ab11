internal import SectionFiles
internal import SwipeProtocol

/// What swiped-web.conf says.
package struct WebConfiguration: Sendable {
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
    var metrics = "/run/swiped-web/metrics.prom"
    var metricsSeconds = 15
    var level = "info"

    static let path = "/etc/swiped/swiped-web.conf"
    static let maximumBytes = 64 * 1_024
    static let maximumOrigins = 256
    static let pageRange = 1...8_192
    static let intervalRange = 1...3_600
    static let levels = ["trace", "debug", "info", "notice", "warning", "error", "critical"]

    init() {}

    /// Reads a file's text. Everything that is wrong with it is said at once, each with its place.
    init(_ text: String, of path: String = Self.path) throws(WebConfigurationFault) {
        let file = SectionFile(reading: text, form: .any, maximumBytes: Self.maximumBytes)
        var faults = file.faults
        for section in file.sections {
            do throws(SectionFaults) { try take(section) } catch { faults += error.all }
        }
        if certificate.isEmpty != key.isEmpty {
            let said = certificate.isEmpty ? "key" : "certificate"
            faults.append(
                SectionFault(
                    line: file.line(of: ["tls"], said), reason: "[tls] needs both a certificate and a key"))
        }
        faults.sort { $0.line < $1.line }
        if !faults.isEmpty {
            throw WebConfigurationFault(lines: faults.map { $0.description(in: path) })
        }
        certificatePlace = "\(path):\(file.line(of: ["tls"], "certificate"))"
        keyPlace = "\(path):\(file.line(of: ["tls"], "key"))"
    }

    private mutating func take(_ section: FileSection) throws(SectionFaults) {
        switch section.words {
        case ["server"]: try takeServer(section)
        case ["live"]: try live.take(section)
        case ["tls"]: try takeTLS(section)
        case ["metrics"]: try takeMetrics(section)
        case ["log"]: try takeLog(section)
        case let words where words.count == 2 && words[0] == "origin": try takeOrigin(words[1], section)
        case _:
            throw SectionFaults(
                line: section.line,
                reason:
                    "unknown section; known: [server], [live], [tls], [metrics], [log], [origin SCHEME://HOST]"
            )
        }
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

    private mutating func takeMetrics(_ section: FileSection) throws(SectionFaults) {
        try section.each { entry throws(SectionFault) in
            switch entry.key {
            case "file": metrics = try entry.pathOrNothing()
            case "interval": metricsSeconds = try entry.whole(Self.intervalRange)
            case _: throw entry.unknown(["file", "interval"])
            }
        }
    }

    private mutating func takeLog(_ section: FileSection) throws(SectionFaults) {
        try section.each { entry throws(SectionFault) in
            guard entry.key == "level" else { throw entry.unknown(["level"]) }
            level = try entry.word(of: Self.levels)
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

/// All that is wrong with a configuration, a line each.
package struct WebConfigurationFault: Error, Sendable, Hashable {
    package var lines: [String]
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

    /// What an administrator should know at each start.
    var warnings: [String] {
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
