import Checkout
import Synchronization
import TillScreen

/// Says on standard error what a till waits for before it may pay.
enum SettlingNews {
    /// Not while a form is drawn there.
    static let isShown = Atomic(true)

    static func tell(_ news: PaymentDesk.News, _ screen: ScreenText) {
        guard isShown.load(ordering: .relaxed) else { return }
        switch news {
        case .asking:
            say("This till was stopped in the middle of a payment; asking the payment service ...", screen)
        case .settled(let payment):
            if !payment.mayHaveCharged { say(payment.words(payment.attempt.amount.description), screen) }
        case .waiting(let attempt):
            say(
                "Another till is at a payment of the same sale, \(attempt.words); waiting for its end ...",
                screen)
        }
    }

    private static func say(_ line: String, _ screen: ScreenText) { Console.words(screen.plain(line), to: 2) }
}
