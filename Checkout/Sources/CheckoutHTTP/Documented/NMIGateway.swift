internal import CardData
public import Checkout
internal import NIOCore
internal import SwipeProtocol
internal import Synchronization

/// NMI's (Network Merchants') Direct Post API, with its Query API for questions. **Made from public documentation (docs.nmi.com,
/// and the Direct Post pages as resellers publish them, 2026), never tested against the real service.**
///
/// It takes clear cards, and swipes as MagTek's and ID TECH's readers encrypt them: ciphertext and KSN, of MagTek's with the
/// MagnePrint. The merchant's key is the security key; it goes into the body.
///
/// - There is no transaction before money moves: ours is a name that says its amount, and stands in every attempt's
///   `merchant_defined_field_1`. A source is one attempt, by its `orderid`.
/// - There are no idempotency keys. What moves money is sent once, and its loss is asked about by the order's name. No answer
///   means that nobody knows: there is no fence either.
/// - A refund or a capture is not listed under a name of ours: one whose answer is lost ends as "perhaps".
public final class NMIGateway: PaymentGateway {
    let sender: HTTPSender
    private let sources = Mutex<[SourceID: Prepared]>([:])
    private let descriptions = Mutex<[TransactionID: String]>([:])

    /// What is to be authorised: it is nowhere but here until then.
    private struct Prepared: Sendable {
        var params: SourceParams?
        let capture: CaptureTime
        var isSent = false
    }

    /// How many payments may be open at once.
    static let mostOpen = 1_024

    /// A gateway to `https://secure.nmi.com`, or to the address that is given. Nothing is sent yet.
    public init(_ configuration: HTTPGatewayConfiguration) throws(GatewayError) {
        sender = try HTTPSender(configuration)
    }

    /// The service that requests go to, by its one name.
    public var service: String { sender.address.name }

    /// It knows no keys.
    public var keyLifetime: Duration { .zero }

    // MARK: Payments

    /// Sends nothing.
    public func openTransaction(
        _ request: TransactionRequest, key: IdempotencyKey
    ) async throws(GatewayError) -> Transaction {
        try DocumentedService.nmi.check(request.amount)
        let name = NMIName(
            amount: request.amount, capture: request.capture, tip: request.tip, name: key.value)
        let id = TransactionID(name.text)
        let isFull = descriptions.withLock { descriptions in
            if descriptions.count >= Self.mostOpen { return true }
            descriptions[id] = request.description
            return false
        }
        guard !isFull else { throw GatewayError(.tooManyRequests, .notSent, "Too many payments are open.") }
        return transaction(id, name, request.apiKey.value, charge: nil)
    }

    /// Asks for all attempts of the transaction: `query.php` by `merchant_defined_field_1`.
    public func transaction(_ id: TransactionID, with key: APIKey) async throws(GatewayError) -> Transaction {
        guard let name = NMIName(id.value) else { throw GatewayError(.notFound, .refused) }
        let found = try await query("merchant_defined_field_1", id.value, key.value) { $0.field }
        let description = description(of: id)
        return transaction(
            id, name, key.value, charge: found.compactMap { $0.charge(description, name) }.first)
    }

    private func transaction(
        _ id: TransactionID, _ name: NMIName, _ token: SensitiveText, charge: Charge?
    ) -> Transaction {
        Transaction(
            id: id, token: token, description: description(of: id), amount: name.amount,
            methods: [
                PaymentMethod(id: "card", kind: .creditCard, flow: .inPlace),
                PaymentMethod(id: "swipe", kind: .swipe, flow: .inPlace),
            ], charge: charge)
    }

    private func description(of id: TransactionID) -> String { descriptions.withLock { $0[id] } ?? "" }

    /// Sends nothing: the card waits here for its authorisation.
    public func createSource(
        _ params: SourceParams, in transaction: Transaction, key: IdempotencyKey
    ) async throws(GatewayError) -> PaymentSource {
        guard let name = NMIName(transaction.id.value), params.card != nil else {
            throw GatewayError(.badRequest, .notSent)
        }
        if case .encrypted(let swipe) = params.card?.content, NMIBody.tracks(swipe) == nil {
            throw GatewayError(
                .badRequest, .notSent, "This payment service takes tracks that are encrypted one by one.")
        }
        let id = SourceID("\(transaction.id.value).\(IdempotencyKey().value.prefix(8))")
        sources.withLock { sources in
            // Nobody pays with a card that was prepared so long ago.
            if sources.count >= Self.mostOpen { sources.removeAll() }
            sources[id] = Prepared(params: params, capture: name.capture)
        }
        return PaymentSource(id: id, status: .pending)
    }

    /// `transact.php`, once.
    public func authorise(
        _ permit: AuthorisationPermit, in transaction: Transaction
    ) async throws(GatewayError) -> PaymentSource {
        let taken: Prepared? = sources.withLock { sources in
            guard let prepared = sources[permit.source], !prepared.isSent else { return nil }
            sources[permit.source] = Prepared(params: nil, capture: prepared.capture, isSent: true)
            return prepared
        }
        guard let taken, let params = taken.params, let name = NMIName(transaction.id.value) else {
            throw GatewayError(.conflict, .unknown)
        }
        let body = NMIBody.payment(params, name, permit.source, transaction)
        let call = HTTPCall(
            .authorise, "POST", "/api/transact.php", nil, about: permit.source.value, body: body, form: .pairs
        )
        let description = transaction.description
        return try await sender.send(call, NMIAnswers.proof) {
            NMIAnswers.source($0.body, permit.source, name, description)
        }
    }

    /// `query.php` by `order_id`. What it does not know was not sent yet, or may be on its way.
    public func source(
        _ id: SourceID, in transaction: Transaction
    ) async throws(GatewayError) -> PaymentSource {
        guard let name = NMIName(transaction.id.value) else { throw GatewayError(.notFound, .refused) }
        let isSent = sources.withLock { $0[id]?.isSent ?? true }
        guard isSent else { return PaymentSource(id: id, status: .pending) }
        let found = try await query("order_id", id.value, transaction.token) { $0.order }
        return PaymentSource(
            id: id, status: found.last?.status(transaction.description, name) ?? .processing)
    }

    /// Gives up what was not sent. There is no fence for what was.
    public func cancel(
        _ source: SourceID, in transaction: Transaction
    ) async throws(GatewayError) -> PaymentSource {
        let isOurs = sources.withLock { sources in
            guard let prepared = sources[source], !prepared.isSent else { return false }
            // From here on nobody can authorise it.
            sources[source] = Prepared(params: nil, capture: prepared.capture, isSent: true)
            return true
        }
        if isOurs { return PaymentSource(id: source, status: .cancelled) }
        return try await self.source(source, in: transaction)
    }

    // MARK: Charges

    /// `query.php` by `transaction_id`.
    public func record(of charge: ChargeID, with key: APIKey) async throws(GatewayError) -> ChargeRecord {
        let found = try await query("transaction_id", charge.value, key.value) { $0.id }
        guard let record = found.first?.record(charge) else { throw GatewayError(.notFound, .unknown) }
        return record
    }

    /// `transact.php`, once.
    public func change(_ permit: ChangePermit, with key: APIKey) async throws(GatewayError) -> BookedChange {
        try DocumentedService.nmi.check(permit.amount)
        var body = FormBody()
        body.field("security_key", revealing: key.value)
        body.field("type", permit.change.kind.rawValue)
        body.field("transactionid", permit.change.charge.value)
        if permit.change.kind != .void { body.field("amount", permit.amount.displayAmount) }
        let call = HTTPCall(
            .move, "POST", "/api/transact.php", nil, about: permit.change.charge.value, body: body.buffer,
            form: .pairs)
        return try await sender.send(call, NMIAnswers.proof) { NMIAnswers.change($0.body, permit) }
    }

    // MARK: Questions

    /// - Parameter said: where a transaction has what was asked for. An answer with another value is to somebody else's question.
    private func query(
        _ name: String, _ value: String, _ key: SensitiveText,
        _ said: @escaping @Sendable (NMITransaction) -> String?
    ) async throws(GatewayError) -> [NMITransaction] {
        var body = FormBody()
        body.field("security_key", revealing: key)
        body.field(name, value)
        let call = HTTPCall(
            .poll, "POST", "/api/query.php", nil, about: value, body: body.buffer, form: .pairs)
        return try await sender.send(call, NMIAnswers.proof) { answer in
            NMIAnswers.transactions(answer.body).flatMap { $0.allSatisfy { said($0) == value } ? $0 : nil }
        }
    }
}

/// What we call a payment there: it says all that has to be known of it later.
///
///     co_440_EUR_manual_0_5f0c…      amount, currency, capture, tip, and the key that it was opened with
struct NMIName {
    let amount: Money
    let capture: CaptureTime
    let tip: Money?
    let name: String

    init(amount: Money, capture: CaptureTime, tip: Money?, name: String) {
        self.amount = amount
        self.capture = capture
        self.tip = tip
        self.name = name
    }

    init?(_ text: String) {
        let parts = text.split(separator: "_", maxSplits: 5, omittingEmptySubsequences: false).map(
            String.init)
        guard parts.count == 6, parts[0] == "co", let currency = Currency(parts[2]),
            let units = Int(parts[1]),
            let amount = Money(minorUnits: units, currency: currency),
            let capture = CaptureTime(rawValue: parts[3]),
            let tip = Int(parts[4]).flatMap({ Money(minorUnits: $0, currency: currency) })
        else { return nil }
        self.init(amount: amount, capture: capture, tip: tip.minorUnits == 0 ? nil : tip, name: parts[5])
    }

    var text: String {
        "co_\(amount.minorUnits)_\(amount.currency.code)_\(capture.rawValue)_\(tip?.minorUnits ?? 0)_\(name)"
    }
}

/// The requests, as the Direct Post pages name their fields.
enum NMIBody {
    static func payment(
        _ params: SourceParams, _ name: NMIName, _ source: SourceID, _ transaction: Transaction
    ) -> ByteBuffer {
        var body = FormBody()
        body.field("security_key", revealing: transaction.token)
        body.field("type", name.capture == .later ? "auth" : "sale")
        body.field("amount", name.amount.displayAmount)
        body.field("currency", name.amount.currency.code)
        body.field("orderid", source.value)
        body.field("order_description", transaction.description)
        body.field("merchant_defined_field_1", transaction.id.value)
        switch params.card?.content {
        case .typed(let card, let code): write(card, code, to: &body)
        case .swiped(let card, let code): write(card, code, to: &body)
        case .encrypted(let swipe): write(swipe, to: &body)
        case nil: break
        }
        return body.buffer
    }

    private static func write(_ card: ClearCard, _ code: SensitiveText?, to body: inout FormBody) {
        let two = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
        body.field("ccnumber", revealing: card.number.reveal().map { SensitiveText($0) })
        body.field("ccexp", two(card.expiry.month) + two(card.expiry.year % 100))
        body.field("cvv", revealing: code)
    }

    /// "Passing MagTek Magensa Encrypted Magnetic Stripe Data", and "Passing IDTech M130 Encrypted Swipe Data".
    ///
    /// ASSUMPTION: "raw data" is the reader's bytes in hexadecimal, as its own keyboard form writes them. A swipe with a
    /// MagnePrint is a MagTek reader's, another one is ID TECH's.
    private static func write(_ swipe: EncryptedSwipe, to body: inout FormBody) {
        let maker = swipe.encryption.magnePrint == nil ? "encrypted" : "magnesafe"
        for (number, ciphertext) in tracks(swipe) ?? [] {
            body.field("\(maker)_track_\(number)", hexadecimal(ciphertext))
        }
        body.field("\(maker)_ksn", hexadecimal(swipe.encryption.keySerialNumber))
        guard let print = swipe.encryption.magnePrint else { return }
        body.field("magnesafe_magneprint", hexadecimal(print.ciphertext))
        let status = (0..<4).map { UInt8(truncatingIfNeeded: print.status >> (24 - 8 * $0)) }
        body.field("magnesafe_magneprint_status", hexadecimal(status))
    }

    /// The tracks that it takes, each in a ciphertext of its own; nil where there is none, or several are in one.
    static func tracks(_ swipe: EncryptedSwipe) -> [(Int, [UInt8])]? {
        let last = swipe.encryption.magnePrint == nil ? 3 : 2
        let tracks = swipe.encryption.tracks.filter {
            (1...last).contains($0.track) && $0.joinedTracks.isEmpty
        }
        return tracks.isEmpty ? nil : tracks.map { ($0.track, $0.ciphertext) }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }
}
