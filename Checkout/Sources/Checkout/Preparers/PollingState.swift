/// What it means for a payment how its source was found, or was not.
public enum PollingState: String, Sendable, Hashable, CaseIterable {
    /// Nothing is certain yet: it is asked again.
    case waiting
    /// The source was charged.
    case success
    /// The source was not charged, and never will be.
    case failure
    /// The time for an answer is over: the money may have moved, and nobody must pay again.
    case timedOut

    init(_ source: Result<PaymentSource, GatewayError>) {
        guard case .success(let source) = source else {
            self = .waiting
            return
        }
        switch source.status {
        case .pending, .redirect, .processing: self = .waiting
        case .consumed: self = .success
        case .failed, .cancelled: self = .failure
        }
    }
}
