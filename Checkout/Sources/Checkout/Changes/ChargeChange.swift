/// Names a charge.
public struct ChargeID: Sendable, Hashable, CustomStringConvertible {
    /// The service's name for it: ``Charge/id``.
    public let value: String
    /// A name that the service gave.
    public init(_ value: String) { self.value = value }
    /// The name.
    public var description: String { value }
}

/// What is to be done to a charge once it was authorised.
public struct ChargeChange: Sendable, Hashable {
    /// What is done to it.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// An authorised amount, or less, moves to the merchant; the rest is released.
        case capture
        /// Money that moved goes back, or a part of it.
        case refund
        /// All of it is taken back before it is settled: no money moves.
        case void
    }

    /// What is done to it.
    public let kind: Kind
    /// Which charge.
    public let charge: ChargeID
    /// How much, with the tip; nil for all there is: of the authorisation, or of what is left to be refunded.
    public let amount: Money?
    /// How much of it the customer gave on top; only where it is captured.
    public let tip: Money?
    /// The merchant's own name for the change, as a return has a number; nil where there is none. A charge has one change of a name,
    /// whoever asks for it, how often and when: the name makes its idempotency key, under which the service's books list it.
    public private(set) var name: String?

    /// The most bytes that a name may have.
    public static let longestName = 40

    private init(_ kind: Kind, _ charge: ChargeID, _ amount: Money?, _ tip: Money? = nil) {
        self.kind = kind
        self.charge = charge
        self.amount = amount
        self.tip = tip
    }

    /// Captures so much, with the tip in it; nil for all that was authorised.
    public static func capture(_ charge: ChargeID, amount: Money? = nil, tip: Money? = nil) -> ChargeChange {
        ChargeChange(.capture, charge, amount, tip)
    }

    /// Refunds so much; nil for all that is left.
    public static func refund(_ charge: ChargeID, amount: Money? = nil) -> ChargeChange {
        ChargeChange(.refund, charge, amount)
    }

    /// Takes a charge back before it is settled.
    public static func void(_ charge: ChargeID) -> ChargeChange { ChargeChange(.void, charge, nil) }

    /// The same by a name of its own.
    public func named(_ name: String?) -> ChargeChange {
        var change = self
        change.name = name
        return change
    }

    /// The same with its amount.
    func of(_ amount: Money) -> ChargeChange { ChargeChange(kind, charge, amount, tip).named(name) }

    /// Why a change cannot have such a name; nil where it can.
    package static func problem(ofName name: String?) -> String? {
        guard let name else { return nil }
        guard (1...longestName).contains(name.utf8.count) else {
            return "a change's name has 1 to \(longestName) bytes"
        }
        return NumberRules.mayHoldNumber(name) ? "the change's name has a card's number in it" : nil
    }
}

/// Lets a gateway change one charge. Only a ``PaymentDesk`` gives one out, once the change is written down: there is no way
/// to capture, refund or void that goes round it.
public struct ChangePermit: Sendable {
    /// What may be done. It has its amount.
    public let change: ChargeChange
    /// How much.
    public let amount: Money
    /// The payment that the charge belongs to.
    public let transaction: TransactionID
    /// Names the change; as it was written down.
    public let key: IdempotencyKey

    package init(_ change: ChargeChange, amount: Money, of transaction: TransactionID, key: IdempotencyKey) {
        self.change = change
        self.transaction = transaction
        self.amount = amount
        self.key = key
    }
}

/// When an authorised amount is captured.
public enum CaptureTime: String, Sendable, Hashable {
    /// With the authorisation. Later, by a ``ChargeChange``.
    case atOnce = "automatic"
    case later = "manual"
}
