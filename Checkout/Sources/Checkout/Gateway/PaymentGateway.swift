/// A payment service, as this library needs it. `CheckoutHTTP` has one that speaks HTTP.
///
/// The promises that "never two charges" rests on:
/// - A request with the same ``IdempotencyKey`` is done once, however often it arrives; so a gateway may repeat it.
/// - Creating a source moves no money, authorising it may, and a source is charged at most once.
/// - ``cancel(_:in:)`` is a fence: a source that the service calls cancelled is never charged, also not by a request
///   that was on its way before.
/// - An error tells by ``GatewayError/certainty`` whether the request may have been done.
/// - A change of a charge is done once for its key, for as long as a request may be on its way, and a day at least; the charge's
///   record lists it under that key from then on, and for good, and a refused one, too, where a service refuses for good. Captures
///   and voids, of which a charge has one each, it may list under no key: then not all can be known of them (``PaymentError/notTold``).
/// - An error never ends an authorisation: a decline that the service says is a source that ``PaymentSource/Status/failed(_:)``.
public protocol PaymentGateway: Sendable {
    /// The service that is really talked to, by the one name that all spellings of its address have:
    /// ``ServiceAddress/name``.
    var service: String { get }

    /// Whether making a source holds its amount on the card: then one that is not authorised is given up. False where it is not said.
    var holdsWithSource: Bool { get }

    /// For how long a refund's key is safe to repeat, where the record may fail to list the refund under it; nil, as where it is not
    /// said, for a record that surely does.
    var keyLifetime: Duration? { get }

    /// Opens a transaction: one payment for one thing.
    func openTransaction(
        _ request: TransactionRequest, key: IdempotencyKey
    ) async throws(GatewayError) -> Transaction

    /// A transaction that was opened before.
    func transaction(_ id: TransactionID, with key: APIKey) async throws(GatewayError) -> Transaction

    /// Creates a source: a means to pay, not charged yet. One that is ``PaymentSource/Status/processing`` is not authorised, but asked
    /// about: of it nobody can say that it holds nothing.
    func createSource(
        _ params: SourceParams, in transaction: Transaction, key: IdempotencyKey
    ) async throws(GatewayError) -> PaymentSource

    /// Authorises a source, which charges it at once, soon, or after the customer agreed elsewhere.
    func authorise(
        _ permit: AuthorisationPermit, in transaction: Transaction
    ) async throws(GatewayError) -> PaymentSource

    /// How a source is.
    func source(_ id: SourceID, in transaction: Transaction) async throws(GatewayError) -> PaymentSource

    /// Gives a source up, unless it is too late: the answer says how it is now.
    func cancel(_ source: SourceID, in transaction: Transaction) async throws(GatewayError) -> PaymentSource

    // MARK: Charges

    /// A charge with all that was done to it.
    func record(of charge: ChargeID, with key: APIKey) async throws(GatewayError) -> ChargeRecord

    /// Captures, refunds or voids a charge. The answer, also a refusal, is looked up in ``record(of:with:)``.
    func change(_ permit: ChangePermit, with key: APIKey) async throws(GatewayError) -> BookedChange
}

/// Lets a gateway authorise one source. Only a ``PaymentDesk`` gives one out, once the attempt is written down: there is no
/// way to charge that goes round it.
public struct AuthorisationPermit: Sendable {
    /// What may be authorised.
    public let source: SourceID
    /// Names the authorisation; as it was written down.
    public let key: IdempotencyKey

    package init(_ source: SourceID, key: IdempotencyKey) {
        self.source = source
        self.key = key
    }
}

extension PaymentGateway {
    /// It does not, as a rule.
    public var holdsWithSource: Bool { false }
    /// For good: by the record.
    public var keyLifetime: Duration? { nil }

    /// Opens a transaction, and looks whether it is for the amount that the customer was told.
    public func open(_ request: TransactionRequest) async throws(GatewayError) -> Transaction {
        let transaction = try await openTransaction(
            request, key: request.order.map(IdempotencyKey.init(naming:)) ?? IdempotencyKey())
        guard transaction.amount == request.amount else {
            throw GatewayError(.badAnswer, .unknown, "The payment service opened another payment.")
        }
        return transaction
    }
}
