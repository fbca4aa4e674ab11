/// What of a card leaves the machine: `fields =`. What none of these names is never published, whatever the daemon sends.
struct FieldSet: Sendable, Hashable {
    /// A part of a swipe that may be published.
    enum Field: String, Sendable, Hashable, CaseIterable {
        /// Payment card, licence, …
        case kind
        /// The card's brand and how long its number is.
        case brand
        /// The number, but for its first and last digits covered by `*`.
        case pan
        /// The daemon's keyed hash, where it has a key: the same for each swipe of a card.
        case hash
        case expiry
        case serviceCode = "service_code"
        /// How each track was read. Never its text, covered or not.
        case tracks
        /// How well it was read.
        case quality
        /// Whether the card has a chip, by the reader's word.
        case chip
        /// Which cipher and key the reader used; the key's serial number names the reader. No ciphertext.
        case encryption
    }

    private(set) var fields: Set<Field>

    static let usual = FieldSet([.kind, .brand, .pan, .tracks, .quality])

    init(_ fields: Set<Field>) { self.fields = fields }

    func contains(_ field: Field) -> Bool { fields.contains(field) }

    /// Whether any of it needs the view `masked`; else `status` is enough.
    var needsMasked: Bool { !fields.isSubset(of: [.tracks, .quality]) }

    /// Names with blanks between them; nil where one is unknown. `none` alone is none of them.
    init?(_ text: String) {
        let words = text.split(whereSeparator: \.isWhitespace)
        if words == ["none"] {
            fields = []
            return
        }
        let known = words.compactMap { Field(rawValue: String($0)) }
        guard !known.isEmpty, known.count == words.count else { return nil }
        fields = Set(known)
    }
}
