internal import CardData
internal import SwipeClient

/// How a card came to a till.
public enum CardEntry: String, Sendable, Hashable, CaseIterable {
    /// Somebody typed it.
    case typed
    /// Its stripe was swiped, and it has no chip.
    case swiped
    /// Its stripe was swiped although it has a chip.
    case fallback
}

/// What to do with the stripe of a card that has a chip.
public enum ChipRule: String, Sendable, Hashable, CaseIterable {
    /// Ask to insert it. Where the same card is swiped again, the chip has failed, and the stripe pays.
    case ask
    /// The stripe pays, as where there is no reader for chips.
    case allow
    /// The stripe never pays.
    case refuse
}

/// Says which swipes of cards with a chip may pay.
public struct ChipCheck: Sendable {
    /// What to do with them.
    public let rule: ChipRule
    /// The card that somebody was asked to insert, masked; the inner nil for one that shows no digit.
    private var asked: String??

    /// A check that has not seen any card.
    public init(_ rule: ChipRule) { self.rule = rule }

    /// Returns for a card whose stripe may pay. Each further payment with a card asks anew.
    ///
    /// - Throws: ``SwipeRefusal/hasChip(mayFallBack:)`` for one that is to be inserted.
    public mutating func check(_ card: SwipedCard) throws(SwipeRefusal) {
        guard card.hasChip else { return asked = nil }
        switch rule {
        case .allow: return
        case .refuse: throw .hasChip(mayFallBack: false)
        case .ask:
            if let asked, asked == card.maskedNumber { return self.asked = nil }
            asked = .some(card.maskedNumber)
            throw .hasChip(mayFallBack: true)
        }
    }
}

extension SwipeData {
    /// Whether the reader, or the service code on the stripe, says that the card has a chip (ISO/IEC 7813: 2 or 6 first).
    var saysChip: Bool {
        hasChip || card?.serviceCode.flatMap { ServiceCode(digits: $0.utf8) }?.hasChip == true
    }
}
