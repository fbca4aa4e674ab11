package import CardData

/// The one shape in which a card is shown, on the socket and by `swipectl decode`.
extension CardInfo {
    /// A card without what identifies it; nil where nothing was readable.
    package init?(masked swipe: MaskedSwipe) {
        guard let card = swipe.card else { return nil }
        self.init(kind: card)
        guard case .payment(let payment) = card, let number = swipe.number else { return }
        pan = PANInfo(
            masked: number, length: payment.pan.length, luhn: payment.pan.passesLuhn,
            brand: swipe.brand?.rawValue)
        expiry = swipe.expiry?.yearMonth
        serviceCode = swipe.serviceCode?.digits
        name = swipe.name
    }

    /// A card with all that its tracks tell.
    ///
    /// - Parameter shown: the masked form of its number, where other tracks let less of it be shown than the number itself.
    package init(full card: Card, shown: String? = nil) {
        self.init(kind: card)
        properties = CardProperty.all(of: card)
        switch card {
        case .payment(let payment):
            pan = PANInfo(
                number: payment.pan.reveal().map { SensitiveText($0) }, masked: shown ?? payment.pan.masked,
                length: payment.pan.length, luhn: payment.pan.passesLuhn, brand: payment.pan.brand?.rawValue)
            expiry = payment.expiry?.yearMonth
            serviceCode = payment.serviceCode?.digits
            name = payment.name?.text
            fields = payment.thrift.map(Self.fields(of:)) ?? []
        case .licence(let licence): fields = Self.fields(of: licence)
        case .jis2(let jis): fields = [Field("data", jis.data)]
        case .other: break
        }
    }

    private init(kind card: Card) {
        let kind: CardKind =
            switch card {
            case .payment: .payment
            case .licence: .aamva
            case .jis2: .jis2
            case .other: .other
            }
        self.init(kind: kind, format: card.format)
    }

    /// What track 3 says. Its account number and expiry may be others than those of tracks 1 and 2.
    private static func fields(of thrift: ThriftTrack) -> [Field] {
        let fields = [
            ("track3_format", thrift.formatCode), ("track3_number", thrift.pan.reveal()),
            ("track3_country", thrift.country), ("track3_currency", thrift.currency),
            ("track3_expiry", thrift.expiry?.yearMonth), ("track3_sequence", thrift.sequenceNumber),
        ]
        return fields.compactMap { name, text in text.map { Field(name, SensitiveText($0)) } }
    }

    private static func fields(of licence: DrivingLicence) -> [Field] {
        var fields: [Field] = []
        func add(_ name: String, _ value: SensitiveText?) {
            if let value { fields.append(Field(name, value)) }
        }
        add("issuer", licence.issuer.map { SensitiveText($0) })
        add("state", licence.state.map { SensitiveText($0) })
        add("id_number", licence.number)
        add("expires", licence.expiry.map { SensitiveText($0.words) })
        add("birth_date", licence.birthDate)
        add("city", licence.city)
        for (index, part) in licence.nameParts.enumerated() { add("name_\(index + 1)", part) }
        for (index, line) in licence.addressLines.enumerated() { add("address_\(index + 1)", line) }
        guard let details = licence.details else { return fields }
        add("postal_code", details.postalCode)
        add("sex", details.sex)
        add("height", details.height)
        add("weight", details.weight)
        add("hair", details.hair)
        add("eyes", details.eyes)
        let texts = [
            ("class", details.vehicleClass), ("restrictions", details.restrictions),
            ("endorsements", details.endorsements),
        ]
        for (name, text) in texts where !text.isEmpty { add(name, SensitiveText(text)) }
        if details.idNumber.reveal() != "" { add("number_field", details.idNumber) }
        return fields
    }

}

extension DrivingLicence.Expiry {
    /// `2512`, or when it is in words.
    var words: String {
        switch self {
        case .month(let month): month.yearMonth
        case .never: "never"
        case .birthMonth(let year): "birth month \(year)"
        case .birthday(let year): "birthday \(year)"
        }
    }
}
