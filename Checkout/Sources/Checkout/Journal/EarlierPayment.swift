/// A payment that was under way when its program was killed, and what the payment service says of it now.
public struct EarlierPayment: Sendable, Hashable {
    /// What was written down before its authorisation left.
    public let attempt: OpenAttempt
    /// How it ended: success, possible success, failure or cancelled.
    public let end: PaymentState

    /// What became of an attempt, for those who found out by themselves.
    public init(_ attempt: OpenAttempt, _ end: PaymentState) {
        self.attempt = attempt
        self.end = end
    }

    /// Asks the service what became of an attempt that a journal had, and gives it up where it has not ended: nobody waits
    /// for it any more.
    public static func settle(
        _ attempt: OpenAttempt, with key: APIKey, gateway: any PaymentGateway, policy: PaymentPolicy
    ) async -> EarlierPayment {
        let transaction: Transaction
        do throws(GatewayError) {
            transaction = try await gateway.transaction(attempt.transaction, with: key)
        } catch {
            return EarlierPayment(attempt, .possibleSuccess(.gateway(error)))
        }
        let payment = Payment(transaction, gateway: gateway, policy: policy)
        let end = try? await payment.resume(attempt.source)
        return EarlierPayment(attempt, end ?? .possibleSuccess(.interrupted))
    }

    /// Whether money moved, or may have.
    public var mayHaveCharged: Bool {
        switch end {
        case .success, .possibleSuccess: true
        case .idle, .inProgress, .failure, .cancelled: false
        }
    }

    /// Whether the service could not be asked: it may still say what became of it, so it must stay written down.
    public var isUnanswered: Bool {
        guard case .possibleSuccess(.gateway(let error)) = end else { return false }
        return error.certainty != .refused
    }
}
