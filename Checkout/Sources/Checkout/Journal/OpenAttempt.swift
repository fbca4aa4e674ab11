/// What makes two payments the same sale, which must be charged once.
///
/// - Payments of one transaction are the same sale.
/// - Where both have an order, that decides.
/// - Otherwise the thing and the amount decide: a sale that is begun again after a crash has nothing else to be known by.
public struct SaleKey: Sendable, Hashable {
    /// The payment service's name: ``ServiceAddress/name``.
    public let service: String
    /// The merchant's own name for the sale; nil where there is none.
    public let order: String?
    /// What is sold.
    public let description: String
    /// For how much.
    public let amount: Money
    /// The payment service's name for the sale, once it has one.
    public let transaction: TransactionID?
    /// The charge that is captured, refunded or voided; nil for a payment. All changes of a charge are one.
    public let charge: ChargeID?

    /// A sale.
    public init(
        service: String, order: String? = nil, description: String, amount: Money,
        transaction: TransactionID? = nil, charge: ChargeID? = nil
    ) {
        self.service = ServiceAddress.name(of: service)
        self.order = order
        self.description = description
        self.amount = amount
        self.transaction = transaction
        self.charge = charge
    }

    /// A charge that is to be changed.
    init(service: String, changing charge: ChargeID) {
        self.init(service: service, description: "", amount: Money(nothingIn: .eur), charge: charge)
    }

    /// Why these words cannot name a sale; nil where they can. They stand in notes, results and the service's books: a card's
    /// number that somebody typed there by mistake must not.
    public static func problem(of description: String, order: String?) -> String? {
        guard (1...IdempotencyKey.longestOrder).contains(order?.utf8.count ?? 1) else {
            return "an order's name has 1 to \(IdempotencyKey.longestOrder) bytes"
        }
        if NumberRules.mayHoldNumber(description) { return "what is sold has a card's number in it" }
        return order.map(NumberRules.mayHoldNumber) == true
            ? "the order's name has a card's number in it" : nil
    }

    /// Whether charging both would be charging one sale twice.
    public func isSame(as other: SaleKey) -> Bool {
        guard service == other.service, charge == other.charge else { return false }
        if charge != nil { return true }
        if let transaction, transaction == other.transaction { return true }
        if let order, let theirs = other.order { return order == theirs }
        return description == other.description && amount == other.amount
    }
}

/// An attempt whose authorisation may have left: what a program must know again after it was killed, and what a person
/// needs to find it in the service's books.
///
/// No card data, and no merchant's key: names alone. Whoever holds the merchant's key can ask for the rest.
public struct OpenAttempt: Sendable, Hashable {
    /// The payment service's name: ``ServiceAddress/name``.
    public let service: String
    /// The merchant's own name for the sale; nil where there is none.
    public let order: String?
    /// The payment.
    public let transaction: TransactionID
    /// The means to pay that was authorised, or was about to be; for a ``change`` the charge that is changed.
    public let source: SourceID
    /// The idempotency key of its authorisation; nil in notes of earlier versions.
    public let key: IdempotencyKey?
    /// With which merchant's key it was made: ``APIKey/fingerprint``; nil in notes of earlier versions.
    public let merchant: String?
    /// For how much.
    public let amount: Money
    /// What is sold, as the merchant said: a service may answer with other words.
    public let description: String
    /// When it was written down, in seconds since 1970; 0 in notes of earlier versions.
    public let time: Int
    /// What is done to a charge; nil for a payment.
    public let change: ChargeChange.Kind?
    /// How much of the amount is a tip, where a charge is captured.
    public let tip: Money?

    /// An attempt, as a journal had it.
    public init(
        service: String, order: String? = nil, transaction: TransactionID, source: SourceID,
        key: IdempotencyKey? = nil, merchant: String? = nil, amount: Money, description: String,
        time: Int = 0,
        change: ChargeChange.Kind? = nil, tip: Money? = nil
    ) {
        self.service = ServiceAddress.name(of: service)
        self.order = order
        self.transaction = transaction
        self.source = source
        self.key = key
        self.merchant = merchant
        self.amount = amount
        self.description = description
        self.time = time
        self.change = change
        self.tip = tip
    }

    /// The charge that is changed; nil for a payment.
    public var charge: ChargeID? { change.map { _ in ChargeID(source.value) } }

    /// The sale that it is for.
    public var sale: SaleKey {
        SaleKey(
            service: service, order: order, description: description, amount: amount,
            transaction: transaction,
            charge: charge)
    }

    /// Whether it concerns whoever asks for a sale. Who pays lets notes of refunds alone, and who refunds those of payments
    /// and of other charges.
    func concerns(_ service: String, _ sale: SaleKey?) -> Bool {
        self.service == ServiceAddress.name(of: service) && charge == sale?.charge
    }

    /// What to look for in the service's books: `order 17, transaction txn_1, source src_1, …`.
    public var names: String {
        let parts = [
            order.map { "order \($0)" }, "transaction \(transaction)",
            change.map { "\($0.rawValue) of charge \(source)" } ?? "source \(source)",
            key.map { "idempotency key \($0)" }, timeText,
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }

    /// The same with the thing and the amount.
    public var words: String { "\(amount) for \(description) (\(names))" }
}
