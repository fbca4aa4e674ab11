package import Checkout

/// How a till speaks of a payment that another one left behind.
extension EarlierPayment {
    var chargeID: String? {
        if case .success(let charge) = end { charge.id } else { nil }
    }

    /// What became of it, in words.
    package func words(_ sum: String) -> String {
        switch end {
        case .success(let charge): "\(sum) for \(attempt.description) went through, charge \(charge.id)."
        case .possibleSuccess(let error):
            "\(sum) for \(attempt.description) may have gone through.\(isUnanswered && !isBeingCharged ? " \(error.message)" : "")"
        case .idle, .inProgress, .failure, .cancelled:
            "\(sum) for \(attempt.description) was not charged."
        }
    }
}
