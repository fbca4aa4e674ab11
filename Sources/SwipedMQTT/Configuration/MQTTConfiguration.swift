internal import Glibc
package import SectionFiles
package import ServiceSupport
internal import SwipeProtocol

/// What swiped-mqtt.conf says.
package struct MQTTConfiguration: ServiceConfiguration {
    /// The daemon's socket.
    var daemon = "/run/swiped/swiped.sock"
    var broker = BrokerSettings()
    var topics = Topics()
    var fields = FieldSet.usual
    /// How long anybody wants a swipe, and how many may wait for the broker.
    var expirySeconds = 60
    var queue = 1_000
    /// How often statistics are published; 0 for never.
    var statisticsSeconds = 60
    /// Where Home Assistant looks for what there is; nil where it is not told.
    var discovery: String?
    /// What may be asked over the broker.
    var commands: Set<Method> = []
    package var service = ServiceSettings(metrics: "/run/swiped-mqtt/metrics.prom")

    package static let program = "swiped-mqtt"
    package static let events = "mqtt"
    static let file = "/etc/swiped/swiped-mqtt.conf"
    package static let sections = [
        "[daemon]", "[broker]", "[topics]", "[swipes]", "[stats]", "[discovery]", "[commands]",
    ]
    static let expiryRange = 1...86_400
    static let queueRange = 1...10_000
    static let statisticsRange = 0...86_400

    package init() {}

    package mutating func take(_ section: FileSection) throws(SectionFaults) -> Bool {
        switch section.words {
        case ["daemon"]: try takeDaemon(section)
        case ["broker"]: try broker.take(section)
        case ["topics"]: try topics.take(section)
        case ["swipes"]: try takeSwipes(section)
        case ["stats"]: try takeStatistics(section)
        case ["discovery"]: try takeDiscovery(section)
        case ["commands"]: try takeCommands(section)
        case _: return false
        }
        return true
    }

    package func faults(in file: SectionFile) -> [SectionFault] {
        broker.faults.map { fault in
            SectionFault(
                line: file.line(of: ["broker"], fault.key), reason: "\(fault.key): \(fault.reason)")
        }
            + HostTopics.faults(in: topics, name: broker.name).map { fault in
                SectionFault(
                    line: file.line(of: ["topics"], fault.key), reason: "\(fault.key): \(fault.words)")
            }
    }

    package mutating func note(_ file: SectionFile, of path: String) {
        for entry in file.sections.filter({ $0.words == ["broker"] }).flatMap(\.entries) {
            broker.places[entry.key] = "\(path):\(entry.line)"
        }
    }

    package func checkFiles() throws(ConfigurationFault) {
        let faults = BrokerIdentity.faults(of: broker, Self.credentials)
        if !faults.isEmpty { throw ConfigurationFault(lines: faults) }
    }

    /// The least that the daemon has to show for what is published.
    ///
    /// A command needs a claim, which needs more than `status`.
    var role: Role { fields.needsMasked || !commands.isEmpty ? .masked : .status }

    private mutating func takeDaemon(_ section: FileSection) throws(SectionFaults) {
        try section.each { entry throws(SectionFault) in
            guard entry.key == "socket" else { throw entry.unknown(["socket"]) }
            daemon = try entry.socketPath()
        }
    }

    private mutating func takeSwipes(_ section: FileSection) throws(SectionFaults) {
        try section.each { entry throws(SectionFault) in
            switch entry.key {
            case "fields":
                guard let fields = FieldSet(entry.value) else {
                    let known = FieldSet.Field.allCases.map(\.rawValue).joined(separator: ", ")
                    throw entry.fault("write names with blanks between them, or none; known: \(known)")
                }
                self.fields = fields
            case "expiry": expirySeconds = try entry.whole(Self.expiryRange)
            case "queue": queue = try entry.whole(Self.queueRange)
            case _: throw entry.unknown(["fields", "expiry", "queue"])
            }
        }
    }

    private mutating func takeStatistics(_ section: FileSection) throws(SectionFaults) {
        try section.each { entry throws(SectionFault) in
            guard entry.key == "interval" else { throw entry.unknown(["interval"]) }
            statisticsSeconds = try entry.whole(Self.statisticsRange)
        }
    }

    private mutating func takeDiscovery(_ section: FileSection) throws(SectionFaults) {
        var isOn = false
        var prefix = "homeassistant"
        try section.each { entry throws(SectionFault) in
            switch entry.key {
            case "enabled": isOn = try entry.truth()
            case "prefix":
                prefix = entry.value
                do throws(TopicTemplate.Fault) {
                    _ = try TopicTemplate(prefix, needed: [], allowed: [])
                } catch {
                    throw entry.fault(error.words)
                }
            case _: throw entry.unknown(["enabled", "prefix"])
            }
        }
        discovery = isOn ? prefix : nil
    }

    private mutating func takeCommands(_ section: FileSection) throws(SectionFaults) {
        try section.each { entry throws(SectionFault) in
            guard entry.key == "allow" else { throw entry.unknown(["allow"]) }
            let words = entry.value.split(whereSeparator: \.isWhitespace).map(String.init)
            let known = CommandDesk.known.map(\.rawValue)
            guard words.allSatisfy(known.contains) else {
                throw entry.fault(
                    "write names with blanks between them; known: \(known.joined(separator: ", "))")
            }
            commands = Set(words.compactMap { Method(rawValue: $0) })
        }
    }
}

extension Topics {
    fileprivate mutating func take(_ section: FileSection) throws(SectionFaults) {
        try section.each { entry throws(SectionFault) in
            if entry.key == "base" {
                base = entry.value
            } else if let kind = Kind(rawValue: entry.key) {
                // Else there is no filter to listen by.
                guard kind != .command || entry.value.split(separator: "/").contains("{reader}") else {
                    throw entry.fault("{reader} must be a level of its own")
                }
                templates[kind] = entry.value
            } else {
                throw entry.unknown(["base"] + Kind.allCases.map(\.rawValue))
            }
        }
    }
}

extension MQTTConfiguration {
    package var warnings: [String] {
        let found = BrokerIdentity.warnings(of: broker, Self.credentials)
        guard !broker.isTLS, !BrokerSettings.isLocal(broker.host) else { return found }
        guard broker.user != nil else {
            return found + [
                "what is published goes to \(broker.host) without TLS and without a user: everybody on the way can read and change it, and the broker cannot tell this machine from another"
            ]
        }
        return found + ["the password goes to \(broker.host) without TLS: everybody on the way can read it"]
    }

    /// The credentials that systemd hands to the service, where this is it (or a command of its unit).
    private static var credentials: [String: String] {
        getenv(SecretFile.variable).map { [SecretFile.variable: String(cString: $0)] } ?? [:]
    }
}
