/// Keeps attempts where they outlive the program, a file for one. ``FileJournal`` is one that programs may share.
///
/// A ``PaymentDesk`` calls it: ``open(_:)`` before an authorisation leaves, ``close(_:)`` when the attempt ended without that
/// money moved, or when somebody was told how it ended.
public protocol PaymentJournal: AnyObject, Sendable {
    /// Writes an attempt down, for good: when this returns, it is there after a power failure, and no other program has a
    /// note of the same sale.
    ///
    /// - Throws: why not. Then nothing is authorised.
    func open(_ attempt: OpenAttempt) throws(PaymentJournalError)
    /// Forgets an attempt.
    func close(_ attempt: OpenAttempt)
    /// Lets go of an attempt without forgetting it: who looks next finds it again.
    ///
    /// - Parameter isTold: somebody was told how it ended, but not whoever sells this. Then only those find it that ask for
    ///   the same sale.
    func leave(_ attempt: OpenAttempt, isTold: Bool)
    /// What programs that are gone left behind, and what programs that live are at.
    ///
    /// - Parameters:
    ///   - service: of which payment service, by its name.
    ///   - sale: what is about to be paid; nil for nothing.
    /// - Throws: that this cannot be known. Then nothing may be paid.
    func look(_ service: String, for sale: SaleKey?) throws(PaymentJournalError) -> JournalFindings
}

/// What is in a journal that is not this program's own.
public struct JournalFindings: Sendable, Hashable {
    /// Attempts of programs that are gone. They are this program's from now on, until it closes or leaves them; it is told of
    /// them each time that it looks.
    public var left: [OpenAttempt]
    /// Attempts for the sale that was asked for, of programs that live: they pay it, or ask what became of it.
    public var elsewhere: [OpenAttempt]

    /// What was found.
    public init(left: [OpenAttempt] = [], elsewhere: [OpenAttempt] = []) {
        self.left = left
        self.elsewhere = elsewhere
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
}
