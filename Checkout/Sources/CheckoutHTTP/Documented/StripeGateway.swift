internal import CardData
public import Checkout
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// What a merchant may want of Stripe that is not for every account.
public struct StripeOptions: Sendable, Hashable {
    /// Where the customer's browser goes after 3-D Secure. Without it no card is taken that needs that: this program has no page to
    /// come back to.
    public var returnAddress: String?
    /// Whether to ask that more may be captured than was authorised, as for tips. Stripe offers that with IC+ prices, and for
    /// some kinds of merchants; where a card does not allow it, what was authorised is the most.
    public var asksForOvercapture: Bool

    /// Neither, as for a new account.
    public init(returnAddress: String? = nil, asksForOvercapture: Bool = false) {
        self.returnAddress = returnAddress
        self.asksForOvercapture = asksForOvercapture
    }
}

/// Stripe's PaymentIntents, asked from a server. **Made from public documentation (docs.stripe.com/api, 2026), never tested
/// against the real service.**
///
/// A transaction is a PaymentIntent, which succeeds once; a source is a PaymentMethod that confirms it. Cancelling the
/// PaymentIntent is the fence. It takes clear cards, typed or swiped, and no encrypted swipes. The merchant's key is the secret
/// one (`sk_…`).
///
/// - Keys: a POST with an `Idempotency-Key` is done once for at least 24 hours, and its answer kept, a 500, too. With other
///   parameters it is an error (`idempotency_error`), while the first one is under way a 409.
/// - An order outlives that: what was made before with its key is searched for (`/v1/payment_intents/search`), and the oldest is
///   the order's. The search is a minute behind, the key lives a day. Who may not search cannot sell orders.
/// - A PaymentIntent that was cancelled is never charged, so an order's next try is another one, under a key of its own.
/// - An error does not name its request, so none refuses for certain (``AnswerTable``): the PaymentIntent is asked about. But an
///   answer has the `Idempotency-Key` of its request in its head, and is kept under it: a change that was refused so is over.
public final class StripeGateway: PaymentGateway {
    let sender: HTTPSender
    private let options: StripeOptions

    /// A gateway to `https://api.stripe.com`, or to the address that is given. Nothing is sent yet.
    public init(
        _ configuration: HTTPGatewayConfiguration, _ options: StripeOptions = StripeOptions()
    ) throws(GatewayError) {
        sender = try HTTPSender(configuration)
        self.options = options
    }

    /// The form of its answers. From this one on a part that is captured makes no refund of the rest; an account's own default may
    /// be older.
    static let version = "2025-03-31.basil"
    /// How often an order may be given up.
    private static let mostTries = 100

    /// The service that requests go to, by its one name.
    public var service: String { sender.address.name }

    // MARK: Payments

    /// `POST /v1/payment_intents`; of an order also what was made of it before, however long ago.
    public func openTransaction(
        _ request: TransactionRequest, key: IdempotencyKey
    ) async throws(GatewayError) -> Transaction {
        try DocumentedService.stripe.check(request.amount)
        let token = request.apiKey.value
        guard request.order != nil else {
            let made = try await make(request, key)
            guard let transaction = StripeAnswers.transaction(made, token) else {
                throw GatewayError(.badAnswer, .unknown)
            }
            return transaction
        }
        for number in 1...Self.mostTries {
            let name = number == 1 ? key : IdempotencyKey(booked: "\(key)-\(number)")
            let made = try await make(request, name)
            let first = try await earlier(name, token).min { ($0.created ?? 0) < ($1.created ?? 0) } ?? made
            guard StripeAnswers.isFor(request, first) else { throw GatewayError(.conflict, .refused) }
            let now = try await transaction(TransactionID(first.id), with: request.apiKey)
            if !now.isGivenUp { return now }
        }
        throw GatewayError(.tooManyRequests, .notSent, "The order was given up too often.")
    }

    /// What was made with a key, also where the key itself is forgotten: `GET /v1/payment_intents/search`.
    private func earlier(
        _ key: IdempotencyKey, _ token: SensitiveText
    ) async throws(GatewayError) -> [StripeAnswers.Intent] {
        let query = HTTPGateway.inPath("metadata[\"\(StripeAnswers.openedWith)\"]:\"\(key)\"")
        do throws(GatewayError) {
            return try await send(
                HTTPCall(.lookUp, "GET", "/v1/payment_intents/search?limit=100&query=\(query)", token)
            ) { StripeAnswers.intents($0, madeWith: key) }
        } catch {
            throw GatewayError(
                error.code, error.certainty, "Whether the order was paid before cannot be searched for.")
        }
    }

    private func make(
        _ request: TransactionRequest, _ key: IdempotencyKey
    ) async throws(GatewayError) -> StripeAnswers.Intent {
        var body = FormBody()
        body.field("amount", request.amount.minorUnits)
        body.field("currency", request.amount.currency.code.lowercased())
        body.field("description", request.description)
        body.field("capture_method", request.capture.rawValue)
        body.field("payment_method_types[]", "card")
        body.field("metadata[order]", request.order)
        body.field("metadata[tip]", request.tip.map { String($0.minorUnits) })
        body.field("metadata[\(StripeAnswers.openedWith)]", key.value)
        if options.asksForOvercapture, request.capture == .later {
            body.field("payment_method_options[card][request_overcapture]", "if_available")
        }
        return try await send(
            HTTPCall(
                .open, "POST", "/v1/payment_intents", request.apiKey.value, key: key, body: body.buffer,
                form: .pairs)
        ) { StripeAnswers.intent($0, nil, madeWith: key) }
    }

    /// `GET /v1/payment_intents/{id}`.
    public func transaction(_ id: TransactionID, with key: APIKey) async throws(GatewayError) -> Transaction {
        let token = key.value
        return try await send(intent(id, .lookUp, token)) {
            StripeAnswers.intent($0, id).flatMap { StripeAnswers.transaction($0, token) }
        }
    }

    /// `POST /v1/payment_methods`.
    public func createSource(
        _ params: SourceParams, in transaction: Transaction, key: IdempotencyKey
    ) async throws(GatewayError) -> PaymentSource {
        var body = FormBody()
        body.field("type", "card")
        body.field("metadata[\(StripeAnswers.openedWith)]", key.value)
        switch params.card?.content {
        case .typed(let card, let code): StripeAnswers.write(card, code, to: &body)
        case .swiped(let card, let code): StripeAnswers.write(card, code, to: &body)
        case .encrypted, nil:
            throw GatewayError(
                .badRequest, .notSent, "This payment service takes no encrypted swipes. Type the card.")
        }
        let call = HTTPCall(
            .create, "POST", "/v1/payment_methods", transaction.token, key: key, body: body.buffer,
            form: .pairs)
        return try await send(call) { StripeAnswers.method($0, madeWith: key) }
    }

    /// `POST /v1/payment_intents/{id}/confirm`.
    public func authorise(
        _ permit: AuthorisationPermit, in transaction: Transaction
    ) async throws(GatewayError) -> PaymentSource {
        var body = FormBody()
        body.field("payment_method", permit.source.value)
        if let address = options.returnAddress {
            body.field("return_url", address)
        } else {
            // A card that needs 3-D Secure is refused for certain, and another one may be tried.
            body.field("error_on_requires_action", "true")
        }
        let path = "/v1/payment_intents/\(HTTPGateway.inPath(transaction.id.value))/confirm"
        let call = HTTPCall(
            .authorise, "POST", path, transaction.token, key: permit.key, body: body.buffer, form: .pairs)
        return try await send(call) { StripeAnswers.source($0, permit.source, transaction.id) }
    }

    /// `GET /v1/payment_intents/{id}`.
    public func source(
        _ id: SourceID, in transaction: Transaction
    ) async throws(GatewayError) -> PaymentSource {
        try await send(intent(transaction.id, .poll, transaction.token)) {
            StripeAnswers.source($0, id, transaction.id)
        }
    }

    /// `POST /v1/payment_intents/{id}/cancel`. It refuses what is over: then the PaymentIntent says how.
    public func cancel(
        _ source: SourceID, in transaction: Transaction
    ) async throws(GatewayError) -> PaymentSource {
        let path = "/v1/payment_intents/\(HTTPGateway.inPath(transaction.id.value))/cancel"
        let call = HTTPCall(
            .giveUp, "POST", path, transaction.token, about: transaction.id.value, form: .pairs)
        do throws(GatewayError) {
            return try await send(call) { StripeAnswers.source($0, source, transaction.id) }
        } catch {
            let now = try await self.source(source, in: transaction)
            // Not given up, and not over either: nobody may take it for either.
            if now.status == .pending { throw error }
            return now
        }
    }

    // MARK: Charges

    /// `GET /v1/charges/{id}` with its PaymentIntent, and `GET /v1/refunds`.
    public func record(of charge: ChargeID, with key: APIKey) async throws(GatewayError) -> ChargeRecord {
        let id = HTTPGateway.inPath(charge.value)
        let refunds = try await send(
            HTTPCall(.poll, "GET", "/v1/refunds?charge=\(id)&limit=100", key.value, about: charge.value)
        ) { StripeAnswers.refunds($0, charge) }
        return try await send(
            HTTPCall(
                .poll, "GET", "/v1/charges/\(id)?expand%5B%5D=payment_intent", key.value, about: charge.value)
        ) { StripeAnswers.record($0, charge, refunds) }
    }

    /// `POST /v1/refunds`, `…/capture`, or `…/cancel` of what is not captured yet.
    public func change(_ permit: ChangePermit, with key: APIKey) async throws(GatewayError) -> BookedChange {
        try DocumentedService.stripe.check(permit.amount)
        let intent = "/v1/payment_intents/\(HTTPGateway.inPath(permit.transaction.value))"
        var body = FormBody()
        let path: String
        switch permit.change.kind {
        case .refund:
            path = "/v1/refunds"
            body.field("charge", permit.change.charge.value)
            body.field("amount", permit.amount.minorUnits)
            body.field("metadata[\(StripeAnswers.keyName)]", permit.key.value)
        case .capture:
            path = intent + "/capture"
            body.field("amount_to_capture", permit.amount.minorUnits)
            body.field("metadata[\(StripeAnswers.keyName)]", permit.key.value)
            body.field("metadata[tip]", permit.change.tip.map { String($0.minorUnits) })
            body.field("metadata[\(StripeAnswers.tipName)]", permit.change.tip?.minorUnits ?? 0)
        case .void:
            path = intent + "/cancel"
            body.field("cancellation_reason", "requested_by_customer")
        }
        // What was refused under a key is said again to every later request with it. The same change asked for anew is the next
        // one's, so that it is not refused for a day; its books name the first.
        for number in 1...Self.mostTries {
            let name = number == 1 ? permit.key : IdempotencyKey(booked: "\(permit.key)-\(number)")
            let call = HTTPCall(.move, "POST", path, key.value, key: name, body: body.buffer, form: .pairs)
            let isReplayed = Atomic(false)
            do throws(GatewayError) {
                return try await send(call, { StripeAnswers.change($0, permit) }) {
                    isReplayed.store($0.headers.contains(name: "Idempotent-Replayed"), ordering: .relaxed)
                }
            } catch {
                guard error.certainty == .refused else { throw error }
                if isReplayed.load(ordering: .relaxed), number < Self.mostTries { continue }
                return BookedChange(
                    id: name.value, kind: permit.change.kind, amount: permit.amount, tip: permit.change.tip,
                    key: permit.key, status: .failed(error.code))
            }
        }
        throw GatewayError(.tooManyRequests, .unknown)
    }

    // MARK: Requests

    private func intent(_ id: TransactionID, _ step: AnswerTable.Step, _ token: SensitiveText) -> HTTPCall {
        HTTPCall(step, "GET", "/v1/payment_intents/\(HTTPGateway.inPath(id.value))", token, about: id.value)
    }

    private func send<Value: Sendable>(
        _ call: HTTPCall, _ read: @escaping @Sendable (ByteBuffer) -> Value?,
        _ look: @escaping @Sendable (HTTPAnswer) -> Void = { _ in }
    ) async throws(GatewayError) -> Value {
        var call = call
        call.headers = ["Stripe-Version": Self.version]
        return try await sender.send(call, StripeAnswers.proof) { answer in
            look(answer)
            return answer.isJSON ? read(answer.body) : nil
        }
    }
}
