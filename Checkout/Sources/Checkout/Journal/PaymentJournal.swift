/// Keeps attempts where they outlive the program, a file for one. ``FileJournal`` is one that programs may share.
///
/// A ``PaymentDesk`` calls it: ``open(_:)`` before an authorisation leaves, ``close(_:)`` when the attempt ended without that
/// money moved, or when somebody was told how it ended.
public protocol PaymentJournal: AnyObject, Sendable {
    /// Writes an attempt down, for good: when this returns, it is there after a power failure, and no other program has a
    /// note of the same sale. It does not wait: this may be called where a user interface lives.
    ///
    /// - Throws: why not. Then nothing is authorised.
    func open(_ attempt: OpenAttempt) throws(PaymentJournalError)
    /// The attempt of this program has come to its end, and money moved, or may have. Until somebody was told, whoever asks for
    /// the same sale finds it.
    func end(_ attempt: OpenAttempt)
    /// Forgets an attempt.
    func close(_ attempt: OpenAttempt)
    /// Lets go of an attempt without forgetting it: who asks next finds it again.
    ///
    /// - Parameter isTold: somebody was told how it ended, but not whoever sells this. Then only those find it that ask for
    ///   the same sale.
    func release(_ attempt: OpenAttempt, isTold: Bool)
    /// What is written down of attempts that nobody is at any more, and of attempts that are under way, of this program or
    /// another one.
    ///
    /// - Parameters:
    ///   - service: of which payment service, by its name.
    ///   - sale: what is about to be paid; nil for nothing.
    /// - Throws: that this cannot be known. Then nothing may be paid.
    func findings(at service: String, for sale: SaleKey?) throws(PaymentJournalError) -> JournalFindings
}

/// What is in a journal that may be in the way of a payment.
public struct JournalFindings: Sendable, Hashable {
    /// Attempts that nobody is at any more and nobody was told of. They are this program's from now on, until it closes or
    /// releases them; it is told of them each time that it asks.
    public var abandoned: [OpenAttempt]
    /// Attempts for the sale that was asked for that somebody is at: pays it, or asks what became of it.
    public var underWay: [OpenAttempt]

    /// What was found.
    public init(abandoned: [OpenAttempt] = [], underWay: [OpenAttempt] = []) {
        self.abandoned = abandoned
        self.underWay = underWay
    }
}

/// Why an attempt could not be written down, or what was written down could not be read.
public enum PaymentJournalError: Error, Sendable, Hashable {
    /// The folder or file cannot be written.
    case unwritable(String)
    /// The folder or file cannot be read, or is no note.
    case unreadable(String)
    /// There is a note of the same sale.
    case sameSale(OpenAttempt)
    /// Somebody else is writing into the folder: try again soon.
    case busy(String)
}
