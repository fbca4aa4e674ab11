/// How a capture, a refund or a void ended.
public struct ChangeEnd: Sendable, Hashable {
    /// How it ended.
    public enum Outcome: Sendable, Hashable {
        /// It was done: so it is in the service's books.
        case done(BookedChange)
        /// It was not done, and never will be, for certain.
        case failed(PaymentError)
        /// It may have been done, or was done before by a program that was killed. Look it up before it is done again.
        case perhaps(PaymentError)
    }

    /// How it ended.
    public let outcome: Outcome
    /// What was asked for.
    public let change: ChargeChange
    /// The charge, as the service had it last; nil where it could not be asked.
    public let record: ChargeRecord?
    /// What is written down of it. Once somebody was told, it goes to ``PaymentDesk/acknowledge(_:selling:)``.
    public let note: EarlierPayment?

    init(
        _ outcome: Outcome, _ change: ChargeChange, _ record: ChargeRecord? = nil, note: OpenAttempt? = nil
    ) {
        self.outcome = outcome
        self.change = change
        self.record = record
        self.note = note.map { EarlierPayment($0, Self.state(outcome, $0)) }
    }

    /// It was not begun.
    package init(failed error: PaymentError, _ change: ChargeChange) { self.init(.failed(error), change) }

    /// Somebody stopped it once it was written down.
    package init(interrupted note: OpenAttempt, _ change: ChargeChange) {
        self.init(.perhaps(.interrupted), change, note: note)
    }

    private static func state(_ outcome: Outcome, _ note: OpenAttempt) -> PaymentState {
        switch outcome {
        case .done(let booked): .success(booked.charge(note))
        case .failed(let error): .failure(error)
        case .perhaps(.earlierPayments(let payments)):
            payments.first?.end ?? .possibleSuccess(.interrupted)
        case .perhaps(let error): .possibleSuccess(error)
        }
    }
}

extension BookedChange {
    /// The change as what moved.
    func charge(_ note: OpenAttempt) -> Charge {
        Charge(id: id, amount: amount, description: note.description)
    }
}
