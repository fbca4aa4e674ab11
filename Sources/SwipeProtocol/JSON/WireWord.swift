/// A set of words on the wire. This version takes these and no others.
package protocol WireWord: RawRepresentable<String>, CaseIterable, WireValue {}

extension WireWord {
    package func write(to writer: inout JSONWriter) { writer.write(rawValue) }

    package init(json: JSONValue) throws(WireError) {
        guard let name = json.string, let word = Self(rawValue: name) else {
            throw WireError("not one of \(Self.words.joined(separator: ", "))")
        }
        self = word
    }

    package static var schema: JSONValue { SchemaParts.words(Self.self) }

    /// The words as they are on the wire. `unrecognized` is none of them: it stands for one of a later version.
    package static var words: [String] { allCases.map(\.rawValue).filter { $0 != "unrecognized" } }
}

/// A set of words that only the daemon says. A later one may say more: to a client that is no error, or one new word
/// would cost it the event, the swipe or the list of readers that it stands in.
package protocol OpenWord: WireWord {
    /// What a word is read as that this version does not know.
    static var unrecognized: Self { get }
}

extension OpenWord {
    package init(json: JSONValue) throws(WireError) {
        guard let name = json.string else { throw WireError("not a word") }
        self = Self(rawValue: name) ?? .unrecognized
    }
}

/// A set of words that a client says as well: what is no word of this version is refused in a request
/// (``Strict``), and says nothing where the daemon says it.
package protocol LaterWord: WireWord {}

extension LaterWord {
    package static func read(_ json: JSONValue) throws(WireError) -> Self? {
        Self(rawValue: try String(json: json))
    }
}

/// A word of this version and no other, as a client says it.
enum Strict<Word: WireWord>: WireForm {
    static var schema: JSONValue { Word.schema }
    static func write(_ value: Word, to writer: inout JSONWriter) { value.write(to: &writer) }
    static func read(_ json: JSONValue) throws(WireError) -> Word? { try Word(json: json) }
}
