/// Keeps attempts where they outlive the program, a file for one. ``FileJournal`` is one that programs may share.
///
/// A ``PaymentDesk`` calls it: ``open(_:)`` before an authorisation leaves, ``close(_:)`` when the attempt ended without that
/// money moved, or when somebody was told how it ended.
public protocol PaymentJournal: AnyObject, Sendable {
    /// This moment.
    func mark() -> JournalMark
    /// Writes an attempt down, for good: when this returns, it is there after a power failure, and no other program has a
    /// note of the same sale, or had one that was paid since the mark. It does not wait: this may be called where a user
    /// interface lives.
    ///
    /// - Parameter mark: when somebody decided to pay this. A program may stand still for long after that, and miss all that
    ///   another one writes down and closes.
    /// - Throws: why not. Then nothing is authorised.
    func open(_ attempt: OpenAttempt, since mark: JournalMark) throws(PaymentJournalError)
    /// Whether an attempt that this program wrote down is still there for other programs to find.
    func isOpen(_ attempt: OpenAttempt) -> Bool
    /// The attempt of this program has come to its end, and money moved, or may have. Until somebody was told, whoever asks for
    /// the same sale finds it.
    func end(_ attempt: OpenAttempt)
    /// Forgets an attempt.
    ///
    /// - Parameter isPaid: money moved for it, or may have, and somebody was told: ``open(_:since:)`` still names it to those
    ///   who had decided to pay the same before.
    func close(_ attempt: OpenAttempt, isPaid: Bool)
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

extension PaymentJournal {
    /// Writes an attempt down that was decided just now.
    public func open(_ attempt: OpenAttempt) throws(PaymentJournalError) {
        try open(attempt, since: mark())
    }

    /// Forgets an attempt that moved no money.
    public func close(_ attempt: OpenAttempt) { close(attempt, isPaid: false) }
}

/// A moment in a journal: what was over before it. No clock is asked, as those jump.
public struct JournalMark: Sendable, Hashable {
    /// The journal's names for what was over.
    public var over: Set<String>

    /// A moment. Journals make them.
    public init(over: Set<String> = []) { self.over = over }
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
    /// The folder or file cannot be written, with the reason where there is one.
    case unwritable(String)
    /// The folder or file cannot be read, or is no note.
    case unreadable(String)
    /// There is a note of the same sale.
    case sameSale(OpenAttempt)
    /// Since the mark the same sale was paid by somebody else, who was told. With the journal's name for it, which goes into
    /// the mark of whoever has heard of it.
    case endedMeanwhile(OpenAttempt, name: String)
    /// Somebody else is writing into the folder: try again soon.
    case busy(String)
    /// Since the mark more was paid than the folder keeps: the same sale may be among what went.
    case forgotten(String)
}
