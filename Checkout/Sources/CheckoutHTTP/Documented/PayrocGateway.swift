internal import CardData
public import Checkout
internal import NIOCore

/// What Payroc wants to know of a till.
public struct PayrocOptions: Sendable, Hashable {
    /// The terminal that Payroc gave the merchant (`processingTerminalId`).
    public var terminal: String
    /// Where tokens come from; nil for `https://identity.payroc.com`.
    public var identityAddress: String?
    /// The reader, in Payroc's words: for encrypted swipes.
    public var deviceModel: String
    /// The reader's number.
    public var deviceSerial: String

    /// A terminal, with any reader of stripes.
    public init(
        terminal: String, identityAddress: String? = nil, deviceModel: String = "genericMsr",
        deviceSerial: String = "0"
    ) {
        self.terminal = terminal
        self.identityAddress = identityAddress
        self.deviceModel = deviceModel
        self.deviceSerial = deviceSerial
    }
}

/// Payroc's card payments, asked from a server. **Made from public documentation (docs.payroc.com, 2026), never tested against
/// the real service.**
///
/// A source is a pre-authorisation: it holds the amount on the card, which is no charge. Authorising it captures it, which a payment
/// allows once. Giving it up reverses it, and what is reversed cannot be captured: that is the fence. So a request that is lost or
/// late charges nothing without a note that names the payment, and a payment is asked about by its own name.
///
/// - Keys: a POST has an `Idempotency-Key`, a UUID of version 4, kept for 7 days. With another body it is a 409.
/// - An order's payments have keys that are made of its name and of how many were declined or reversed before. Each key makes one
///   payment, and the next one is used once all before are over: so an order has one payment that can be captured, however far behind
///   the list is. A payment that is neither over nor captured is in the way, also of a till that was killed before it wrote down
///   whose it is: nobody but a person can say that no till is at it (`till void`).
/// - Books: a payment is captured and reversed once; its refunds are asked for one by one, with the key as their `operator`.
///   ASSUMPTION: the service gives that back byte for byte. Where it does not, the key alone keeps a refund from being done twice, for 7
///   days: what a killed till left is not asked for again after 6. Nothing is refunded in an open batch, where the service would reverse instead.
/// - An error names no request, so none refuses (``AnswerTable``).
/// - Encrypted swipes go with the key's serial number.
public final class PayrocGateway: PaymentGateway {
    private let sender: HTTPSender
    private let identity: PayrocIdentity
    private let options: PayrocOptions

    static let identityAddress = "https://identity.payroc.com"
    /// How many payments of one order, and refunds of one payment, are looked at.
    private static let mostListed = 100

    /// A gateway to `https://api.payroc.com`, or to the address that is given. Nothing is sent yet.
    public init(_ configuration: HTTPGatewayConfiguration, _ options: PayrocOptions) throws(GatewayError) {
        sender = try HTTPSender(configuration)
        var other = configuration
        other.address = options.identityAddress ?? Self.identityAddress
        identity = PayrocIdentity(try HTTPSender(other))
        self.options = options
    }

    /// The service that requests go to, by its one name.
    public var service: String { sender.address.name }
    /// A pre-authorisation does.
    public var holdsWithSource: Bool { true }
    /// A day less than the 7 that keys are kept: a refund is listed under its key only where its `operator` comes back as it was sent.
    public var keyLifetime: Duration? { .seconds(6 * 86_400) }

    // MARK: Payments

    /// `GET /v1/payments?orderId=`, of an order: the service has nothing of a sale before a card is there.
    public func openTransaction(
        _ request: TransactionRequest, key: IdempotencyKey
    ) async throws(GatewayError) -> Transaction {
        let sale = PayrocSale(request, key: key)
        guard sale.orderID.utf8.count <= PayrocSale.longestOrder else {
            throw GatewayError(
                .badRequest, .notSent,
                "Payroc takes orders' names of \(PayrocSale.longestOrder) bytes at most.")
        }
        let token = request.apiKey.value
        guard sale.isOrder else { return sale.transaction(token, charge: nil) }
        let others = try await payments(sale, token).filter { !PayrocAnswers.isOver($0) }
        guard others.allSatisfy({ PayrocAnswers.isFor(sale, $0) }) else {
            throw GatewayError(.conflict, .refused)
        }
        return sale.transaction(token, charge: try Self.charge(sale, others, isBegun: false))
    }

    /// The same, of any sale.
    public func transaction(_ id: TransactionID, with key: APIKey) async throws(GatewayError) -> Transaction {
        guard let sale = PayrocSale(id) else { throw GatewayError(.notFound, .notSent) }
        return sale.transaction(
            key.value, charge: try Self.charge(sale, try await payments(sale, key.value), isBegun: true))
    }

    /// How money moved; a payment of which nobody knows is no answer.
    ///
    /// - Parameter isBegun: whether a payment may be the asker's own. What is only held is then no charge: the key, and its being in the
    ///   way, keep others off. Before that a hold of a sale that is captured later is all that was asked for: it is authorised.
    private static func charge(
        _ sale: PayrocSale, _ payments: [PayrocAnswers.Payment], isBegun: Bool
    ) throws(GatewayError) -> Charge? {
        for payment in payments where !PayrocAnswers.isOver(payment) {
            guard let source = PayrocAnswers.source(payment, of: sale) else {
                throw GatewayError(.badAnswer, .unknown)
            }
            if case .consumed(let charge) = source.status, charge.isCaptured || !isBegun { return charge }
        }
        return nil
    }

    /// `POST /v1/payments`, which holds the amount.
    public func createSource(
        _ params: SourceParams, in transaction: Transaction, key: IdempotencyKey
    ) async throws(GatewayError) -> PaymentSource {
        guard let sale = PayrocSale(transaction.id) else { throw GatewayError(.badRequest, .notSent) }
        guard let card = params.card else { throw GatewayError(.badRequest, .notSent) }
        let name = try await name(of: sale, key, transaction.token)
        let body = PayrocBodies.payment(sale, card, params.metadata, key, options)
        let made: PayrocAnswers.Payment
        do throws(GatewayError) {
            made = try await send(.create, "POST", "/v1/payments", transaction.token, name, body) {
                PayrocAnswers.payment($0, of: sale, madeWith: key)
            }
        } catch {
            guard error.certainty == .unknown,
                let late = try? await payments(sale, transaction.token).first(where: {
                    $0.field(PayrocAnswers.keyName) == key.value
                })
            else {
                throw error.code == .conflict
                    ? GatewayError(.conflict, error.certainty, "Another till is at the order.") : error
            }
            made = late
        }
        let standing = PayrocAnswers.standing(made)
        if standing == .declined { throw GatewayError(.declined, .refused) }
        let source = SourceID(made.paymentId)
        // A part was approved, or what the pages do not explain: nothing is captured of it, and it is in no later payment's way.
        guard standing == .held, PayrocAnswers.isWhole(made) else {
            let end = try? await cancel(source, in: transaction)
            if end?.status.isOverUncharged == true { throw GatewayError(.declined, .refused) }
            // It may be held.
            return PaymentSource(id: source, status: .processing)
        }
        return PaymentSource(id: source, status: .pending)
    }

    /// The name that a payment's key is made of.
    private func name(
        of sale: PayrocSale, _ key: IdempotencyKey, _ token: SensitiveText
    ) async throws(GatewayError) -> String {
        guard sale.isOrder else { return key.value }
        let before = try await payments(sale, token)
        if let live = before.first(where: { !PayrocAnswers.isOver($0) }) {
            throw GatewayError(.conflict, .refused, Self.inTheWay(live, of: sale))
        }
        let count = before.count { $0.field(PayrocAnswers.keyName) != nil }
        return "\(IdempotencyKey(naming: sale.orderID))-\(count + 1)"
    }

    /// What a payment of the order is that is not over.
    private static func inTheWay(_ payment: PayrocAnswers.Payment, of sale: PayrocSale) -> String {
        let id = payment.paymentId
        switch PayrocAnswers.standing(payment) {
        case .captured: return "The order is paid already: payment \(id)."
        case .held where sale.capture == .later:
            return "The order is authorised already, to be captured or voided: payment \(id)."
        case .held, .reversed, .declined, nil:
            return "Another till is at the order, or was killed there: look up \(id)."
        }
    }

    /// `POST /v1/payments/{id}/capture`; what is to be captured later is held already.
    public func authorise(
        _ permit: AuthorisationPermit, in transaction: Transaction
    ) async throws(GatewayError) -> PaymentSource {
        guard let sale = PayrocSale(transaction.id) else { throw GatewayError(.badRequest, .notSent) }
        guard sale.capture == .atOnce else { return try await source(permit.source, in: transaction) }
        let body = PayrocBodies.capture(sale.amount, tip: sale.tip, options)
        let path = Self.path(permit.source.value, "/capture")
        return try await send(.authorise, "POST", path, transaction.token, permit.key.value, body) {
            PayrocAnswers.payment($0, permit.source.value).flatMap { PayrocAnswers.source($0, of: sale) }
        }
    }

    /// `GET /v1/payments/{id}`.
    public func source(
        _ id: SourceID, in transaction: Transaction
    ) async throws(GatewayError) -> PaymentSource {
        guard let sale = PayrocSale(transaction.id) else { throw GatewayError(.notFound, .notSent) }
        return try await send(.poll, "GET", Self.path(id.value), transaction.token) {
            PayrocAnswers.payment($0, id.value).flatMap { PayrocAnswers.source($0, of: sale) }
        }
    }

    /// `POST /v1/payments/{id}/reverse`. Where it refuses, the payment says how it is.
    public func cancel(
        _ source: SourceID, in transaction: Transaction
    ) async throws(GatewayError) -> PaymentSource {
        guard let sale = PayrocSale(transaction.id) else { throw GatewayError(.notFound, .notSent) }
        let name = "reverse-of-checkout-\(source)"
        let path = Self.path(source.value, "/reverse")
        do throws(GatewayError) {
            return try await send(
                .giveUp, "POST", path, transaction.token, name, PayrocBodies.reversal
            ) {
                PayrocAnswers.payment($0, source.value).flatMap { PayrocAnswers.source($0, of: sale) }
            }
        } catch {
            let now = try await self.source(source, in: transaction)
            // Not given up, and not over either: nobody may take it for either.
            if now.status == .pending { throw error }
            return now
        }
    }

    /// All payments of a sale.
    private func payments(
        _ sale: PayrocSale, _ token: SensitiveText
    ) async throws(GatewayError) -> [PayrocAnswers.Payment] {
        let query = "orderId=\(HTTPGateway.inPath(sale.orderID))&limit=\(Self.mostListed)"
        return try await send(.lookUp, "GET", "/v1/payments?\(query)", token) {
            PayrocAnswers.payments($0, of: sale.orderID)
        }
    }

    // MARK: Charges

    /// `GET /v1/payments/{id}`, and `GET /v1/refunds/{id}` for each of its refunds.
    public func record(of charge: ChargeID, with key: APIKey) async throws(GatewayError) -> ChargeRecord {
        let payment = try await send(.poll, "GET", Self.path(charge.value), key.value) {
            PayrocAnswers.payment($0, charge.value)
        }
        var refunds: [BookedChange] = []
        for refund in payment.refunds ?? [] {
            guard refunds.count < Self.mostListed else { throw GatewayError(.badAnswer, .unknown) }
            let path = "/v1/refunds/\(HTTPGateway.inPath(refund.refundId))"
            refunds.append(
                try await send(.poll, "GET", path, key.value) { PayrocAnswers.refund($0, refund.refundId) })
        }
        guard let record = PayrocAnswers.record(payment, refunds) else {
            throw GatewayError(.badAnswer, .unknown)
        }
        return record
    }

    /// `POST /v1/payments/{id}/refund`, `…/capture` or `…/reverse`; then the books say what was done.
    public func change(_ permit: ChangePermit, with key: APIKey) async throws(GatewayError) -> BookedChange {
        let id = permit.change.charge
        let (verb, body): (String, ByteBuffer) =
            switch permit.change.kind {
            case .refund: ("/refund", PayrocBodies.refund(permit))
            case .capture:
                (
                    "/capture",
                    PayrocBodies.capture(permit.amount, tip: permit.change.tip?.minorUnits ?? 0, options)
                )
            case .void: ("/reverse", PayrocBodies.reversal)
            }
        _ = try await send(.move, "POST", Self.path(id.value, verb), key.value, permit.key.value, body) {
            PayrocAnswers.payment($0, id.value)
        }
        let record = try await record(of: id, with: key)
        let kind = permit.change.kind
        guard
            let booked = record.changes.first(where: {
                $0.kind == kind && ($0.key == permit.key || ($0.key == nil && kind != .refund))
            })
        else { throw GatewayError(.badAnswer, .unknown) }
        return BookedChange(
            id: booked.id, kind: kind, amount: booked.amount, tip: permit.change.tip, key: permit.key,
            status: booked.status)
    }

    // MARK: Requests

    private static func path(_ payment: String, _ verb: String = "") -> String {
        "/v1/payments/\(HTTPGateway.inPath(payment))\(verb)"
    }

    /// - Parameter name: what the idempotency key is made of; nil for none.
    private func send<Value: Sendable>(
        _ step: AnswerTable.Step, _ method: String, _ path: String, _ key: SensitiveText,
        _ name: String? = nil, _ body: ByteBuffer? = nil,
        _ read: @escaping @Sendable (ByteBuffer) -> Value?
    ) async throws(GatewayError) -> Value {
        let name = name.map { IdempotencyKey(booked: PayrocKey.uuid($0)) }
        var isAgain = false
        while true {
            do throws(GatewayError) {
                let token = try await identity.token(for: key)
                return try await sender.send(
                    HTTPCall(step, method, path, token, key: name, body: body), PayrocAnswers.proof
                ) { $0.isJSON ? read($0.body) : nil }
            } catch {
                // The first one may have been done, whoever refused its token.
                if isAgain, error.certainty == .notSent {
                    throw GatewayError(error.code, .unknown, error.message)
                }
                guard error.code == .badKey, error.certainty != .notSent, !isAgain else { throw error }
                // A token may be revoked before its hour is over.
                identity.forget()
                isAgain = true
            }
        }
    }
}
