package import Checkout

/// A payment that was under way when its till was killed, and what the payment service says of it now.
package struct EarlierPayment: Sendable {
    package let attempt: OpenAttempt
    package let end: PaymentState

    package init(_ attempt: OpenAttempt, _ end: PaymentState) {
        self.attempt = attempt
        self.end = end
    }

    /// Whether money moved, or may have.
    package var mayHaveCharged: Bool {
        switch end {
        case .success, .possibleSuccess: true
        case .idle, .inProgress, .failure, .cancelled: false
        }
    }

    var chargeID: String? {
        if case .success(let charge) = end { charge.id } else { nil }
    }

    /// What became of it, in words.
    package func words(_ sum: String) -> String {
        switch end {
        case .success(let charge): "\(sum) for \(attempt.description) went through, charge \(charge.id)."
        case .possibleSuccess: "\(sum) for \(attempt.description) may have gone through."
        case .idle, .inProgress, .failure, .cancelled:
            "\(sum) for \(attempt.description) was not charged."
        }
    }
}
