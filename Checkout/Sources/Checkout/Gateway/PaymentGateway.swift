/// A payment service, as this library needs it. `CheckoutHTTP` has one that speaks HTTP.
///
/// The promises that "never two charges" rests on:
/// - A request with the same ``IdempotencyKey`` is done once, however often it arrives; so a gateway may repeat it.
/// - Creating a source moves no money, authorising it may, and a source is charged at most once.
/// - ``cancel(_:in:)`` is a fence: a source that the service calls cancelled is never charged, also not by a request
///   that was on its way before.
/// - An error tells by ``GatewayError/certainty`` whether the request may have been done.
public protocol PaymentGateway: Sendable {
    /// Opens a transaction: one payment for one thing.
    func openTransaction(
        _ request: TransactionRequest, key: IdempotencyKey
    ) async throws(GatewayError) -> Transaction

    /// A transaction that was opened before.
    func transaction(_ id: TransactionID, with key: APIKey) async throws(GatewayError) -> Transaction

    /// Creates a source: a means to pay, not charged yet.
    func createSource(
        _ params: SourceParams, in transaction: Transaction, key: IdempotencyKey
    ) async throws(GatewayError) -> PaymentSource

    /// Authorises a source, which charges it at once, soon, or after the customer agreed elsewhere.
    func authorise(
        _ source: SourceID, in transaction: Transaction, key: IdempotencyKey
    ) async throws(GatewayError) -> PaymentSource

    /// How a source is.
    func source(_ id: SourceID, in transaction: Transaction) async throws(GatewayError) -> PaymentSource

    /// Gives a source up, unless it is too late: the answer says how it is now.
    func cancel(_ source: SourceID, in transaction: Transaction) async throws(GatewayError) -> PaymentSource
}

extension PaymentGateway {
    /// Opens a transaction, and looks whether it is for the amount that the customer was told.
    public func open(_ request: TransactionRequest) async throws(GatewayError) -> Transaction {
        let transaction = try await openTransaction(request, key: IdempotencyKey())
        guard transaction.amount == request.amount else {
            throw GatewayError(.badAnswer, .unknown, "The payment service opened another payment.")
        }
        return transaction
    }
}
