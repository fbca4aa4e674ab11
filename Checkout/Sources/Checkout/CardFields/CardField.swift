public import CardData

/// A field of a card form: a text field of any toolkit, a line of a terminal, a reader.
///
/// Anything that conforms can be a field. ``CardFieldComponent`` reads the texts when it submits and tells each field
/// what became of it; between submits a field may do as it likes.
public protocol CardField: AnyObject {
    /// What the field is for.
    var component: CardComponent { get }
    /// What is in it; nil or empty for nothing.
    var text: FieldText? { get }
    /// The card that was swiped, for a field that takes swipes.
    var swipedCard: SwipedCard? { get }
    /// Is told when its text was judged: before a payment by the rules for cards, after it by the payment service's answer,
    /// which approved all fields or named this one.
    func validationStatusChanged(_ status: ValidationStatus)
}

extension CardField {
    /// No card: most fields are typed into.
    public var swipedCard: SwipedCard? { nil }
    /// Does nothing.
    public func validationStatusChanged(_ status: ValidationStatus) {}
}

/// What was found out about a field.
public enum ValidationStatus: Sendable, Hashable {
    /// Its text is good. Its text is not, or nothing is in it.
    case passed, failed
}

/// A field whose text this library owns: a user interface hands edits to ``editor`` and shows what it says.
public class EditedCardField: CardField {
    /// The text and its caret.
    public var editor: CardFieldEditor
    /// The last judgement; nil before the first one.
    public private(set) var status: ValidationStatus?
    /// Is called with every judgement, to colour what shows the field.
    public var onStatus: ((ValidationStatus) -> Void)?

    /// What the field is for.
    public var component: CardComponent { editor.component }
    /// What is in it.
    public var text: FieldText? { editor.digits.count == 0 ? nil : editor.text }

    fileprivate init(_ component: CardComponent, today: CalendarMonth) {
        editor = CardFieldEditor(component, today: today)
    }

    /// Keeps the judgement, and passes it on.
    public func validationStatusChanged(_ status: ValidationStatus) {
        self.status = status
        onStatus?(status)
    }
}

/// A field for the account number.
public final class CardNumberField: EditedCardField {
    /// An empty field.
    public init(today: CalendarMonth = .current) { super.init(.cardNumber, today: today) }

    /// The brand, as soon as the digits tell it.
    public var brand: CardBrand? { editor.digits.withRevealedBytes { CardBrand.of(beginning: $0) } }
}

/// A field for month and year of expiry.
public final class CardExpiryField: EditedCardField {
    /// An empty field, in which cards expire as seen from `today`.
    public init(today: CalendarMonth = .current) { super.init(.expiry, today: today) }
}

/// A field for the code on the card.
public final class CardCVVField: EditedCardField {
    /// An empty field.
    public init(today: CalendarMonth = .current) { super.init(.cvv, today: today) }
}
