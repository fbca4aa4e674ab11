internal import Synchronization

/// A journal that is forgotten with its program. Only for programs that may charge again after they were killed: those that
/// ask the payment service themselves what became of their orders, and tests.
public final class MemoryJournal: PaymentJournal {
    private let notes = Mutex<[OpenAttempt: NoteStage]>([:])

    /// An empty one.
    public init() {}

    /// Remembers an attempt.
    public func open(_ attempt: OpenAttempt) throws(PaymentJournalError) {
        let other = notes.withLock { notes -> OpenAttempt? in
            if let other = notes.keys.first(where: { $0.sale.isSame(as: attempt.sale) }) { return other }
            notes[attempt] = .underWay
            return nil
        }
        if let other { throw .sameSale(other) }
    }

    /// Nobody is at it any more.
    public func end(_ attempt: OpenAttempt) { set(.over, of: attempt) }

    /// Forgets it.
    public func close(_ attempt: OpenAttempt) { set(nil, of: attempt) }

    /// Lets go of it.
    public func release(_ attempt: OpenAttempt, isTold: Bool) { set(.abandoned(isTold: isTold), of: attempt) }

    private func set(_ stage: NoteStage?, of attempt: OpenAttempt) {
        notes.withLock { if $0[attempt] != nil { $0[attempt] = stage } }
    }

    /// What this program has remembered.
    public func findings(at service: String, for sale: SaleKey?) -> JournalFindings {
        notes.withLock { JournalFindings($0, at: service, for: sale) }
    }
}
