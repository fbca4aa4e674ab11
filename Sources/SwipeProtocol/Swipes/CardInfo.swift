public import CardData

/// A card, as far as its tracks tell and one view may see it.
public struct CardInfo: Sendable, Hashable {
    /// What kind of card it is.
    public var kind: CardKind
    /// The layout that was recognised: `iso7813`, `aamva`, `jisx6302`; nil for a card of none.
    public var format: String?
    /// The account number of a payment card.
    public var pan: PANInfo?
    /// A hash of what tells the card from others, under a key that the daemon alone has: `NAME-HASH`, where NAME names the key. Only
    /// where the daemon's configuration has one.
    public var hash: String?
    /// Year and month, `YYMM`, as on the card.
    public var expiry: String?
    /// Three digits (ISO/IEC 7813).
    public var serviceCode: String?
    /// The name as on track 1: `DOE/JOHN`.
    public var name: SensitiveText?
    /// What else the format has, by name: `state`, `id_number`, `birth_date`, …
    public var fields: [Field]
    /// The same by UnifiedPOS's names: `AccountNumber`, `Surname`, `LicenseNumber`, … Only for the view `full`.
    public var properties: [Field]

    /// One thing more that a format has.
    public struct Field: Sendable, Hashable {
        /// Its name, lower-case words joined by `_`.
        public var name: String
        /// Its text.
        public var value: SensitiveText

        /// A field.
        public init(_ name: String, _ value: SensitiveText) {
            self.name = name
            self.value = value
        }
    }

    /// A card.
    public init(
        kind: CardKind, format: String? = nil, pan: PANInfo? = nil, expiry: String? = nil,
        serviceCode: String? = nil, name: SensitiveText? = nil, fields: [Field] = [],
        properties: [Field] = [], hash: String? = nil
    ) {
        self.hash = hash
        self.kind = kind
        self.format = format
        self.pan = pan
        self.expiry = expiry
        self.serviceCode = serviceCode
        self.name = name
        self.fields = fields
        self.properties = properties
    }
}

/// What kind of card it is.
public enum CardKind: String, Sendable, Hashable, CaseIterable, OpenWord {
    /// A payment card (ISO/IEC 7813). A driving licence or ID card (AAMVA). A JIS X 6302 type II card. None of these, or
    /// a kind that this version does not know.
    case payment, aamva, jis2, other

    package static var unrecognized: CardKind { .other }
}

/// An account number, as far as one view may see it.
public struct PANInfo: Sendable, Hashable {
    /// The number in full. Only for the view `full`, and never from a reader that encrypts.
    public var number: SensitiveText?
    /// The first digits and the last four, the others as `*`.
    public var masked: String
    /// How many digits it has.
    public var length: Int
    /// Whether its check digit is right; nil where the reader hides it.
    public var luhn: Bool?
    /// The brand by the first digits: `visa`, `discover`, …
    public var brand: String?

    /// An account number.
    public init(
        number: SensitiveText? = nil, masked: String, length: Int, luhn: Bool? = nil, brand: String? = nil
    ) {
        self.number = number
        self.masked = masked
        self.length = length
        self.luhn = luhn
        self.brand = brand
    }
}

extension CardInfo: WireObject {
    package static var blank: CardInfo { CardInfo(kind: .other) }
    package static var definition: String? { "card" }

    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        try fields.required("kind", &kind)
        try fields.optional("format", &format)
        try fields.optional("pan", &pan)
        try fields.optional("hash", &hash)
        try fields.optional("expiry", &expiry)
        try fields.optional("service_code", &serviceCode)
        try fields.optional("name", &name, as: Revealed.self)
        try fields.list("fields", &self.fields, as: FieldMap.self)
        try fields.list("properties", &properties, as: FieldMap.self)
    }
}

extension PANInfo: WireObject {
    package static var blank: PANInfo { PANInfo(masked: "", length: 0) }

    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        try fields.optional("number", &number, as: Revealed.self)
        try fields.required("masked", &masked)
        try fields.required("length", &length)
        try fields.optional("luhn", &luhn)
        try fields.optional("brand", &brand)
    }
}

/// What else a card has: an object whose members have the names of its format. What is no text is a later version's.
private enum FieldMap: WireForm {
    static var schema: JSONValue { SchemaParts.map(SchemaParts.string) }
    static func write(_ values: [CardInfo.Field], to writer: inout JSONWriter) {
        writer.beginObject()
        for field in values {
            writer.name(field.name)
            writer.write(revealing: field.value)
        }
        writer.endObject()
    }
    static func read(_ json: JSONValue) -> [CardInfo.Field]? {
        (json.object?.members ?? []).compactMap { member in
            member.value.string.map { CardInfo.Field(member.name, SensitiveText($0)) }
        }
    }
}
