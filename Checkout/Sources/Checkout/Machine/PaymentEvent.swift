public import CardData

/// What a ``PaymentMachine`` tells. Each has its call in ``PaymentMachineDelegate``.
public enum PaymentEvent: Sendable, Hashable {
    /// The payment may begin: what to show.
    case didFinishBegin(FormOptions)
    /// The payment can never begin; make a new machine.
    case didFailBegin(PaymentError)
    /// A field became good (green), or is not good any more: before the first submit that takes the green away and
    /// shows nothing in its place, after it may be shown red.
    case fieldValidated(CardComponent, isValid: Bool)
    /// A field is wrong, found when the form was submitted.
    case fieldError(CardComponent, FieldProblem)
    /// A field's text is this now, and its caret stands there. The machine owns the text.
    case fieldShouldUpdate(CardComponent, FieldText, caret: Int)
    /// This field should be typed into next.
    case fieldShouldFocus(CardComponent)
    /// The number's brand became known, changed, or is not known any more.
    case brandChanged(CardBrand?)
    /// A card was swiped; what may be shown of it.
    case cardSwiped(masked: String?, CardBrand?)
    /// A swipe cannot be used.
    case swipeRefused(SwipeRefusal)
    /// An attempt to pay is at this step: time for a loading screen.
    case paymentProgressed(PaymentState.Stage)
    /// The customer has to agree at this address.
    case paymentNeedsApproval(address: String)
    /// The money moved.
    case paymentDidSucceed(chargeID: String, description: String, displayAmount: String, amountInCents: Int)
    /// No money moved, for certain; the form may be submitted again.
    case paymentDidFail(PaymentError)
    /// The money may have moved: nobody must pay again.
    case paymentMayHaveSucceeded(PaymentError)
    /// Nobody wants the payment any more, and no money moved.
    case paymentWasCancelled
}

/// What there is to show for a payment.
public struct FormOptions: Sendable, Hashable {
    /// Whether to show a form for number, expiry date and code.
    public let hasCreditCardForm: Bool
    /// Whether cards may be swiped.
    public let hasSwipe: Bool
    /// A button for each of these.
    public let wallets: [PaymentMethod]

    init(_ methods: [PaymentMethod]) {
        hasCreditCardForm = methods.contains { $0.kind == .creditCard }
        hasSwipe = methods.contains { $0.kind == .swipe }
        wallets = methods.filter { if case .wallet = $0.kind { true } else { false } }
    }
}
