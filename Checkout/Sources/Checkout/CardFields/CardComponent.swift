/// What a field is for; also the field's name in events.
public enum CardComponent: String, Sendable, Hashable, CaseIterable {
    /// The account number.
    case cardNumber
    /// Month and year of expiry.
    case expiry
    /// The code on the card, CVV or CVC.
    case cvv
    /// A card that was swiped: number and expiry in clear, or ciphertext.
    case swipe
}

/// What is wrong with a field.
public enum FieldProblem: Sendable, Hashable {
    /// Nothing is in it.
    case missing
    /// Digits are missing.
    case incomplete
    /// No card of this brand has so many digits.
    case wrongLength
    /// The check digit does not fit the others.
    case checkDigit
    /// There is no such month.
    case unknownMonth
    /// The card's last month is over.
    case expired
    /// No card is valid for so long.
    case tooFarAhead
    /// The code has another number of digits on cards of this brand.
    case wrongCodeLength(expected: Int)
    /// The swipe could not be used.
    case swipe(SwipeRefusal)

    /// What to tell the person, without anything of the card.
    public var message: String {
        switch self {
        case .missing: "is missing"
        case .incomplete: "is not complete"
        case .wrongLength: "has a wrong number of digits"
        case .checkDigit: "has a wrong digit"
        case .unknownMonth: "names no month"
        case .expired: "is past: the card has expired"
        case .tooFarAhead: "is too far ahead"
        case .wrongCodeLength(let expected): "has \(expected) digits on this card"
        case .swipe(let refusal): refusal.message
        }
    }
}
