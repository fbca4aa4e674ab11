public import SwipeClient

/// A reader as a field of a card form.
///
/// It stands for number and expiry date, and makes them unnecessary: from a reader that sends clear text it has both,
/// from one that encrypts it has ciphertext and key serial number, and no clear digit at all.
///
/// ```swift
/// let field = SwipeField(today: today)
/// component.add(field)
/// let swipe = try await client.withClaim(reader) { try await $0.nextSwipe() }
/// if let swipe { field.take(swipe) }
/// ```
public final class SwipeField: CardField {
    private let today: CalendarMonth
    private var chips: ChipCheck
    /// The card of the last good swipe.
    public private(set) var swipedCard: SwipedCard?
    /// Why the last swipe cannot pay; nil after a good one.
    public private(set) var refusal: SwipeRefusal?
    /// The last judgement; nil before the first one.
    public private(set) var status: ValidationStatus?
    /// Is called with every judgement.
    public var onStatus: ((ValidationStatus) -> Void)?

    /// An empty field.
    ///
    /// - Parameter chipCards: what to do with the stripe of a card that has a chip.
    public init(today: CalendarMonth = .current, chipCards: ChipRule = .ask) {
        self.today = today
        chips = ChipCheck(chipCards)
    }

    /// ``CardComponent/swipe``.
    public var component: CardComponent { .swipe }
    /// The masked number: a swipe has no text that could be edited.
    public var text: FieldText? { swipedCard.map { FieldText($0.maskedNumber ?? "") } }

    /// Takes a swipe; one that cannot pay empties the field.
    @discardableResult
    public func take(_ swipe: SwipeData) -> Result<SwipedCard, SwipeRefusal> {
        do throws(SwipeRefusal) {
            let card = try SwipedCard(swipe, today: today)
            try chips.check(card)
            swipedCard = card
            refusal = nil
            validationStatusChanged(.passed)
            return .success(card)
        } catch {
            swipedCard = nil
            refusal = error
            validationStatusChanged(.failed)
            return .failure(error)
        }
    }

    /// Forgets the card.
    public func clear() {
        swipedCard = nil
        refusal = nil
        status = nil
    }

    /// Keeps the judgement, and passes it on.
    public func validationStatusChanged(_ status: ValidationStatus) {
        self.status = status
        onStatus?(status)
    }
}
