/// Why a payment did not end in a success that is certain.
public enum PaymentError: Error, Sendable, Hashable {
    /// The payment service, or the way to it.
    case gateway(GatewayError)
    /// The parameters that were prepared cannot make a source.
    case unfit(String)
    /// What was typed of the card is not complete, or not right.
    case incompleteCard
    /// The customer did not agree in time; the source was given up.
    case notAuthorised
    /// Authorised, but the service never said that the money moved.
    case pollTimedOut
    /// This program was told to stop while the service was at it.
    case interrupted
    /// The attempt could not be written down, so it was not made; with the place and the reason.
    case notWrittenDown(String)
    /// The service charged another amount than the one agreed.
    case anotherAmount
    /// The service's books have such a change of the charge, and do not tell whether it is the one that was asked for.
    case notTold
    /// Money has moved for this order before, or is held on a card.
    case alreadyPaid(Charge)
    /// Programs that were killed left these behind, of which money moved, or may have: perhaps for the very thing that is to
    /// be paid now. Nothing is paid before somebody was told and ``PaymentDesk/acknowledge(_:selling:)`` was called.
    case earlierPayments([EarlierPayment])
    /// Another program is paying this sale, or asks what became of it, and did not come to an end in time.
    case heldElsewhere(OpenAttempt)
    /// What is written down cannot be read, with the file or folder: there may be an attempt in it.
    case journalUnreadable(String)

    /// What to tell the person. Never card data.
    public var message: String {
        switch self {
        case .gateway(let error): error.message
        case .unfit(let why): "The payment could not be prepared: \(why)."
        case .incompleteCard: "The card is not complete."
        case .notAuthorised: "The payment was not approved in time."
        case .pollTimedOut: "The payment service has not confirmed the payment."
        case .interrupted: "The payment was interrupted."
        case .notWrittenDown(let place):
            "It could not be written down, so it was not made: \(place). See to the folder of payments under way."
        case .anotherAmount: "The payment service charged another amount."
        case .notTold:
            "The payment service has one in its books, and does not tell with which tip, or by which name."
        case .alreadyPaid(let charge) where !charge.isCaptured:
            "This order was authorised before: charge \(charge.id), which is to be captured or voided."
        case .alreadyPaid(let charge): "This order was paid before: charge \(charge.id)."
        case .earlierPayments(let payments):
            "An earlier payment went through, or may have: \(payments.map(\.attempt.words).joined(separator: "; "))."
        case .heldElsewhere(let attempt):
            "Another till is at a payment of the same sale: \(attempt.words). Nothing was charged here."
        case .journalUnreadable(let path):
            "Payments under way cannot be read from \(path), so nothing was paid. See to that file or folder."
        }
    }

    /// What whoever stands at the till should do, where the payment failed for certain.
    public var advice: CashierAdvice {
        switch self {
        case .gateway(let error): error.code.advice
        case .unfit, .notWrittenDown, .journalUnreadable: .callSupport
        case .anotherAmount, .notTold, .alreadyPaid, .earlierPayments: .doNotChargeAgain
        case .incompleteCard: .checkTheCard
        case .notAuthorised: .askForAnotherCard
        case .pollTimedOut, .interrupted, .heldElsewhere: .tryAgain
        }
    }

    /// A word for programs.
    public var code: String {
        switch self {
        case .gateway(let error): error.code.rawValue
        case .unfit: "unfit"
        case .incompleteCard: "incomplete_card"
        case .notAuthorised: "not_authorised"
        case .pollTimedOut: "poll_timed_out"
        case .interrupted: "interrupted"
        case .notWrittenDown: "not_written_down"
        case .anotherAmount: "another_amount"
        case .notTold: "not_told"
        case .alreadyPaid: "already_paid"
        case .earlierPayments: "earlier_payment"
        case .heldElsewhere: "held_elsewhere"
        case .journalUnreadable: "journal_unreadable"
        }
    }
}
