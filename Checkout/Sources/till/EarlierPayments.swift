import Checkout
import TillScreen

/// Asks about the payments that killed tills left behind, before a new one begins.
struct EarlierPayments {
    let context: TillContext

    /// How each of them ended. What did not move money is told and forgotten; the others stay written down until somebody
    /// was told.
    ///
    /// - Throws: that nobody can say which there are; then nothing may be paid.
    func settle() async throws(PaymentJournalError) -> [EarlierPayment] {
        var payments: [EarlierPayment] = []
        for attempt in try context.attempts.left() {
            Console.line(
                "This till was stopped in the middle of a payment; asking the payment service ...", to: 2)
            let payment = await EarlierPayment.settle(
                attempt, with: context.apiKey, gateway: context.gateway, policy: context.policy)
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
            if other.attempt != payment.attempt || other.isUnanswered {
                context.attempts.leave(other.attempt)
            }
        }
        return TillResult(
            payment, description: context.item, amount: context.amount, locale: context.locale)
    }
}
