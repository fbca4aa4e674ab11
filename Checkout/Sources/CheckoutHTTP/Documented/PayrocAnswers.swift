internal import CardData
internal import Checkout
internal import NIOCore
internal import NIOHTTP1

/// Payroc's objects, as its reference describes them; members that are not used here are passed over.
enum PayrocAnswers {
    struct Payment: Decodable, Sendable {
        struct Order: Decodable, Sendable {
            var orderId: String?
            var description: String?
            var amount: Int?
            var currency: String?
        }
        struct Card: Decodable, Sendable {
            var type: String?
            var cardNumber: String?
        }
        struct Result: Decodable, Sendable {
            var type: String?
            var status: String
            var responseCode: String
            var approvalCode: String?
            var authorizedAmount: Int?
        }
        struct Refund: Decodable, Sendable { var refundId: String }
        struct Field: Decodable, Sendable {
            var name: String
            var value: String
        }

        var paymentId: String
        var order: Order
        var card: Card?
        var refunds: [Refund]?
        var supportedOperations: [String]?
        var transactionResult: Result
        var customFields: [Field]?

        func field(_ name: String) -> String? { customFields?.first { $0.name == name }?.value }
        func supports(_ operation: String) -> Bool { supportedOperations?.contains(operation) == true }
    }

    /// Names of fields of our own: the key of the source, and what was agreed.
    static let keyName = "checkoutKey"
    static let captureName = "checkoutCapture"
    static let tipName = "checkoutTip"

    private struct Refund: Decodable {
        var refundId: String
        var `operator`: String?
        var order: Payment.Order
        var transactionResult: Payment.Result
    }

    private struct List: Decodable {
        var data: [Payment]
        var hasMore: Bool
    }

    private struct Failure: Decodable {
        var type: String
        var status: Int
    }

    // MARK: Payments

    static func payment(_ body: ByteBuffer, _ id: String? = nil) -> Payment? {
        guard let wire = decode(Payment.self, body), id == nil || wire.paymentId == id else { return nil }
        return wire
    }

    /// What a key has made of a sale; nil where it is another key's answer, or another sale's.
    static func payment(_ body: ByteBuffer, of sale: PayrocSale, madeWith key: IdempotencyKey) -> Payment? {
        payment(body).flatMap { isFor(sale, $0) && $0.field(keyName) == key.value ? $0 : nil }
    }

    /// All payments of a name; nil where not all are known.
    static func payments(_ body: ByteBuffer, of orderID: String) -> [Payment]? {
        guard let wire = decode(List.self, body), !wire.hasMore,
            wire.data.allSatisfy({ $0.order.orderId == orderID })
        else { return nil }
        return wire.data
    }

    static func isFor(_ sale: PayrocSale, _ wire: Payment) -> Bool {
        wire.order.orderId == sale.orderID && wire.order.description == sale.description
            && wire.field(tipName) == String(sale.tip) && wire.field(captureName) == sale.capture.rawValue
            && money(wire.order.amount, wire.order.currency) == sale.amount
    }

    /// Whether all that was asked for is held; where no amount is told, the response code has said so.
    static func isWhole(_ wire: Payment) -> Bool {
        wire.transactionResult.authorizedAmount.map { $0 == wire.order.amount } ?? true
    }

    /// Whether it can never be charged any more.
    static func isOver(_ wire: Payment) -> Bool {
        switch standing(wire) {
        case .reversed, .declined: true
        case .held, .captured, nil: false
        }
    }

    static func source(_ wire: Payment, of sale: PayrocSale) -> PaymentSource? {
        guard wire.order.orderId == sale.orderID else { return nil }
        let id = SourceID(wire.paymentId)
        switch standing(wire) {
        // A part of it is not what was asked for.
        case .held where sale.capture == .atOnce || !isWhole(wire):
            return PaymentSource(id: id, status: .pending)
        case .held, .captured:
            return charge(wire).map { PaymentSource(id: id, status: .consumed($0)) }
        case .reversed: return PaymentSource(id: id, status: .cancelled)
        case .declined: return PaymentSource(id: id, status: .failed(.declined))
        case nil: return nil
        }
    }

    /// ASSUMPTION: once it is captured, `authorizedAmount` is what was captured.
    static func charge(_ wire: Payment) -> Charge? {
        let isCaptured = standing(wire) == .captured
        let units = isCaptured ? wire.transactionResult.authorizedAmount : wire.order.amount
        return money(units, wire.order.currency).map { amount in
            Charge(
                id: wire.paymentId, amount: amount, description: wire.order.description ?? "",
                maskedNumber: wire.card?.cardNumber.flatMap(masked), brand: wire.card?.type.flatMap(brand),
                approvalCode: wire.transactionResult.approvalCode, tip: tip(wire), isCaptured: isCaptured)
        }
    }

    private static func tip(_ wire: Payment) -> Money? {
        wire.field(tipName).flatMap { Int($0) }.flatMap { $0 > 0 ? money($0, wire.order.currency) : nil }
    }

    /// `453985******7062`.
    private static func masked(_ number: String) -> String? {
        let ends = number.split(separator: "*", omittingEmptySubsequences: true)
        return ends.count == 2 && number.contains("*") ? "\(ends[0])…\(ends[1])" : nil
    }

    /// `Visa Credit`.
    private static func brand(_ type: String) -> CardBrand? {
        type.split(separator: " ").first.flatMap { CardBrand(rawValue: $0.lowercased()) }
    }

    // MARK: Charges

    static func refund(_ body: ByteBuffer, _ id: String) -> BookedChange? {
        guard let wire = decode(Refund.self, body), wire.refundId == id,
            let amount = money(wire.order.amount.flatMap { Int(exactly: $0.magnitude) }, wire.order.currency)
        else { return nil }
        guard let status = Word(rawValue: wire.transactionResult.status).map(refunded) else { return nil }
        // ASSUMPTION: `operator` comes back byte for byte (``PayrocGateway``).
        return BookedChange(
            id: id, kind: .refund, amount: amount, key: wire.operator.map { IdempotencyKey(booked: $0) },
            status: status)
    }

    static func record(_ wire: Payment, _ refunds: [BookedChange]) -> ChargeRecord? {
        guard let standing = standing(wire), standing != .declined, let orderID = wire.order.orderId,
            let charge = charge(wire), let nothing = money(0, wire.order.currency),
            let held = money(wire.order.amount, wire.order.currency)
        else { return nil }
        let status: ChargeRecord.Status =
            switch standing {
            case .captured: .captured
            case .reversed: .voided
            case .held, .declined: .authorised
            }
        // A hundred amounts at most, each of which is at most `Money.most`.
        let gone = refunds.reduce(0) { sum, refund in
            if case .failed = refund.status { sum } else { sum + refund.amount.minorUnits }
        }
        guard let refunded = money(gone, wire.order.currency) else { return nil }
        // It is captured once, and reversed once, whoever asks: the books do not say with which key.
        let once: ChargeChange.Kind? =
            switch standing {
            case .captured: .capture
            case .reversed: .void
            case .held, .declined: nil
            }
        let change = once.map {
            BookedChange(id: wire.paymentId, kind: $0, amount: charge.amount, key: nil, status: .done)
        }
        return ChargeRecord(
            charge: charge, transaction: TransactionID(orderID), status: status,
            capturable: standing == .held ? held : nothing,
            captured: standing == .captured ? charge.amount : nothing, refunded: refunded,
            changes: (change.map { [$0] } ?? []) + refunds,
            isVoidedOnceCaptured: wire.supports("fullyReverse"),
            // In an open batch the service reverses where it is asked to refund, and lists no refund.
            isRefundedNow: wire.supports("refund") && !wire.supports("fullyReverse")
                && !wire.supports("partiallyReverse"))
    }

    // MARK: Errors

    /// An error names no request: it is the service's own form (RFC 9457), about who knows what.
    static let proof: HTTPSender.Prover = { answer, _ in
        let type = answer.headers.first(name: "Content-Type") ?? ""
        guard answer.isJSON || type.hasPrefix("application/problem+json"),
            let failure = decode(Failure.self, answer.body), failure.type.contains("/api/errors#")
        else { return .foreign }
        switch answer.status {
        case 401, 403: return .stray(.badKey)
        case 404: return .stray(.notFound)
        case 409: return .stray(.conflict)
        case 429: return .stray(.tooManyRequests)
        default: return .stray(.badRequest)
        }
    }

    static func token(_ body: ByteBuffer) -> (value: SensitiveText, life: Duration)? {
        struct Token: Decodable {
            var value: String
            var seconds: Int
            enum CodingKeys: String, CodingKey {
                case value = "access_token"
                case seconds = "expires_in"
            }
        }
        return decode(Token.self, body).map { (SensitiveText($0.value), .seconds($0.seconds)) }
    }
}
