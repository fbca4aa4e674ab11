import Checkout
import Synchronization
import TillScreen

/// Settles before anybody is asked for a card: says on standard error what the till waits for, and ends at once where it is
/// told to stop.
enum SettlingNews {
    /// Not while a form is drawn there.
    static let isShown = Atomic(true)
    private static let board = Mutex(Board())

    /// What is known so far.
    private struct Board {
        var unasked: [OpenAttempt] = []
        var earlier: [EarlierPayment] = []
        var other: OpenAttempt?
        /// Starts to listen for signals, once; nil where there is no need (yet, or any more).
        var listen: (@Sendable () -> Void)?
        /// While it waits: who types a card already shows it to nobody.
        var unseen: UnseenInput?

        mutating func take(_ news: PaymentDesk.News) {
            switch news {
            case .found(let attempts): unasked = attempts
            case .asking: break
            case .settled(let payment):
                unasked.removeAll { $0 == payment.attempt }
                if payment.mayHaveCharged { earlier.append(payment) }
            case .waiting(let attempt): other = attempt
            }
        }

        /// Why nothing was begun, where the till was stopped now. Nobody knows what became of what was not asked about.
        var whyStopped: PaymentError? {
            let payments = earlier + unasked.map { EarlierPayment($0, .possibleSuccess(.interrupted)) }
            return payments.isEmpty ? other.map { .heldElsewhere($0) } : .earlierPayments(payments)
        }
    }

    /// Settles what is in the way of the sale.
    ///
    /// - Returns: how the till ends; nil where the sale may be paid.
    static func settle(_ context: TillContext) async -> TillResult? {
        let (ends, end) = AsyncStream.makeStream(of: TillResult?.self)
        board.withLock {
            $0.listen = {
                let unseen = UnseenInput()
                board.withLock { $0.unseen = unseen }
                InputThread.startForSignals {
                    let why = board.withLock(\.whyStopped)
                    end.yield(why.map { context.result(.notBegun, $0) } ?? context.result(.cancelled))
                }
            }
        }
        Task {
            let why = await context.desk.obstacle(to: context.sale)
            end.yield(why.map { context.result(.notBegun, $0) })
        }
        var first = ends.makeAsyncIterator()
        let result = await first.next() ?? nil
        // From here on whoever pays listens.
        let unseen = board.withLock { board in
            board.listen = nil
            defer { board.unseen = nil }
            return board.unseen
        }
        unseen?.restore(keepsKeys: result == nil)
        return result
    }

    static func tell(_ news: PaymentDesk.News, _ screen: ScreenText) {
        // Not before there is something to tell of: a till that was stopped earlier has not looked.
        let listen = board.withLock { board in
            board.take(news)
            defer { board.listen = nil }
            return board.listen
        }
        listen?()
        if isShown.load(ordering: .relaxed) { show(news, screen) }
    }

    private static func show(_ news: PaymentDesk.News, _ screen: ScreenText) {
        switch news {
        case .found: break
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
