internal import CardData
internal import Checkout
internal import NIOCore
internal import NIOHTTP1

/// Stripe's objects, as its reference describes them; members that are not used here are passed over.
enum StripeAnswers {
    struct Intent: Decodable {
        struct Failure: Decodable {
            struct Method: Decodable { var id: String }
            var code: String?
            var declineCode: String?
            var paymentMethod: Method?
        }

        struct Action: Decodable {
            struct Redirect: Decodable { var url: String }
            var redirectToUrl: Redirect?
        }

        var object: String
        var id: String
        var created: Int?
        var captureMethod: String?
        var amount: Int
        var amountReceived: Int?
        var amountCapturable: Int?
        var currency: String
        var description: String?
        var status: String
        var paymentMethod: String?
        var latestCharge: String?
        var lastPaymentError: Failure?
        var nextAction: Action?
        var metadata: [String: String]?
    }

    private struct Charge: Decodable {
        struct Details: Decodable {
            struct Card: Decodable {
                struct Overcapture: Decodable {
                    var maximumAmountCapturable: Int?
                    var status: String?
                }
                var brand: String?
                var last4: String?
                var overcapture: Overcapture?
            }
            var card: Card?
        }

        var object: String
        var id: String
        var amount: Int
        var amountCaptured: Int
        var amountRefunded: Int
        var captured: Bool
        var currency: String
        var description: String?
        var paymentIntent: Intent
        var paymentMethodDetails: Details?
    }

    private struct Refund: Decodable {
        var object: String
        var id: String
        var amount: Int
        var charge: String
        var currency: String
        var status: String
        var metadata: [String: String]?
    }

    private struct Refunds: Decodable {
        var data: [Refund]
        var hasMore: Bool
    }

    private struct Failure: Decodable {
        struct Detail: Decodable {
            var type: String
            var code: String?
            var declineCode: String?
        }
        var error: Detail
    }

    /// Where the key of a capture or refund is kept with it.
    static let keyName = "checkout_key"
    /// Where the tip of a capture is kept: the sale's own stays beside it.
    static let tipName = "checkout_captured_tip"
    /// Where the key is kept that something was made with: an answer with another one is another payment's.
    static let openedWith = "checkout_opened_with"

    // MARK: Payments

    static func intent(
        _ body: ByteBuffer, _ id: TransactionID?, madeWith key: IdempotencyKey? = nil
    ) -> Intent? {
        guard let wire = decode(Intent.self, body, isSnakeCase: true), wire.object == "payment_intent",
            id == nil || wire.id == id?.value, key == nil || wire.metadata?[openedWith] == key?.value
        else { return nil }
        return wire
    }

    /// Those of a search; nil where not all are known.
    static func intents(_ body: ByteBuffer, madeWith key: IdempotencyKey) -> [Intent]? {
        struct Found: Decodable {
            var object: String
            var data: [Intent]
            var hasMore: Bool
        }
        guard let wire = decode(Found.self, body, isSnakeCase: true), wire.object == "search_result",
            !wire.hasMore,
            wire.data.allSatisfy({
                $0.object == "payment_intent" && $0.created != nil && $0.metadata?[openedWith] == key.value
            })
        else { return nil }
        return wire.data
    }

    /// Whether it was made for the very same.
    static func isFor(_ request: TransactionRequest, _ wire: Intent) -> Bool {
        money(wire.amount, wire.currency) == request.amount && wire.description == request.description
            && tip(wire) == request.tip && wire.captureMethod ?? "automatic" == request.capture.rawValue
    }

    static func transaction(_ wire: Intent, _ token: SensitiveText) -> Transaction? {
        guard let amount = money(wire.amount, wire.currency) else { return nil }
        var charge: Checkout.Charge?
        if wire.status == "succeeded" || wire.status == "requires_capture" {
            // A charge that cannot be read is not none.
            guard let made = self.charge(wire) else { return nil }
            charge = made
        }
        return Transaction(
            id: TransactionID(wire.id), token: token, description: wire.description ?? "", amount: amount,
            methods: [
                PaymentMethod(id: "card", kind: .creditCard, flow: .inPlace),
                PaymentMethod(id: "swipe", kind: .swipe, flow: .inPlace),
            ], charge: charge, isGivenUp: wire.status == "canceled")
    }

    static func method(_ body: ByteBuffer, madeWith key: IdempotencyKey) -> PaymentSource? {
        struct Method: Decodable {
            var object: String
            var id: String
            var metadata: [String: String]?
        }
        guard let wire = decode(Method.self, body, isSnakeCase: true), wire.object == "payment_method",
            wire.metadata?[openedWith] == key.value
        else { return nil }
        return PaymentSource(id: SourceID(wire.id), status: .pending)
    }

    /// A PaymentIntent as the source that confirms it.
    static func source(_ body: ByteBuffer, _ id: SourceID, _ transaction: TransactionID) -> PaymentSource? {
        guard let wire = intent(body, transaction) else { return nil }
        return status(wire, id).map { PaymentSource(id: id, status: $0) }
    }

    private static func status(_ wire: Intent, _ id: SourceID) -> PaymentSource.Status? {
        let isOurs = wire.paymentMethod == id.value
        switch wire.status {
        case "succeeded" where isOurs, "requires_capture" where isOurs:
            return charge(wire).map { .consumed($0) }
        // Another card has paid it: this one never will.
        case "succeeded", "requires_capture": return .failed(.conflict)
        // 3-D Secure. What cannot be done on a page is nothing that this program can do: it is given up, which is certain.
        case "requires_action" where isOurs:
            return wire.nextAction?.redirectToUrl.map { .redirect(address: $0.url) } ?? .pending
        case "processing" where isOurs: return .processing
        case "requires_payment_method" where wire.lastPaymentError?.paymentMethod?.id == id.value:
            return .failed(
                code(wire.lastPaymentError?.code, wire.lastPaymentError?.declineCode) ?? .declined)
        case "requires_payment_method", "requires_confirmation", "requires_action", "processing":
            return .pending
        case "canceled": return .cancelled
        default: return nil
        }
    }

    private static func charge(_ wire: Intent) -> Checkout.Charge? {
        let isCaptured = wire.status == "succeeded"
        guard let id = wire.latestCharge,
            let amount = money(isCaptured ? wire.amountReceived ?? -1 : wire.amount, wire.currency)
        else { return nil }
        return Checkout.Charge(
            id: id, amount: amount, description: wire.description ?? "", tip: tip(wire),
            isCaptured: isCaptured)
    }

    private static func tip(_ wire: Intent) -> Money? {
        wire.metadata?["tip"].flatMap { Int($0) }.flatMap { money($0, wire.currency) }
    }

    /// With which tip it was captured; in books of earlier versions it is where the sale's is.
    private static func capturedTip(_ wire: Intent) -> Money? {
        guard let units = wire.metadata?[tipName] else { return tip(wire) }
        return Int(units).flatMap { $0 > 0 ? money($0, wire.currency) : nil }
    }

    static func write(_ card: ClearCard, _ code: SensitiveText?, to body: inout FormBody) {
        body.field("card[number]", revealing: card.number.reveal().map { SensitiveText($0) })
        body.field("card[exp_month]", card.expiry.month)
        body.field("card[exp_year]", card.expiry.year)
        body.field("card[cvc]", revealing: code)
    }

    // MARK: Charges

    static func refunds(_ body: ByteBuffer, _ charge: ChargeID) -> [BookedChange]? {
        // More than a page of them: not all are known, so nothing is.
        guard let wire = decode(Refunds.self, body, isSnakeCase: true), !wire.hasMore else { return nil }
        let refunds = wire.data.compactMap { refund($0, charge) }
        return refunds.count == wire.data.count ? refunds.reversed() : nil
    }

    private static func refund(_ wire: Refund, _ charge: ChargeID) -> BookedChange? {
        guard wire.object == "refund", wire.charge == charge.value,
            let amount = money(wire.amount, wire.currency)
        else { return nil }
        let status: BookedChange.Status
        switch wire.status {
        case "succeeded": status = .done
        case "pending", "requires_action": status = .pending
        case "failed", "canceled": status = .failed(.declined)
        default: return nil
        }
        return BookedChange(
            id: wire.id, kind: .refund, amount: amount,
            key: wire.metadata?[keyName].map { IdempotencyKey(booked: $0) }, status: status)
    }

    static func record(_ body: ByteBuffer, _ id: ChargeID, _ refunds: [BookedChange]) -> ChargeRecord? {
        guard let wire = decode(Charge.self, body, isSnakeCase: true), wire.object == "charge",
            wire.id == id.value,
            let amount = money(wire.amount, wire.currency), let nothing = money(0, wire.currency)
        else { return nil }
        let intent = wire.paymentIntent
        let isVoided = !wire.captured && intent.status == "canceled"
        let status: ChargeRecord.Status = wire.captured ? .captured : isVoided ? .voided : .authorised
        let key = intent.metadata?[keyName].map { IdempotencyKey(booked: $0) }
        guard let captured = wire.captured ? money(wire.amountCaptured, wire.currency) : nothing,
            let refunded = wire.captured ? money(wire.amountRefunded, wire.currency) : nothing,
            let capturable = status == .authorised
                ? money(mostCapturable(wire), wire.currency) : nothing
        else { return nil }
        var changes: [BookedChange] = []
        if wire.captured, let key {
            changes.append(
                BookedChange(
                    id: wire.id, kind: .capture, amount: captured, tip: capturedTip(intent), key: key,
                    status: .done))
        }
        if isVoided {
            changes.append(BookedChange(id: wire.id, kind: .void, amount: amount, key: nil, status: .done))
        }
        return ChargeRecord(
            charge: Checkout.Charge(
                id: wire.id, amount: amount, description: wire.description ?? "",
                maskedNumber: wire.paymentMethodDetails?.card?.last4.map { "…\($0)" },
                brand: wire.paymentMethodDetails?.card?.brand.flatMap(CardBrand.init(rawValue:)),
                tip: tip(intent), isCaptured: wire.captured),
            transaction: TransactionID(intent.id), status: status, capturable: capturable, captured: captured,
            refunded: refunded, changes: changes + refunds, isVoidedOnceCaptured: false)
    }

    /// More than was authorised, where that was asked for and the card allows it (docs.stripe.com/payments/overcapture).
    private static func mostCapturable(_ wire: Charge) -> Int {
        let held = wire.paymentIntent.amountCapturable ?? 0
        guard held > 0, let more = wire.paymentMethodDetails?.card?.overcapture, more.status == "available"
        else { return held }
        return max(held, more.maximumAmountCapturable ?? 0)
    }

    /// What was asked for; nil where the answer is about something else.
    static func change(_ body: ByteBuffer, _ permit: ChangePermit) -> BookedChange? {
        switch permit.change.kind {
        case .refund:
            let booked = decode(Refund.self, body, isSnakeCase: true).flatMap {
                refund($0, permit.change.charge)
            }
            return booked?.key == permit.key ? booked : nil
        case .capture:
            guard let wire = intent(body, permit.transaction), wire.status == "succeeded",
                wire.metadata?[keyName] == permit.key.value,
                let amount = money(wire.amountReceived ?? -1, wire.currency)
            else { return nil }
            return BookedChange(
                id: wire.latestCharge ?? wire.id, kind: .capture, amount: amount, tip: capturedTip(wire),
                key: permit.key, status: .done)
        case .void:
            guard let wire = intent(body, permit.transaction), wire.status == "canceled" else { return nil }
            return BookedChange(
                id: wire.id, kind: .void, amount: permit.amount, key: permit.key, status: .done)
        }
    }

    // MARK: Errors

    /// An error names no request in its body: it is the service's own form, about who knows what. Its head has the key of its
    /// request; what is refused after it was begun is kept, and said again to whoever comes with that key.
    static let proof: HTTPSender.Prover = { answer, subject in
        guard answer.isJSON, let failure = decode(Failure.self, answer.body, isSnakeCase: true) else {
            return .foreign
        }
        // Another request with the same key is under way: later.
        if answer.status == 409 || answer.status == 429 { return .stray(.tooManyRequests) }
        if answer.status == 401 || answer.status == 403 { return .stray(.badKey) }
        if failure.error.type == "idempotency_error" { return .stray(.conflict) }
        let why = code(failure.error.code, failure.error.declineCode)
        let isKept = [400, 402, 404].contains(answer.status)
        return isKept && answer.headers.first(name: "Idempotency-Key") == subject ? .kept(why) : .stray(why)
    }

    private static func code(_ code: String?, _ decline: String?) -> GatewayError.Code? {
        switch decline ?? code {
        case "insufficient_funds": .insufficientFunds
        case "authentication_required", "authentication_not_handled", "payment_intent_authentication_failure":
            .authenticationRequired
        case "expired_card", "invalid_expiry_month", "invalid_expiry_year": .expiredCard
        case "incorrect_cvc", "invalid_cvc": .wrongCode
        case "incorrect_number", "invalid_number": .invalidNumber
        case "resource_missing": .notFound
        case "charge_already_refunded", "amount_too_large": .amountTooLarge
        case "payment_intent_unexpected_state", "charge_already_captured", "charge_expired_for_capture":
            .conflict
        case nil: nil
        default: code == "card_declined" ? .declined : nil
        }
    }
}
