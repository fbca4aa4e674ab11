import Checkout
import CheckoutHTTP
import Glibc
import TillScreen

/// What every way of running a till needs: what is sold, to whom to talk, how to write.
struct TillContext: Sendable {
    let item: String
    /// With the tip.
    let amount: Money
    let tip: Money?
    /// When the money moves.
    let capture: CaptureTime
    let locale: MoneyLocale
    /// The merchant's own name for the sale; nil where there is none.
    let order: String?
    let service: String
    let wantsJSON: Bool
    /// The daemon's socket and the reader's id; nil for no reader at all.
    let socket: String?
    let reader: String?
    let swipeNeedsCode: Bool
    /// What to do with the stripe of a card that has a chip.
    let chipCards: ChipRule
    let tillName: String
    /// How long to wait for a card; nil for as long as it takes.
    let wait: Duration?
    /// What this terminal, or pipe, can show.
    let screen: ScreenText
    /// Where the payment passes.
    let desk: PaymentDesk
    let options: PaymentMachineOptions
    let sale: SaleKey
    /// What was over when this till began: for those ways to pay where that was the decision to.
    let start: JournalMark?

    var sum: String { sum(amount) }

    func sum(_ amount: Money) -> String {
        screen.hasUnicode ? locale.text(amount) : locale.plainText(amount)
    }

    /// What the service is to keep of where it was paid.
    var metadata: [String: String] { ["till": tillName] }

    /// - Parameter isScripted: whether the card comes on a pipe.
    func machine(isScripted: Bool = false) -> PaymentMachine {
        var options = options
        options.decided = isScripted ? start : nil
        return PaymentMachine(desk, options: options)
    }

    /// - Parameter entry: how the card came.
    func result(_ state: PaymentState, entry: String?) -> TillResult {
        var result = TillResult(state, description: item, amount: amount, locale: locale, order: order)
        result.entry = entry
        return result
    }

    func result(_ outcome: TillResult.Outcome, _ error: PaymentError? = nil) -> TillResult {
        TillResult(outcome, description: item, amount: amount, locale: locale, order: order, error: error)
    }

    /// Somebody has read a result: what it tells of need not stay written down.
    func acknowledge(_ result: TillResult) {
        if let earlier = result.earlier { desk.acknowledge(earlier, selling: sale) }
        if let record = result.record, record.mayHaveCharged { desk.acknowledge(record, selling: sale) }
    }

    /// Tells once the time for a card is over.
    func waitForCard(_ tell: @escaping @Sendable (TillInput) -> Void) {
        guard let wait else { return }
        Task {
            try? await Task.sleep(for: wait)
            tell(.late)
        }
    }

    /// Starts following the reader, where one is wanted.
    func watchReader(_ tell: @escaping @Sendable (TillInput) -> Void) -> Task<Void, Never>? {
        guard let socket else {
            tell(.reader(.off))
            return nil
        }
        let watch = ReaderWatch(socket: socket, reader: reader, tell: tell)
        return Task { await watch.run() }
    }
}

/// What comes from the payment machine's side.
enum MachineInput: Sendable {
    case event(PaymentEvent)
    /// An attempt ended, the first one or a further one; nil where the form was not good.
    case ended(PaymentState?, attempt: Int)
    case begun
}
