internal import Synchronization

/// A journal that is forgotten with its program. Only for programs that may charge again after they were killed: those that
/// ask the payment service themselves what became of their orders, and tests.
public final class MemoryJournal: PaymentJournal {
    private let attempts = Mutex<Set<OpenAttempt>>([])

    /// An empty one.
    public init() {}

    /// Remembers an attempt.
    public func open(_ attempt: OpenAttempt) { _ = attempts.withLock { $0.insert(attempt) } }

    /// Forgets it.
    public func close(_ attempt: OpenAttempt) { _ = attempts.withLock { $0.remove(attempt) } }

    /// Does nothing: nobody else looks here.
    public func leave(_ attempt: OpenAttempt, isTold: Bool) {}

    /// Nothing was left behind.
    public func look(_ service: String, for sale: SaleKey?) -> JournalFindings { JournalFindings() }
}
