internal import CardData
internal import Checkout
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
        var key: String?
    }

    private struct Charge: Decodable {
        var id: String
        var transaction: String?
        var amount: Int
        var currency: String
        var description: String
        var first6: String?
        var last4: String?
        var brand: String?
        var approvalCode: String?
        var tip: Int?
        var status: String?

        enum CodingKeys: String, CodingKey {
            case id, transaction, amount, currency, description, first6, last4, brand, tip, status
            case approvalCode = "approval_code"
        }
    }

    private struct Source: Decodable {
        var id: String
        var transaction: String
        var status: String
        var redirectURL: String?
        var failure: String?
        var charge: Charge?
        var key: String?

        enum CodingKeys: String, CodingKey {
            case id, transaction, status, failure, charge, key
            case redirectURL = "redirect_url"
        }
    }

    private struct Failure: Decodable {
        struct Detail: Decodable {
            var code: String
            var about: String?
        }

        var error: Detail
    }

    /// A transaction; nil where the body is none, or another one than was asked for, or was made by another request.
    static func transaction(
        _ body: ByteBuffer, _ id: TransactionID?, madeWith key: IdempotencyKey? = nil
    ) -> Checkout.Transaction? {
        guard let wire = decode(Transaction.self, body), isName(wire.id), id == nil || wire.id == id?.value,
            isAnswer(wire.key, to: key),
            let amount = money(wire.amount, wire.currency)
        else { return nil }
        let paid = wire.charge.map { charge($0, TransactionID(wire.id)) }
        // A charge that cannot be read is not none.
        if let paid, paid == nil { return nil }
        return Checkout.Transaction(
            id: TransactionID(wire.id), token: SensitiveText(wire.token), description: wire.description,
            amount: amount, methods: wire.methods.compactMap(method), charge: paid ?? nil)
    }

    /// Whether what was made was made by this request. A service that does not say so is taken at its word; one that does cannot
    /// have its answers mixed up on the way.
    private static func isAnswer(_ said: String?, to key: IdempotencyKey?) -> Bool {
        key == nil || said == nil || said == key?.value
    }

    /// A source; nil where the body is none, or not the one, or not of the transaction, that was asked for, or was made by another
    /// request.
    static func source(
        _ body: ByteBuffer, _ id: SourceID?, _ transaction: TransactionID,
        madeWith key: IdempotencyKey? = nil
    ) -> PaymentSource? {
        guard let wire = decode(Source.self, body), isName(wire.id), id == nil || wire.id == id?.value,
            wire.transaction == transaction.value, isAnswer(wire.key, to: key),
            let status = status(of: wire, transaction)
        else { return nil }
        return PaymentSource(id: SourceID(wire.id), status: status)
    }

    /// Whether a path can lead to a thing of that name (RFC 3986 §3.3).
    private static func isName(_ id: String) -> Bool { !["", ".", ".."].contains(id) }

    /// What an answer proves to be that is not the resource that was asked for.
    static func proof(_ answer: HTTPAnswer, about subject: String) -> AnswerTable.Proof {
        guard answer.isJSON, let failure = decode(Failure.self, answer.body) else { return .foreign }
        let code = GatewayError.Code(rawValue: failure.error.code)
        return failure.error.about == subject && !subject.isEmpty ? .refusal(code) : .stray(code)
    }

    /// A status that is not known here is none: better a possible success than a wrong word.
    private static func status(
        of wire: Source, _ transaction: TransactionID
    ) -> PaymentSource.Status? {
        switch wire.status {
        case "pending": .pending
        case "redirect": wire.redirectURL.map { .redirect(address: $0) }
        case "processing": .processing
        case "consumed": wire.charge.flatMap { charge($0, transaction) }.map { .consumed($0) }
        case "failed": .failed(wire.failure.flatMap(GatewayError.Code.init(rawValue:)) ?? .declined)
        case "cancelled": .cancelled
        default: nil
        }
    }

    private static func charge(_ wire: Charge, _ transaction: TransactionID) -> Checkout.Charge? {
        guard wire.transaction == nil || wire.transaction == transaction.value,
            let amount = money(wire.amount, wire.currency)
        else { return nil }
        let masked = wire.first6.flatMap { first in wire.last4.map { "\(first)…\($0)" } }
        return Checkout.Charge(
            id: wire.id, amount: amount, description: wire.description, maskedNumber: masked,
            brand: wire.brand.flatMap(CardBrand.init(rawValue:)), approvalCode: wire.approvalCode,
            tip: money(wire.tip, wire.currency), isCaptured: wire.status != "authorised")
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
}
