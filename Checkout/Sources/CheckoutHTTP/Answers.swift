internal import CardData
internal import Checkout
internal import FoundationEssentials
internal import NIOCore

/// The answers' bodies, as `openapi.yaml` has them. Members that are not known here are passed over.
enum Answers {
    private struct Transaction: Decodable {
        struct Method: Decodable {
            var id: String
            var kind: String
            var name: String?
            var flow: String
        }

        var id: String
        var token: String
        var description: String
        var amount: Int
        var currency: String
        var methods: [Method]
        var charge: Charge?
    }

    private struct Charge: Decodable {
        var id: String
        var amount: Int
        var currency: String
        var description: String
        var first6: String?
        var last4: String?
        var brand: String?
    }

    private struct Source: Decodable {
        var id: String
        var status: String
        var redirectURL: String?
        var failure: String?
        var charge: Charge?

        enum CodingKeys: String, CodingKey {
            case id, status, failure, charge
            case redirectURL = "redirect_url"
        }
    }

    private struct Failure: Decodable {
        struct Detail: Decodable {
            var code: String
        }

        var error: Detail
    }

    static func transaction(_ body: ByteBuffer) -> Checkout.Transaction? {
        guard let wire = decode(Transaction.self, body), let amount = money(wire.amount, wire.currency) else {
            return nil
        }
        return Checkout.Transaction(
            id: TransactionID(wire.id), token: SensitiveText(wire.token), description: wire.description,
            amount: amount, methods: wire.methods.compactMap(method), charge: wire.charge.flatMap(charge))
    }

    static func source(_ body: ByteBuffer) -> PaymentSource? {
        guard let wire = decode(Source.self, body), let status = status(of: wire) else { return nil }
        return PaymentSource(id: SourceID(wire.id), status: status)
    }

    /// The code of an error's body; nil where it has none that is known.
    static func errorCode(_ body: ByteBuffer) -> GatewayError.Code? {
        decode(Failure.self, body).flatMap { GatewayError.Code(rawValue: $0.error.code) }
    }

    /// A status that is not known here is none: better a possible success than a wrong word.
    private static func status(of wire: Source) -> PaymentSource.Status? {
        switch wire.status {
        case "pending": .pending
        case "redirect": wire.redirectURL.map { .redirect(address: $0) }
        case "processing": .processing
        case "consumed": wire.charge.flatMap(charge).map { .consumed($0) }
        case "failed": .failed(wire.failure.flatMap(GatewayError.Code.init(rawValue:)) ?? .declined)
        case "cancelled": .cancelled
        default: nil
        }
    }

    private static func charge(_ wire: Charge) -> Checkout.Charge? {
        guard let amount = money(wire.amount, wire.currency) else { return nil }
        let masked = wire.first6.flatMap { first in wire.last4.map { "\(first)…\($0)" } }
        return Checkout.Charge(
            id: wire.id, amount: amount, description: wire.description, maskedNumber: masked,
            brand: wire.brand.flatMap(CardBrand.init(rawValue:)))
    }

    private static func method(_ wire: Transaction.Method) -> PaymentMethod? {
        guard let flow = SourceFlow(rawValue: wire.flow) else { return nil }
        let kind: PaymentMethod.Kind? =
            switch wire.kind {
            case "credit_card": .creditCard
            case "swipe": .swipe
            case "wallet": .wallet(name: wire.name ?? wire.id)
            default: nil
            }
        return kind.map { PaymentMethod(id: wire.id, kind: $0, flow: flow) }
    }

    private static func money(_ amount: Int, _ currency: String) -> Money? {
        Currency(currency).flatMap { Money(minorUnits: amount, currency: $0) }
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ body: ByteBuffer) -> Value? {
        try? JSONDecoder().decode(type, from: Data(body.readableBytesView))
    }
}
