public import CardData
public import SwipeClient

/// A card as a reader gave it.
public enum SwipedCard: Sendable {
    /// The digits, from a reader that sends clear text, for somebody who may see them.
    case clear(ClearCard)
    /// Ciphertext and the key's serial number, which only the payment service can open.
    case encrypted(EncryptedSwipe)

    /// Reads a swipe as the daemon tells of it.
    ///
    /// - Throws: why it cannot pay, in words for whoever holds the card.
    public init(_ swipe: SwipeData, today: CalendarMonth = .current) throws(SwipeRefusal) {
        if let encryption = swipe.encryption {
            guard !encryption.tracks.isEmpty else { throw .notForUs }
            self = .encrypted(EncryptedSwipe(encryption, card: swipe.card, hasChip: swipe.saysChip))
            return
        }
        guard let card = swipe.card else { throw .unreadable(swipe.quality.hint) }
        guard card.kind == .payment, let pan = card.pan else { throw .notAPaymentCard }
        guard let number = pan.number else { throw .notForUs }
        guard let number = number.withRevealedBytes({ AccountNumber(digits: $0) }) else {
            throw .notAPaymentCard
        }
        guard number.passesLuhn == true else { throw .wrongDigit }
        guard let expiry = card.expiry.flatMap({ CardExpiry(yearMonth: $0.utf8) }),
            let month = CalendarMonth(year: today.year(endingIn: expiry.year % 100), month: expiry.month)
        else { throw .noExpiry }
        guard ExpiryRules.problem(month, today: today) == nil else { throw .expired }
        self = .clear(ClearCard(number: number, expiry: month, hasChip: swipe.saysChip))
    }

    /// Whether the stripe's service code, or the reader, says that the card has a chip.
    public var hasChip: Bool {
        switch self {
        case .clear(let card): card.hasChip
        case .encrypted(let swipe): swipe.hasChip
        }
    }

    /// The number as it may be shown.
    public var maskedNumber: String? {
        switch self {
        case .clear(let card): card.number.masked
        case .encrypted(let swipe): swipe.maskedNumber
        }
    }

    /// Whose card it is, where that is known.
    public var brand: CardBrand? {
        switch self {
        case .clear(let card): card.number.brand
        case .encrypted(let swipe): swipe.brand
        }
    }
}

/// A swipe of a reader that encrypts.
public struct EncryptedSwipe: Sendable, Hashable {
    /// The tracks' ciphertext, the key's serial number and what belongs to them.
    public let encryption: SwipeEncryption
    /// The number as the reader let it through; nil where it let nothing through.
    public let maskedNumber: String?
    /// Whose card it is, where the digits that the reader let through tell it.
    public let brand: CardBrand?
    /// Whether the service code, where the reader let it through, or the reader says that the card has a chip.
    public let hasChip: Bool

    init(_ encryption: SwipeEncryption, card: CardInfo?, hasChip: Bool) {
        self.encryption = encryption
        self.hasChip = hasChip
        maskedNumber = card?.pan?.masked
        brand = card?.pan?.brand.flatMap(CardBrand.init(rawValue:))
    }
}

/// Why a swipe cannot pay.
public enum SwipeRefusal: Error, Sendable, Hashable {
    /// Nothing of the card could be read; the reader may know why.
    case unreadable(SwipeHint?)
    /// It is a licence, a gift card of a scheme of its own, or something else.
    case notAPaymentCard
    /// The check digit is wrong.
    case wrongDigit
    /// The card says no expiry date.
    case noExpiry
    /// The card has expired.
    case expired
    /// The daemon covered the digits: this user may not see cards in full, or another program holds the reader.
    case notForUs
    /// The card has a chip, which is to be used. Whether its stripe may be used where that fails.
    case hasChip(mayFallBack: Bool)

    /// What to tell whoever stands at the till.
    public var message: String {
        switch self {
        case .unreadable(.tooSlow): "The card could not be read. Swipe it again, a little faster."
        case .unreadable(.tooFast): "The card could not be read. Swipe it again, a little slower."
        case .unreadable(.noisy), .unreadable(nil): "The card could not be read. Swipe it again."
        case .unreadable(.partial): "Only a part of the card was read. Swipe it again, all the way through."
        case .notAPaymentCard: "This is not a payment card."
        case .wrongDigit: "The card's number is not right. Swipe it again."
        case .noExpiry: "The card does not say when it expires. Type it."
        case .expired: "The card has expired."
        case .hasChip(true): "This card has a chip: insert it. If that fails, swipe it again."
        case .hasChip(false): "This card has a chip: insert it. This till does not take its stripe."
        case .notForUs: "The reader's daemon does not let this till see card numbers. Type the card."
        }
    }
}
