/// A topic with names to fill in: `{base}/reader/{reader}/swipe`.
struct TopicTemplate: Sendable, Hashable {
    /// What may stand in braces.
    enum Name: String, Sendable, Hashable, CaseIterable {
        case base, host, reader
    }

    private enum Part: Sendable, Hashable {
        case text(String)
        case name(Name)
    }

    private let parts: [Part]
    private let text: String

    /// The longest topic that MQTT has (1.5.4: a length of two bytes) is longer; nobody needs more than this.
    static let maximumBytes = 1_024

    /// - Parameters:
    ///   - needed: the names that must stand in it.
    ///   - allowed: those that may.
    /// - Throws: what is wrong with it, in words.
    init(_ text: String, needed: Set<Name>, allowed: Set<Name>) throws(Fault) {
        guard !text.isEmpty, text.utf8.count <= Self.maximumBytes else {
            throw Fault(words: "write a topic of 1 to \(Self.maximumBytes) bytes")
        }
        guard !text.contains(where: { $0 == "+" || $0 == "#" }), !text.hasPrefix("$"), !text.hasPrefix("/"),
            !text.hasSuffix("/"), !text.contains("//")
        else {
            throw Fault(words: "a topic to publish at has no + and no #, no empty level and no $ in front")
        }
        guard !text.unicodeScalars.contains(where: Self.isRefused) else {
            throw Fault(words: "a topic has no control characters")
        }
        let parts = try Self.parts(text)
        var found: Set<Name> = []
        for case .name(let name) in parts { found.insert(name) }
        if let missing = needed.subtracting(found).first {
            throw Fault(words: "{\(missing.rawValue)} must stand in it")
        }
        if let foreign = found.subtracting(allowed).first {
            throw Fault(words: "{\(foreign.rawValue)} has no meaning here")
        }
        self.parts = parts
        self.text = text
    }

    /// What is wrong with a topic.
    struct Fault: Error {
        var words: String
        /// Which of the topics: its key.
        var key = ""
    }

    private static func parts(_ text: String) throws(Fault) -> [Part] {
        var parts: [Part] = []
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            if open > rest.startIndex { parts.append(.text(String(rest[..<open]))) }
            guard let close = rest[open...].firstIndex(of: "}"),
                let name = Name(rawValue: String(rest[rest.index(after: open)..<close]))
            else {
                throw Fault(
                    words: "in braces may stand: \(Name.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            parts.append(.name(name))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        return parts
    }

    func filled(_ values: [Name: String]) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .name(let name): values[name] ?? ""
            }
        }.joined()
    }

    /// What a broker may refuse a topic for (MQTT 5, 1.5.4), as libmosquitto does.
    private static func isRefused(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control || scalar.properties.isNoncharacterCodePoint
    }

    /// A name of ours as one level of a topic: what would be another level, or a wildcard, is `_`.
    static func level(_ name: String) -> String {
        let scalars = name.unicodeScalars.map { scalar -> Unicode.Scalar in
            "/+#".unicodeScalars.contains(scalar) || isRefused(scalar) ? "_" : scalar
        }
        var text = String(String.UnicodeScalarView(scalars))
        if text.hasPrefix("$") { text = "_" + text.dropFirst() }
        return text.isEmpty ? "_" : text
    }
}

/// Where everything is published.
struct Topics: Sendable, Hashable {
    var base = "swiped/{host}"
    var templates: [Kind: String] = [:]

    /// What is published, or listened to, under a topic of its own.
    enum Kind: String, Sendable, Hashable, CaseIterable {
        case availability, state, swipe, loss, stats, bridge, command, response

        var usual: String {
            switch self {
            case .availability, .loss, .stats, .bridge: "{base}/\(rawValue)"
            case .state, .swipe, .command, .response: "{base}/reader/{reader}/\(rawValue)"
            }
        }

        var needsReader: Bool {
            switch self {
            case .availability, .loss, .stats, .bridge: false
            case .state, .swipe, .command, .response: true
            }
        }
    }
}

/// The topics of one host, filled in.
struct HostTopics: Sendable {
    let host: String
    let base: String
    private let templates: [Topics.Kind: TopicTemplate]

    init(_ topics: Topics, host: String) throws(TopicTemplate.Fault) {
        let level = TopicTemplate.level(host)
        self.host = level
        base = try Self.base(topics).filled([.host: level])
        var templates: [Topics.Kind: TopicTemplate] = [:]
        for kind in Topics.Kind.allCases { templates[kind] = try Self.template(kind, topics) }
        self.templates = templates
        var owners: [String: Topics.Kind] = [:]
        for kind in Topics.Kind.allCases {
            guard let other = owners.updateValue(kind, forKey: topic(kind, reader: "r")) else { continue }
            // The one that somebody wrote.
            let (wrong, first) = topics.templates[kind] == nil ? (other, kind) : (kind, other)
            throw TopicTemplate.Fault(
                words: "the same topic as \(first.rawValue): give one of the two another", key: wrong.rawValue
            )
        }
    }

    private static func base(_ topics: Topics) throws(TopicTemplate.Fault) -> TopicTemplate {
        try named("base") { () throws(TopicTemplate.Fault) in
            try TopicTemplate(topics.base, needed: [], allowed: [.host])
        }
    }

    private static func template(
        _ kind: Topics.Kind, _ topics: Topics
    ) throws(TopicTemplate.Fault) -> TopicTemplate {
        try named(kind.rawValue) { () throws(TopicTemplate.Fault) in
            try TopicTemplate(
                topics.templates[kind] ?? kind.usual, needed: kind.needsReader ? [.reader] : [],
                allowed: kind.needsReader ? [.base, .host, .reader] : [.base, .host])
        }
    }

    private static func named(
        _ key: String, _ make: () throws(TopicTemplate.Fault) -> TopicTemplate
    ) throws(TopicTemplate.Fault) -> TopicTemplate {
        do throws(TopicTemplate.Fault) { return try make() } catch {
            throw TopicTemplate.Fault(words: error.words, key: key)
        }
    }

    /// All that is wrong with them.
    static func faults(in topics: Topics) -> [TopicTemplate.Fault] {
        var faults: [TopicTemplate.Fault] = []
        do throws(TopicTemplate.Fault) { _ = try base(topics) } catch { faults.append(error) }
        for kind in Topics.Kind.allCases {
            do throws(TopicTemplate.Fault) { _ = try template(kind, topics) } catch { faults.append(error) }
        }
        guard faults.isEmpty else { return faults }
        do throws(TopicTemplate.Fault) { _ = try HostTopics(topics, host: "host") } catch {
            faults.append(error)
        }
        return faults
    }

    func topic(_ kind: Topics.Kind, reader: String = "") -> String {
        templates[kind]?.filled([.base: base, .host: host, .reader: TopicTemplate.level(reader)]) ?? ""
    }

    /// The reader's level of a topic of a kind; nil where it is none of those.
    func reader(_ kind: Topics.Kind, in topic: String) -> String? {
        guard let filter = filter(kind) else { return nil }
        let (wanted, levels) = (filter.split(separator: "/"), topic.split(separator: "/"))
        guard let index = wanted.firstIndex(of: "+"), levels.count == wanted.count,
            zip(wanted, levels).allSatisfy({ $0 == "+" || $0 == $1 })
        else { return nil }
        return String(levels[index])
    }

    /// What all readers' topics of a kind match; nil where the reader's name is not a level of its own.
    func filter(_ kind: Topics.Kind) -> String? {
        let filter = templates[kind]?.filled([.base: base, .host: host, .reader: "+"]) ?? ""
        let levels = filter.split(separator: "/", omittingEmptySubsequences: false)
        return levels.allSatisfy { !$0.contains("+") || $0 == "+" } ? filter : nil
    }
}
