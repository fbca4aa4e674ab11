import CardData
import SwipeProtocol

/// A card's fields as clients see them.
enum CardFields {
    static func masked(_ card: Card) -> CardInfo {
        var info = CardInfo(kind: CardKind(rawValue: card.kind) ?? .other, format: card.format)
        guard case .payment(let payment) = card else { return info }
        info.pan = PANInfo(
            masked: payment.pan.masked, length: payment.pan.length, luhn: payment.pan.passesLuhn,
            brand: payment.pan.brand?.rawValue)
        info.expiry = payment.expiry?.yearMonth
        info.serviceCode = payment.serviceCode?.digits
        info.name = payment.name?.text
        return info
    }

    static func full(_ card: Card) -> CardInfo {
        var info = masked(card)
        switch card {
        case .payment(let payment): info.pan?.number = payment.pan.reveal().map { SensitiveText($0) }
        case .licence(let licence): info.fields = fields(of: licence)
        case .jis2(let jis): info.fields = [CardInfo.Field("data", jis.data)]
        case .other: break
        }
        return info
    }

    private static func fields(of licence: DrivingLicence) -> [CardInfo.Field] {
        var fields: [CardInfo.Field] = []
        func add(_ name: String, _ value: SensitiveText?) {
            if let value { fields.append(CardInfo.Field(name, value)) }
        }
        add("issuer", licence.issuer.map { SensitiveText($0) })
        add("state", licence.state.map { SensitiveText($0) })
        add("id_number", licence.number)
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
        return fields
    }
}
