/// What every payment of a merchant has in common.
public struct CoreConfig: Sendable, Hashable {
    /// The merchant's key for programs that customers hold in their hands.
    public let clientID: String
    /// The currency of its amounts.
    public let currency: Currency
    /// How amounts are written for its customers.
    public let locale: MoneyLocale

    /// What every payment of a merchant has in common.
    public init(clientID: String, currency: Currency, locale: MoneyLocale) {
        self.clientID = clientID
        self.currency = currency
        self.locale = locale
    }
}

/// Something to be paid.
public struct OrderRequest: Sendable, Hashable {
    /// What it is, in words that the customer sees.
    public let description: String
    /// For how much, in the smallest unit of the client's currency.
    public let amountInCents: Int
    /// The merchant's own name for it; nil where there is none. See ``SaleKey``.
    public let reference: String?
    /// How much of the amount the customer gives on top; nil for nothing.
    public var tipInCents: Int?
    /// When the money moves.
    public var capture = CaptureTime.atOnce

    /// Something to be paid.
    public init(description: String, amountInCents: Int, reference: String? = nil) {
        self.description = description
        self.amountInCents = amountInCents
        self.reference = reference
    }
}

/// How an order came to its end: paid.
public struct CaptureResponse: Sendable, Hashable {
    /// The order.
    public let orderID: TransactionID
    /// How the money moved.
    public let charge: Charge
    /// The amount as the client's locale writes it: `4,40 €`.
    public let displayAmount: String
}

/// Why an order was not paid, or is not known to be.
public enum CaptureError: Error, Sendable, Hashable {
    /// Fields that an order cannot be paid without are not there. No request was made.
    case missingFields([CardComponent])
    /// Fields are wrong. No request was made.
    case invalidFields([CardComponent: FieldProblem])
    /// Two fields are for the same thing. No request was made.
    case duplicateFields([CardComponent])
    /// No money moved, for certain.
    case failed(PaymentError)
    /// The money may have moved: the order must not be paid again.
    case possibleSuccess(orderID: TransactionID, PaymentError)
    /// Nobody wants the payment any more, and no money moved.
    case cancelled
    /// This order was paid already.
    case alreadyCaptured(TransactionID)
    /// The same by the merchant's reference: money has moved for it before, by this program or another one.
    case alreadyPaid(Charge)
    /// Another capture of this order is under way: how it ends, that one is told.
    case underWay(TransactionID)
    /// A program that was killed left these behind, of which money moved, or may have: perhaps for the very thing that is to
    /// be paid now. Nothing is paid before somebody was told and ``CardClient/acknowledge(_:selling:)`` was called for
    /// each.
    case earlierPayments([EarlierPayment])
    /// The journal cannot say whether a killed program left anything behind. Nothing is paid before it can. With the file or
    /// folder.
    case journalUnreadable(String)

    /// A payment that could not begin, or failed for certain.
    init(_ error: PaymentError) {
        self =
            switch error {
            case .earlierPayments(let payments): .earlierPayments(payments)
            case .journalUnreadable(let path): .journalUnreadable(path)
            case .alreadyPaid(let charge): .alreadyPaid(charge)
            case .gateway, .unfit, .incompleteCard, .notAuthorised, .pollTimedOut, .interrupted,
                .notWrittenDown,
                .anotherAmount, .notTold, .heldElsewhere:
                .failed(error)
            }
    }
}
