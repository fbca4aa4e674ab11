public import CardData

/// A card that may be charged: what goes to the payment service, and nowhere else.
///
/// It prints itself with the first six and the last four digits at most.
public struct CardDetails: Sendable {
    /// How the card came.
    public enum Content: Sendable {
        /// Typed by hand.
        case typed(ClearCard, cvv: SensitiveText)
        /// Read in clear from the stripe; the code is there where somebody typed it besides.
        case swiped(ClearCard, cvv: SensitiveText?)
        /// Read by a reader that encrypts: there are no clear digits.
        case encrypted(EncryptedSwipe)
    }

    /// How the card came, and what came.
    public let content: Content

    /// A card.
    public init(_ content: Content) { self.content = content }

    /// A card that was swiped, with its code where that was typed: a reader that encrypts has none.
    public init(_ swiped: SwipedCard, cvv: SensitiveText? = nil) {
        switch swiped {
        case .clear(let card): content = .swiped(card, cvv: cvv)
        case .encrypted(let swipe): content = .encrypted(swipe)
        }
    }

    /// The number as it may be shown; nil where a reader hid all of it.
    public var maskedNumber: String? {
        switch content {
        case .typed(let card, _), .swiped(let card, _): card.number.masked
        case .encrypted(let swipe): swipe.maskedNumber
        }
    }

    /// Whose card it is, where that is known.
    public var brand: CardBrand? {
        switch content {
        case .typed(let card, _), .swiped(let card, _): card.number.brand
        case .encrypted(let swipe): swipe.brand
        }
    }

    /// How the card came to the till, for the payment service's books.
    public var entry: CardEntry {
        switch content {
        case .typed: .typed
        case .swiped(let card, _): card.hasChip ? .fallback : .swiped
        case .encrypted(let swipe): swipe.hasChip ? .fallback : .swiped
        }
    }

    /// Whether it was swiped.
    public var wasSwiped: Bool {
        switch content {
        case .typed: false
        case .swiped, .encrypted: true
        }
    }
}

extension CardDetails: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The masked number.
    public var description: String { maskedNumber ?? "<card withheld>" }
    /// The masked number.
    public var debugDescription: String { description }
    /// No children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Number and expiry date in clear.
public struct ClearCard: Sendable, Hashable {
    /// The account number, which prints itself masked.
    public let number: AccountNumber
    /// The last month of validity.
    public let expiry: CalendarMonth
    /// Whether its stripe, or the reader, says that it has a chip.
    public let hasChip: Bool

    /// A card.
    public init(number: AccountNumber, expiry: CalendarMonth, hasChip: Bool = false) {
        self.number = number
        self.expiry = expiry
        self.hasChip = hasChip
    }
}
