internal import Synchronization

/// A journal that is forgotten with its program. Only for programs that may charge again after they were killed: those that
/// ask the payment service themselves what became of their orders, and tests.
public final class MemoryJournal: PaymentJournal {
    private struct Notes {
        var open: [OpenAttempt: NoteStage] = [:]
        /// Those that were paid, oldest first, with their numbers.
        var over: [(name: String, attempt: OpenAttempt)] = []
        var count = 0
    }

    private let notes = Mutex(Notes())
    private static let mostOver = 256

    /// An empty one.
    public init() {}

    /// What was paid before.
    public func mark() -> JournalMark { JournalMark(over: notes.withLock { Set($0.over.map(\.name)) }) }

    /// Remembers an attempt.
    public func open(_ attempt: OpenAttempt, since mark: JournalMark) throws(PaymentJournalError) {
        let problem = notes.withLock { notes -> PaymentJournalError? in
            if let other = notes.open.keys.first(where: { $0.sale.isSame(as: attempt.sale) }) {
                return .sameSale(other)
            }
            // The oldest go first: where none of the mark's is left, newer ones may have gone, too.
            let isKept =
                notes.over.count < Self.mostOver || notes.over.contains { mark.over.contains($0.name) }
            guard isKept else { return .forgotten("memory") }
            for (name, other) in notes.over
            where !mark.over.contains(name) && other.sale.isSame(as: attempt.sale) {
                return .endedMeanwhile(other, name: name)
            }
            notes.open[attempt] = .underWay
            return nil
        }
        if let problem { throw problem }
    }

    /// Whether it is remembered.
    public func isOpen(_ attempt: OpenAttempt) -> Bool { notes.withLock { $0.open[attempt] != nil } }

    /// Nobody is at it any more.
    public func end(_ attempt: OpenAttempt) { set(.over, of: attempt) }

    /// Forgets it.
    public func close(_ attempt: OpenAttempt, isPaid: Bool) {
        notes.withLock { notes in
            guard notes.open.removeValue(forKey: attempt) != nil, isPaid else { return }
            notes.count += 1
            notes.over.append((String(notes.count), attempt))
            if notes.over.count > Self.mostOver { notes.over.removeFirst() }
        }
    }

    /// Lets go of it.
    public func release(_ attempt: OpenAttempt, isTold: Bool) { set(.abandoned(isTold: isTold), of: attempt) }

    private func set(_ stage: NoteStage, of attempt: OpenAttempt) {
        notes.withLock { if $0.open[attempt] != nil { $0.open[attempt] = stage } }
    }

    /// What this program has remembered.
    public func findings(at service: String, for sale: SaleKey?) -> JournalFindings {
        notes.withLock { JournalFindings($0.open, at: service, for: sale) }
    }
}
