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

    /// Whether the end is open: the payment is under way, or the service could not be asked, or did not say. It may still charge, so
    /// it must stay written down.
    public var isUnanswered: Bool {
        switch end {
        case .idle, .inProgress: true
        case .success, .failure, .cancelled: false
        case .possibleSuccess(let error): Self.isOpen(error)
        }
    }

    /// Whether the service says that it is at it.
    package var isBeingCharged: Bool { end == .possibleSuccess(.pollTimedOut) }

    /// Whether the service may have forgotten its key: asked for once more, it may be done once more.
    package var isTooOldToRepeat: Bool { end == .possibleSuccess(.gateway(.keyMayBeForgotten)) }

    /// Whether another merchant made it, who has the same journal: the service does not show it to this one.
    var isAnotherMerchants: Bool { end == .possibleSuccess(.gateway(.ofAnotherKey)) }

    private static func isOpen(_ error: PaymentError) -> Bool {
        switch error {
        // Only a service that says to the payment's own key that it knows no such payment has answered. A key that is
        // refused may be mended, and who is told to come back later has learnt nothing.
        case .gateway(let error): error.certainty != .refused || error.code != .notFound
        // The service is at it: it may charge as soon as this program has gone.
        case .interrupted, .pollTimedOut: true
        case .unfit, .incompleteCard, .notAuthorised, .notWrittenDown, .anotherAmount,
            .notTold, .alreadyPaid, .earlierPayments, .heldElsewhere, .journalUnreadable:
            false
        }
    }
}
