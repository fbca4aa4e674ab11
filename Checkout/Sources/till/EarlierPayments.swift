import Checkout
import CheckoutHTTP
import TillScreen

/// Asks about the payments that killed tills left behind, before a new one begins.
struct EarlierPayments {
    let context: TillContext

    /// How each of them ended. What did not move money is told and forgotten; the others stay written down until somebody
    /// was told.
    func settle() async -> [EarlierPayment] {
        var payments: [EarlierPayment] = []
        for attempt in context.attempts.left() {
            Console.line(
                "This till was stopped in the middle of a payment; asking the payment service ...", to: 2)
            let payment = EarlierPayment(attempt, await end(of: attempt))
            if payment.mayHaveCharged {
                payments.append(payment)
            } else {
                Console.line(context.screen.plain(payment.words(context.sum(attempt.amount))), to: 2)
                context.attempts.close(attempt)
            }
        }
        return payments
    }

    /// The one that this till ends with: one for the same thing, where there is one.
    func result(_ payments: [EarlierPayment]) -> TillResult? {
        let isSame = { (attempt: OpenAttempt) in
            attempt.amount == context.amount && attempt.description == context.item
        }
        guard let payment = payments.first(where: { isSame($0.attempt) }) ?? payments.first else {
            return nil
        }
        for other in payments {
            // Told of one at a time, and of what the service could not be asked about again.
            if other.attempt != payment.attempt || other.wasNotAnswered {
                context.attempts.leave(other.attempt)
            }
        }
        return TillResult(
            payment, description: context.item, amount: context.amount, locale: context.locale)
    }

    private func end(of attempt: OpenAttempt) async -> PaymentState {
        let transaction: Transaction
        do throws(GatewayError) {
            transaction = try await context.gateway.transaction(attempt.transaction, with: context.apiKey)
        } catch {
            return .possibleSuccess(.gateway(error))
        }
        let payment = Payment(transaction, gateway: context.gateway, policy: context.policy)
        return (try? await payment.resume(attempt.source)) ?? .possibleSuccess(.interrupted)
    }
}

extension EarlierPayment {
    /// Whether the service may still say what became of it.
    fileprivate var wasNotAnswered: Bool {
        guard case .possibleSuccess(.gateway(let error)) = end else { return false }
        return error.certainty != .refused
    }
}
