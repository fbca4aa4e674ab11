/// A set of words on the wire. This version takes these and no others.
package protocol WireWord: RawRepresentable<String>, CaseIterable, JSONEncodable, JSONDecodable {}

extension WireWord {
    package func write(to writer: inout JSONWriter) { writer.write(rawValue) }

    package init(json: JSONValue) throws(WireError) {
        guard let name = json.string, let word = Self(rawValue: name) else {
            throw WireError("not one of \(Self.words.joined(separator: ", "))")
        }
        self = word
    }

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

extension JSONObject {
    /// A word that may be left out, be null or be one of a later version, which then says nothing.
    func optionalWord<Word: WireWord>(_ name: String) throws(WireError) -> Word? {
        guard let word: String = try optional(name) else { return nil }
        return Word(rawValue: word)
    }
}
