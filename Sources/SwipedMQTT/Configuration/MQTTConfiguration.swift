internal import SectionFiles
internal import SwipeProtocol

/// What swiped-mqtt.conf says.
package struct MQTTConfiguration: Sendable {
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
    var metrics = "/run/swiped-mqtt/metrics.prom"
    var metricsSeconds = 15
    var level = "info"

    static let path = "/etc/swiped/swiped-mqtt.conf"
    static let maximumBytes = 64 * 1_024
    static let expiryRange = 1...86_400
    static let queueRange = 1...10_000
    static let statisticsRange = 0...86_400
    static let intervalRange = 1...3_600
    static let levels = ["trace", "debug", "info", "notice", "warning", "error", "critical"]

    init() {}

    /// Reads a file's text. Everything that is wrong with it is said at once, each with its place.
    init(_ text: String, of path: String = Self.path) throws(MQTTConfigurationFault) {
        let file = SectionFile(reading: text, form: .any, maximumBytes: Self.maximumBytes)
        var faults = file.faults
        for section in file.sections {
            do throws(SectionFaults) { try take(section) } catch { faults += error.all }
        }
        faults += broker.faults.map { fault in
            SectionFault(
                line: file.line(of: ["broker"], fault.key), reason: "\(fault.key): \(fault.reason)")
        }
        faults += HostTopics.faults(in: topics).map { fault in
            SectionFault(line: file.line(of: ["topics"], fault.key), reason: "\(fault.key): \(fault.words)")
        }
        faults.sort { $0.line < $1.line }
        guard faults.isEmpty else {
            throw MQTTConfigurationFault(lines: faults.map { $0.description(in: path) })
        }
        for entry in file.sections.filter({ $0.words == ["broker"] }).flatMap(\.entries) {
            broker.places[entry.key] = "\(path):\(entry.line)"
        }
    }

    /// The least that the daemon has to show for what is published.
    ///
    /// A command needs a claim, which needs more than `status`.
    var role: Role { fields.needsMasked || !commands.isEmpty ? .masked : .status }

    private mutating func take(_ section: FileSection) throws(SectionFaults) {
        switch section.words {
        case ["daemon"]: try takeDaemon(section)
        case ["broker"]: try broker.take(section)
        case ["topics"]: try topics.take(section)
        case ["swipes"]: try takeSwipes(section)
        case ["stats"]: try takeStatistics(section)
        case ["discovery"]: try takeDiscovery(section)
        case ["commands"]: try takeCommands(section)
        case ["metrics"]: try takeMetrics(section)
        case ["log"]: try takeLog(section)
        case _:
            throw SectionFaults(
                line: section.line,
                reason:
                    "unknown section; known: [daemon], [broker], [topics], [swipes], [stats], [discovery], "
                    + "[commands], [metrics], [log]"
            )
        }
    }

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
}

/// All that is wrong with a configuration, a line each.
package struct MQTTConfigurationFault: Error, Sendable, Hashable {
    package var lines: [String]
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
    /// What an administrator should know at each start.
    var warnings: [String] {
        let readable = BrokerIdentity.warnings(of: broker)
        guard broker.user != nil, !broker.isTLS, !BrokerSettings.isLocal(broker.host) else { return readable }
        return readable + [
            "the password goes to \(broker.host) without TLS: everybody on the way can read it"
        ]
    }
}
