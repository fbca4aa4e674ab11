import CardData
import SwipeProtocol

/// A card as `decode` prints it: as in a `swipe` event, masked unless it is to be shown in clear.
struct CardJSON {
    var reveals: Bool

    func write(_ card: Card, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("kind", card.kind)
        writer.field("format", ifPresent: card.format)
        switch card {
        case .payment(let payment): write(payment, &writer)
        case .licence(let licence): if reveals { write(licence, &writer) }
        case .jis2(let jis): if reveals { writer.field("data", jis.data.reveal()) }
        case .other: break
        }
        writer.endObject()
    }

    private func write(_ payment: PaymentCard, _ writer: inout JSONWriter) {
        writer.name("pan")
        writer.beginObject()
        writer.field("masked", payment.pan.masked)
        if reveals { writer.field("number", ifPresent: payment.pan.reveal()) }
        writer.field("length", payment.pan.length)
        writer.field("luhn", ifPresent: payment.pan.passesLuhn)
        writer.field("brand", ifPresent: payment.pan.brand?.rawValue)
        writer.endObject()
        writer.field("expiry", ifPresent: payment.expiry?.yearMonth)
        writer.field("service_code", ifPresent: payment.serviceCode?.digits)
        writer.field("name", ifPresent: payment.name?.text.reveal())
    }

    private func write(_ licence: DrivingLicence, _ writer: inout JSONWriter) {
        writer.name("fields")
        writer.beginObject()
        writer.field("issuer", ifPresent: licence.issuer)
        writer.field("state", ifPresent: licence.state)
        writer.field("id_number", ifPresent: licence.number?.reveal())
        writer.field("birth_date", ifPresent: licence.birthDate?.reveal())
        writer.field("city", ifPresent: licence.city?.reveal())
        writer.field("name_parts", licence.nameParts.map { $0.reveal() })
        writer.field("address_lines", licence.addressLines.map { $0.reveal() })
        writer.endObject()
    }
}
