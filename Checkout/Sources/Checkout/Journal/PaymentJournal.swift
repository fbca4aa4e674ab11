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
/// it. What ``left()`` finds at the next start goes to ``EarlierPayment/settle(_:with:gateway:policy:)``. ``FileJournal``
/// is one.
public protocol PaymentJournal: AnyObject, Sendable {
    /// Writes an attempt down, for good: when this returns, it is there after a power failure.
    ///
    /// - Throws: why not. Then nothing is authorised.
    func open(_ attempt: OpenAttempt) throws(PaymentJournalError)
    /// Forgets an attempt.
    func close(_ attempt: OpenAttempt)
    /// The attempts that were left open by programs that are gone. Each is found once: it is this program's from now on,
    /// to be closed like those that it opens.
    ///
    /// - Throws: that nobody can say which there are. Then nothing should be paid.
    func left() throws(PaymentJournalError) -> [OpenAttempt]
}

/// An attempt could not be written down, or what was written down could not be read.
public struct PaymentJournalError: Error, Sendable, Hashable {
    /// Makes one.
    public init() {}
}
