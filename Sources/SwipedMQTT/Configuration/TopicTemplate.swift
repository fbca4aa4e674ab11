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

    /// The names that stand in it.
    var names: Set<Name> { Set(Name.allCases.filter { parts.contains(.name($0)) }) }

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
