public import CardData

/// A card, as far as its tracks tell and one view may see it.
public struct CardInfo: Sendable, Hashable {
    /// What kind of card it is.
    public var kind: CardKind
    /// The layout that was recognised: `iso7813`, `aamva`, `jisx6302`; nil for a card of none.
    public var format: String?
    /// The account number of a payment card.
    public var pan: PANInfo?
    /// Year and month, `YYMM`, as on the card.
    public var expiry: String?
    /// Three digits (ISO/IEC 7813).
    public var serviceCode: String?
    /// The name as on track 1: `DOE/JOHN`.
    public var name: SensitiveText?
    /// What else the format has, by name: `state`, `id_number`, `birth_date`, …
    public var fields: [Field]

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
        serviceCode: String? = nil, name: SensitiveText? = nil, fields: [Field] = []
    ) {
        self.kind = kind
        self.format = format
        self.pan = pan
        self.expiry = expiry
        self.serviceCode = serviceCode
        self.name = name
        self.fields = fields
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

extension CardInfo: JSONEncodable, JSONDecodable {
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("kind", kind)
        writer.field("format", ifPresent: format)
        writer.field("pan", ifPresent: pan)
        writer.field("expiry", ifPresent: expiry)
        writer.field("service_code", ifPresent: serviceCode)
        writer.field("name", revealing: name)
        if !fields.isEmpty {
            writer.name("fields")
            writer.beginObject()
            for field in fields {
                writer.name(field.name)
                writer.write(revealing: field.value)
            }
            writer.endObject()
        }
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try JSONObject(json: json)
        kind = try object.required("kind")
        format = try object.optional("format")
        pan = try object.optional("pan")
        expiry = try object.optional("expiry")
        serviceCode = try object.optional("service_code")
        name = try object.optional("name", as: String.self).map(SensitiveText.init(_:))
        let others = try object.optional("fields", as: JSONValue.self)?.object?.members ?? []
        fields = others.compactMap { member in
            member.value.string.map { Field(member.name, SensitiveText($0)) }
        }
    }
}

extension PANInfo: JSONEncodable, JSONDecodable {
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("number", revealing: number)
        writer.field("masked", masked)
        writer.field("length", length)
        writer.field("luhn", ifPresent: luhn)
        writer.field("brand", ifPresent: brand)
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try JSONObject(json: json)
        number = try object.optional("number", as: String.self).map(SensitiveText.init(_:))
        masked = try object.required("masked")
        length = try object.required("length")
        luhn = try object.optional("luhn")
        brand = try object.optional("brand")
    }
}

extension JSONWriter {
    /// Card data in clear, where there is some.
    mutating func field(_ name: StaticString, revealing value: SensitiveText?) {
        guard let value else { return }
        self.name(name)
        write(revealing: value)
    }
}
