public import CardData

/// Is told what a ``PaymentMachine`` has to say. All methods are optional; they are called one after the other, where
/// the machine was called, before that call returns or goes on to wait for the network.
public protocol PaymentMachineDelegate: AnyObject {
    /// Is called with every event; without an implementation of its own, it makes the call below that belongs to the event.
    func take(_ event: PaymentEvent)
    /// Show the form and the buttons; hide the loading screen.
    func didFinishBegin(formOptions: FormOptions)
    /// This machine is of no more use: show an error, make a new machine to try again.
    func didFailBegin(error: PaymentError)
    /// Make the field green, or take the green away.
    func fieldValidated(name: CardComponent, isValid: Bool)
    /// Show what is wrong with a field.
    func fieldError(name: CardComponent, message: String)
    /// Set the field's text and caret.
    func fieldShouldUpdate(name: CardComponent, value: FieldText, caret: Int)
    /// Put the focus on the field.
    func fieldShouldFocus(name: CardComponent)
    /// Highlight the brand; nil for none.
    func brandChanged(brand: CardBrand?)
    /// Say that the card was read.
    func cardSwiped(masked: String?, brand: CardBrand?)
    /// Say why the swipe is of no use.
    func swipeRefused(refusal: SwipeRefusal)
    /// Show that something is going on.
    func paymentProgressed(stage: PaymentState.Stage)
    /// Send the customer to this address.
    func paymentNeedsApproval(address: String)
    /// Say thank you.
    func paymentDidSucceed(chargeID: String, description: String, displayAmount: String, amountInCents: Int)
    /// Say what happened; the customer may try again.
    func paymentDidFail(message: String)
    /// Say that the payment may have gone through, and that nobody must pay again.
    func paymentMayHaveSucceeded(message: String)
    /// Nobody wants the payment any more.
    func paymentWasCancelled()
}

extension PaymentMachineDelegate {
    /// Does nothing.
    public func didFinishBegin(formOptions: FormOptions) {}
    /// Does nothing.
    public func didFailBegin(error: PaymentError) {}
    /// Does nothing.
    public func fieldValidated(name: CardComponent, isValid: Bool) {}
    /// Does nothing.
    public func fieldError(name: CardComponent, message: String) {}
    /// Does nothing.
    public func fieldShouldUpdate(name: CardComponent, value: FieldText, caret: Int) {}
    /// Does nothing.
    public func fieldShouldFocus(name: CardComponent) {}
    /// Does nothing.
    public func brandChanged(brand: CardBrand?) {}
    /// Does nothing.
    public func cardSwiped(masked: String?, brand: CardBrand?) {}
    /// Does nothing.
    public func swipeRefused(refusal: SwipeRefusal) {}
    /// Does nothing.
    public func paymentProgressed(stage: PaymentState.Stage) {}
    /// Does nothing.
    public func paymentNeedsApproval(address: String) {}
    /// Does nothing.
    public func paymentDidSucceed(
        chargeID: String, description: String, displayAmount: String, amountInCents: Int
    ) {}
    /// Does nothing.
    public func paymentDidFail(message: String) {}
    /// Calls ``paymentDidFail(message:)``: who knows of failures only is told that much, with the warning.
    public func paymentMayHaveSucceeded(message: String) { paymentDidFail(message: message) }
    /// Does nothing.
    public func paymentWasCancelled() {}

    /// Makes the call that belongs to an event.
    public func take(_ event: PaymentEvent) {
        switch event {
        case .didFinishBegin(let options): didFinishBegin(formOptions: options)
        case .didFailBegin(let error): didFailBegin(error: error)
        case .fieldValidated(let name, let isValid): fieldValidated(name: name, isValid: isValid)
        case .fieldError(let name, let problem): fieldError(name: name, message: problem.message)
        case .fieldShouldUpdate(let name, let value, let caret):
            fieldShouldUpdate(name: name, value: value, caret: caret)
        case .fieldShouldFocus(let name): fieldShouldFocus(name: name)
        case .brandChanged(let brand): brandChanged(brand: brand)
        case .cardSwiped(let masked, let brand): cardSwiped(masked: masked, brand: brand)
        case .swipeRefused(let refusal): swipeRefused(refusal: refusal)
        case .paymentProgressed(let stage): paymentProgressed(stage: stage)
        case .paymentNeedsApproval(let address): paymentNeedsApproval(address: address)
        case .paymentDidSucceed(let id, let description, let displayAmount, let cents):
            paymentDidSucceed(
                chargeID: id, description: description, displayAmount: displayAmount, amountInCents: cents)
        case .paymentDidFail(let error): paymentDidFail(message: error.message)
        case .paymentMayHaveSucceeded(let error):
            paymentMayHaveSucceeded(
                message: "\(error.message) The payment may have gone through. "
                    + CashierAdvice.doNotChargeAgain.words)
        case .paymentWasCancelled: paymentWasCancelled()
        }
    }
}
