/// A payment that was written down, and what the payment service says of it now.
public struct EarlierPayment: Sendable, Hashable {
    /// What was written down before its authorisation left.
    public let attempt: OpenAttempt
    /// How it ended: success, possible success, failure or cancelled.
    public let end: PaymentState

    /// What became of an attempt.
    public init(_ attempt: OpenAttempt, _ end: PaymentState) {
        self.attempt = attempt
        self.end = end
    }

    /// Whether money moved, or may have.
    public var mayHaveCharged: Bool {
        switch end {
        case .success, .possibleSuccess: true
        case .idle, .inProgress, .failure, .cancelled: false
        }
    }

    /// Whether the service could not be asked, or did not say: it may still, so it must stay written down.
    public var isUnanswered: Bool {
        guard case .possibleSuccess(let error) = end else { return false }
        switch error {
        // A key that is refused may be mended; a service that says that it knows no such payment has answered.
        case .gateway(let error): return error.certainty != .refused || error.code == .badKey
        case .interrupted: return true
        case .unfit, .incompleteCard, .notAuthorised, .pollTimedOut, .notWrittenDown, .anotherAmount,
            .alreadyPaid,
            .earlierPayments, .heldElsewhere, .journalUnreadable:
            return false
        }
    }
}
