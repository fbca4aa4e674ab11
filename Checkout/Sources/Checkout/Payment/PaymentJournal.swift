/// An attempt whose authorisation may have left: what a program must know again after it was killed.
///
/// No card data, and no key: names alone. Whoever holds the merchant's key can ask for the rest.
public struct OpenAttempt: Sendable, Hashable {
    /// The payment.
    public let transaction: TransactionID
    /// The means to pay that was authorised, or was about to be.
    public let source: SourceID
    /// For how much.
    public let amount: Money
    /// What is sold.
    public let description: String

    /// An attempt, as a journal had it.
    public init(transaction: TransactionID, source: SourceID, amount: Money, description: String) {
        self.transaction = transaction
        self.source = source
        self.amount = amount
        self.description = description
    }
}

/// Keeps attempts where they outlive the program, a file for one.
///
/// ``open(_:)`` is called before an authorisation leaves, ``close(_:)`` when the attempt ended without that money moved.
/// After a success or a possible success the attempt stays open until the journal's owner, who has told somebody, closes
/// it. What is found open at the next start goes to ``Payment/resume(_:)``.
public protocol PaymentJournal: AnyObject, Sendable {
    /// Writes an attempt down, for good: when this returns, it is there after a power failure.
    ///
    /// - Throws: why not. Then nothing is authorised.
    func open(_ attempt: OpenAttempt) throws(PaymentJournalError)
    /// Forgets an attempt.
    func close(_ attempt: OpenAttempt)
}

/// An attempt could not be written down.
public struct PaymentJournalError: Error, Sendable, Hashable {
    /// Makes one.
    public init() {}
}
