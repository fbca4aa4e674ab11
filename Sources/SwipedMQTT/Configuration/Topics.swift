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
        base = try Self.base(topics, name: host).filled([.host: level])
        var templates: [Topics.Kind: TopicTemplate] = [:]
        for kind in Topics.Kind.allCases { templates[kind] = try Self.template(kind, topics) }
        self.templates = templates
        try checkThatTheyDiffer(topics)
    }

    /// Whatever readers are called: by its serial number, one has nearly any name that it likes.
    private func checkThatTheyDiffer(_ topics: Topics) throws(TopicTemplate.Fault) {
        let patterns = Topics.Kind.allCases.map { ($0, TopicPattern(pattern($0))) }
        for (index, (kind, pattern)) in patterns.enumerated() {
            guard let other = patterns[..<index].first(where: { $0.1.mayBe(pattern) })?.0 else { continue }
            // The one that somebody wrote.
            let (wrong, first) = topics.templates[kind] == nil ? (other, kind) : (kind, other)
            throw TopicTemplate.Fault(
                words: topic(kind, reader: "r") == topic(other, reader: "r")
                    ? "the same topic as \(first.rawValue): give one of the two another"
                    : "the same topic as \(first.rawValue) where a reader is called so: give one of the two another",
                key: wrong.rawValue)
        }
    }

    /// - Parameter name: what this machine is called, where that is written down.
    private static func base(
        _ topics: Topics, name: String?
    ) throws(TopicTemplate.Fault) -> TopicTemplate {
        try named("base") { () throws(TopicTemplate.Fault) in
            let base = try TopicTemplate(topics.base, needed: [], allowed: [.host])
            let own = name.map { Substring(TopicTemplate.level($0)) }
            guard
                base.names.contains(.host) || topics.base.split(separator: "/").contains(where: { $0 == own })
            else {
                throw TopicTemplate.Fault(
                    words: "{host} must stand in it, or the [broker] name as a level: \(whyOwn)")
            }
            return base
        }
    }

    /// It reads states that are kept below its topics, and empties those of readers that it does not know.
    private static let whyOwn =
        "else every machine that is set up so takes the others' states for its own, and empties them"

    private static func template(
        _ kind: Topics.Kind, _ topics: Topics
    ) throws(TopicTemplate.Fault) -> TopicTemplate {
        try named(kind.rawValue) { () throws(TopicTemplate.Fault) in
            let template = try TopicTemplate(
                topics.templates[kind] ?? kind.usual, needed: kind.needsReader ? [.reader] : [],
                allowed: kind.needsReader ? [.base, .host, .reader] : [.base, .host])
            guard !template.names.isDisjoint(with: [.base, .host]) else {
                throw TopicTemplate.Fault(words: "{base} or {host} must stand in it: \(whyOwn)")
            }
            return template
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
    static func faults(in topics: Topics, name: String?) -> [TopicTemplate.Fault] {
        var faults: [TopicTemplate.Fault] = []
        do throws(TopicTemplate.Fault) { _ = try base(topics, name: name) } catch { faults.append(error) }
        for kind in Topics.Kind.allCases {
            do throws(TopicTemplate.Fault) { _ = try template(kind, topics) } catch { faults.append(error) }
        }
        guard faults.isEmpty else { return faults }
        do throws(TopicTemplate.Fault) { _ = try HostTopics(topics, host: name ?? "host") } catch {
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

    /// With a `+`, which no topic has, for a reader's name.
    private func pattern(_ kind: Topics.Kind) -> String {
        templates[kind]?.filled([.base: base, .host: host, .reader: "+"]) ?? ""
    }

    /// What all readers' topics of a kind match; nil where the reader's name is not a level of its own.
    func filter(_ kind: Topics.Kind) -> String? {
        let filter = pattern(kind)
        let levels = filter.split(separator: "/", omittingEmptySubsequences: false)
        return levels.allSatisfy { !$0.contains("+") || $0 == "+" } ? filter : nil
    }
}

/// What the topics of a kind look like, whatever the readers are called.
private struct TopicPattern {
    /// Each level: as it is, or what stands before and behind a name.
    private let levels: [(text: Substring, before: Substring, behind: Substring, isOpen: Bool)]

    /// - Parameter topic: with a `+` for a reader's name.
    init(_ topic: String) {
        levels = topic.split(separator: "/", omittingEmptySubsequences: false).map { level in
            guard let first = level.firstIndex(of: "+"), let last = level.lastIndex(of: "+") else {
                return (level, level, "", false)
            }
            return (level, level[..<first], level[level.index(after: last)...], true)
        }
    }

    /// Whether two can be one topic. Where a level has two names it may say so too often, never too seldom.
    func mayBe(_ other: TopicPattern) -> Bool {
        levels.count == other.levels.count
            && zip(levels, other.levels).allSatisfy { one, two in
                switch (one.isOpen, two.isOpen) {
                case (false, false): one.text == two.text
                case (true, false): Self.covers(one.before, one.behind, two.text)
                case (false, true): Self.covers(two.before, two.behind, one.text)
                case (true, true):
                    (one.before.hasPrefix(two.before) || two.before.hasPrefix(one.before))
                        && (one.behind.hasSuffix(two.behind) || two.behind.hasSuffix(one.behind))
                }
            }
    }

    /// Whether some name between the two makes the text.
    private static func covers(_ before: Substring, _ behind: Substring, _ text: Substring) -> Bool {
        text.hasPrefix(before) && text.hasSuffix(behind)
            && text.utf8.count > before.utf8.count + behind.utf8.count
    }
}
