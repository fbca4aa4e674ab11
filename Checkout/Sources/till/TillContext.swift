import Checkout
import CheckoutHTTP
import Glibc
import TillScreen

/// What every way of running a till needs: what is sold, to whom to talk, how to write.
struct TillContext: Sendable {
    let item: String
    let amount: Money
    let locale: MoneyLocale
    let key: String
    let gateway: HTTPGateway
    let service: String
    let policy: PaymentPolicy
    let wantsJSON: Bool
    /// The daemon's socket and the reader's id; nil for no reader at all.
    let socket: String?
    let reader: String?
    let swipeNeedsCode: Bool
    let tillName: String

    var sum: String { locale.text(amount) }

    /// The month on the till's own clock.
    static func today() -> CalendarMonth {
        var now = time(nil)
        var local = tm()
        localtime_r(&now, &local)
        return CalendarMonth(secondsSince1970: Int64(now), offset: Int64(local.tm_gmtoff))
    }

    func machine() -> PaymentMachine {
        let options = PaymentMachineOptions(
            currency: amount.currency, today: Self.today(), swipeNeedsCode: swipeNeedsCode, policy: policy)
        return key.hasPrefix("skey_")
            ? PaymentMachine(secretKey: key, gateway: gateway, options: options)
            : PaymentMachine(publicKey: key, gateway: gateway, options: options)
    }

    func result(_ state: PaymentState) -> TillResult {
        TillResult(state, description: item, amount: amount, locale: locale)
    }

    func result(_ outcome: TillResult.Outcome, _ error: PaymentError? = nil) -> TillResult {
        TillResult(outcome, description: item, amount: amount, locale: locale, error: error)
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
    /// An attempt ended; nil where the form was not good.
    case ended(PaymentState?)
    case begun
}
