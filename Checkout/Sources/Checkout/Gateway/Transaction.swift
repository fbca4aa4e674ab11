public import CardData

/// Names a transaction. Also called an order.
public struct TransactionID: Sendable, Hashable, CustomStringConvertible {
    /// The service's name for it.
    public let value: String
    /// A name that the service gave.
    public init(_ value: String) { self.value = value }
    /// The name.
    public var description: String { value }
}

/// What is sold, and for how much.
public struct TransactionRequest: Sendable {
    /// What is sold, in words that the customer sees.
    public let description: String
    /// For how much.
    public let amount: Money
    /// Who asks.
    public let apiKey: APIKey
    /// The merchant's own name for the sale; nil where there is none.
    public let order: String?
    /// How much of the amount the customer gives on top; nil for nothing.
    public let tip: Money?
    /// When the money moves.
    public let capture: CaptureTime

    /// What is sold, and for how much.
    public init(
        description: String, amount: Money, apiKey: APIKey, order: String? = nil, tip: Money? = nil,
        capture: CaptureTime = .atOnce
    ) {
        self.description = description
        self.amount = amount
        self.apiKey = apiKey
        self.order = order
        self.tip = tip
        self.capture = capture
    }
}

/// One payment for one thing, as the service knows it.
public struct Transaction: Sendable {
    /// Its name.
    public let id: TransactionID
    /// Lets its holder pay for this transaction, and do nothing else.
    public let token: SensitiveText
    /// What is sold.
    public let description: String
    /// For how much.
    public let amount: Money
    /// How it may be paid.
    public let methods: [PaymentMethod]
    /// How money moved for it before it was asked about, by whomever.
    public let charge: Charge?
    /// Whether nothing can be charged for it any more: it, or a source of it, was given up, and it was the only one.
    public let isGivenUp: Bool

    /// A transaction. Gateways make them from the service's answers.
    public init(
        id: TransactionID, token: SensitiveText, description: String, amount: Money,
        methods: [PaymentMethod], charge: Charge? = nil, isGivenUp: Bool = false
    ) {
        self.id = id
        self.token = token
        self.description = description
        self.amount = amount
        self.methods = methods
        self.charge = charge
        self.isGivenUp = isGivenUp
    }
}

/// A way to pay that the service offers for a transaction. Take one of ``Transaction/methods``, do not make one:
/// a payment refuses those that are not in the list.
public struct PaymentMethod: Sendable, Hashable {
    /// What is to be shown for it.
    public enum Kind: Sendable, Hashable {
        /// A form for number, expiry date and code.
        case creditCard
        /// A reader.
        case swipe
        /// A button with that name.
        case wallet(name: String)
    }

    /// The service's name for it.
    public let id: String
    /// What is to be shown for it.
    public let kind: Kind
    /// How it is authorised.
    public let flow: SourceFlow

    /// A method. Gateways make them from the service's answers.
    public init(id: String, kind: Kind, flow: SourceFlow) {
        self.id = id
        self.kind = kind
        self.flow = flow
    }
}

/// How a payment is authorised.
public enum SourceFlow: String, Sendable, Hashable {
    /// With what was sent. By the customer, at an address that the service gives.
    case inPlace = "in_place", redirect
}
