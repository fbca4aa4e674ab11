/// How a ``PaymentMachine`` behaves.
public struct PaymentMachineOptions: Sendable {
    /// The currency of the amount.
    public var currency: Currency
    /// The present month, against which expiry dates are judged; a payment does not outlive it by much.
    public var today: CalendarMonth
    /// Whether a card that was swiped in clear needs its code typed, too. Ciphertext never does.
    public var swipeNeedsCode: Bool
    /// What to do with the stripe of a card that has a chip.
    public var chipCards: ChipRule
    /// How long to wait for the service.
    public var policy: PaymentPolicy
    /// Where attempts are written down, so that a killed program's next start finds them. One for all of a program's machines.
    public var journal: any PaymentJournal
    /// When it was decided to pay, where a program fills the form: equal sales that were paid since then are named, and nothing is
    /// paid. Nil where a person does, who decides when the form is sent. For a card that is swiped it is decided by the swipe.
    public var decided: JournalMark?

    /// The usual behaviour. Which journal there is, is for the program to say.
    public init(
        currency: Currency, today: CalendarMonth = .current, swipeNeedsCode: Bool = false,
        chipCards: ChipRule = .ask, policy: PaymentPolicy = PaymentPolicy(), journal: any PaymentJournal
    ) {
        self.currency = currency
        self.today = today
        self.swipeNeedsCode = swipeNeedsCode
        self.chipCards = chipCards
        self.policy = policy
        self.journal = journal
    }
}

/// A call that a ``PaymentMachine`` cannot follow where it is.
public enum PaymentMachineError: Error, Sendable, Hashable, CustomStringConvertible {
    /// `begin` was called before. One machine is for one payment.
    case alreadyBegun
    /// There is nothing to pay: not begun, an attempt is under way, or the payment is over.
    case notReady

    /// In words.
    public var description: String {
        switch self {
        case .alreadyBegun: "begin was called before: a machine is for one payment, make a new one"
        case .notReady: "the payment has not begun, is under way, or is over"
        }
    }
}
