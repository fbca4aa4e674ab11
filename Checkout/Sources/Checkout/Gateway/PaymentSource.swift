public import CardData

/// Names a source.
public struct SourceID: Sendable, Hashable, CustomStringConvertible {
    /// The service's name for it.
    public let value: String
    /// A name that the service gave.
    public init(_ value: String) { self.value = value }
    /// The name.
    public var description: String { value }
}

/// A means to pay that the service knows.
public struct PaymentSource: Sendable, Hashable {
    /// How a source is.
    public enum Status: Sendable, Hashable {
        /// Created; nobody has authorised it.
        case pending
        /// The customer has to agree at this address.
        case redirect(address: String)
        /// Authorised; the service is at it. Of a source that was just created: nobody can say how it is.
        case processing
        /// Charged: this is how the money moved.
        case consumed(Charge)
        /// Refused, and it will never be charged.
        case failed(GatewayError.Code)
        /// Given up, and it will never be charged.
        case cancelled

        /// Whether it holds nothing any more, and never took anything.
        package var isOverUncharged: Bool {
            switch self {
            case .failed, .cancelled: true
            case .pending, .redirect, .processing, .consumed: false
            }
        }
    }

    /// Its name.
    public let id: SourceID
    /// How it is.
    public let status: Status

    /// A source. Gateways make them from the service's answers.
    public init(id: SourceID, status: Status) {
        self.id = id
        self.status = status
    }
}

/// Money that moved.
public struct Charge: Sendable, Hashable {
    /// The service's name for it.
    public let id: String
    /// How much.
    public let amount: Money
    /// For what.
    public let description: String
    /// The card's first six and last four digits, where it was a card.
    public let maskedNumber: String?
    /// The card's brand.
    public let brand: CardBrand?
    /// The word of the card's bank, for the receipt; nil where the service does not tell it.
    public let approvalCode: String?
    /// How much of the amount was given on top; nil for nothing.
    public let tip: Money?
    /// Whether the money has moved. If not, it is held on the card until it is captured.
    public let isCaptured: Bool

    /// A charge. Gateways make them from the service's answers.
    public init(
        id: String, amount: Money, description: String, maskedNumber: String? = nil,
        brand: CardBrand? = nil, approvalCode: String? = nil, tip: Money? = nil, isCaptured: Bool = true
    ) {
        self.id = id
        self.amount = amount
        self.description = description
        self.maskedNumber = maskedNumber
        self.brand = brand
        self.approvalCode = approvalCode
        self.tip = tip
        self.isCaptured = isCaptured
    }
}

/// What a source is made from. Raw ones carry amount and description; a preparer adds the rest.
public struct SourceParams: Sendable {
    /// For how much.
    public let amount: Money
    /// What is sold.
    public let description: String
    /// How it is paid: one of the transaction's methods.
    public var method: PaymentMethod?
    /// How it is authorised; nil for as the method says.
    public var flow: SourceFlow?
    /// What else the method, or the merchant's books, need: up to ``mostMetadata`` short texts. No card data.
    public var metadata: [String: String] = [:]
    /// The card, for methods that charge one.
    public var card: CardDetails?

    /// How many entries ``metadata`` may have, and how long a name or text may be.
    public static let mostMetadata = 20, longestMetadata = 200

    /// Raw parameters.
    public init(amount: Money, description: String) {
        self.amount = amount
        self.description = description
    }

    /// What is wrong with them for a payment that offers these methods; nil when a source can be made from them.
    func problem(offering methods: [PaymentMethod]) -> PaymentError? {
        guard let method else { return .unfit("no payment method was chosen") }
        guard methods.contains(method) else {
            return .unfit("the payment method is not one of those offered")
        }
        switch method.kind {
        case .creditCard where card == nil, .swipe where card?.wasSwiped != true:
            return .unfit("the payment method needs a card")
        case .wallet where card != nil: return .unfit("the payment method takes no card")
        case .creditCard, .swipe, .wallet: break
        }
        let isShort = metadata.allSatisfy {
            max($0.key.utf8.count, $0.value.utf8.count) <= Self.longestMetadata
        }
        guard metadata.count <= Self.mostMetadata, isShort else { return .unfit("too much metadata") }
        return nil
    }
}
