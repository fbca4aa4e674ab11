internal import CardData

/// A form of number, expiry date and code, or a swipe in their place: decides what a user interface is told.
///
/// A value: every edit returns the events that follow from it; ``PaymentMachine`` hands them on.
struct CardForm {
    private(set) var number: CardFieldEditor
    private(set) var expiry: CardFieldEditor
    private(set) var cvv: CardFieldEditor
    private(set) var swiped: SwipedCard?
    /// Whether a swiped card needs its code, too.
    private let swipeNeedsCode: Bool
    /// Which fields have been called valid.
    private var green: Set<CardComponent> = []
    private var brand: CardBrand?

    static let order: [CardComponent] = [.cardNumber, .expiry, .cvv]

    init(today: CalendarMonth, swipeNeedsCode: Bool) {
        number = CardFieldEditor(.cardNumber, today: today)
        expiry = CardFieldEditor(.expiry, today: today)
        cvv = CardFieldEditor(.cvv, today: today)
        self.swipeNeedsCode = swipeNeedsCode
    }

    /// A form with these texts, and the card that was swiped, whose number and date then count.
    init(
        _ texts: [CardComponent: FieldText], _ card: SwipedCard?, today: CalendarMonth, swipeNeedsCode: Bool
    ) {
        self.init(today: today, swipeNeedsCode: swipeNeedsCode)
        if let card { _ = take(card) }
        for component in Self.order where card == nil || component == .cvv {
            guard let text = texts[component] else { continue }
            _ = edit(component) { editor in
                editor.fill(text)
                return .changed
            }
        }
    }

    /// Whether nothing is in any field.
    var isUntouched: Bool { Self.order.allSatisfy { self[$0]?.text.isEmpty ?? true } }

    subscript(component: CardComponent) -> CardFieldEditor? {
        switch component {
        case .cardNumber: number
        case .expiry: expiry
        case .cvv: cvv
        case .swipe: nil
        }
    }

    // MARK: Edits

    /// Edits a field. Whoever types a number or a date after a swipe means another card; a key that changes nothing does
    /// not.
    mutating func edit(
        _ component: CardComponent, _ body: (inout CardFieldEditor) -> CardFieldEditor.Outcome
    ) -> (CardFieldEditor.Outcome, [PaymentEvent]) {
        let before = self[component]?.digits.count ?? 0
        let outcome = apply(component, body)
        guard outcome == .changed, let editor = self[component] else { return (outcome, []) }
        var events = component == .cvv ? [] : clearSwipe()
        events.append(.fieldShouldUpdate(component, editor.text, caret: editor.caret))
        if component == .cardNumber { events += followBrand() }
        events += judge(component)
        // Not where a digit was taken away, or changed: who mends a field stays in it.
        if editor.isWhole, editor.digits.count > before, let next = next(after: component) {
            events.append(.fieldShouldFocus(next))
        }
        return (outcome, events)
    }

    private mutating func apply(
        _ component: CardComponent, _ body: (inout CardFieldEditor) -> CardFieldEditor.Outcome
    ) -> CardFieldEditor.Outcome {
        switch component {
        case .cardNumber: body(&number)
        case .expiry: body(&expiry)
        case .cvv: body(&cvv)
        case .swipe: .rejected
        }
    }

    private mutating func followBrand() -> [PaymentEvent] {
        guard number.brand != brand else { return [] }
        brand = number.brand
        cvv.follow(brand)
        return [.brandChanged(brand)] + judge(.cvv)
    }

    /// Green when a field becomes good, the green taken away when it is not good any more.
    private mutating func judge(_ component: CardComponent) -> [PaymentEvent] {
        let isValid = self[component]?.isValid ?? false
        guard isValid != green.contains(component) else { return [] }
        if isValid { green.insert(component) } else { green.remove(component) }
        return [.fieldValidated(component, isValid: isValid)]
    }

    private func next(after component: CardComponent) -> CardComponent? {
        Self.order.first { $0 != component && self[$0]?.isValid == false }
    }

    // MARK: Swipes

    /// Takes a swiped card: what it has in clear fills the fields, masked.
    mutating func take(_ card: SwipedCard) -> [PaymentEvent] {
        var events = empty(.cardNumber) + empty(.expiry)
        swiped = card
        events.append(.cardSwiped(masked: card.maskedNumber, card.brand))
        if card.brand != brand {
            brand = card.brand
            cvv.follow(brand)
            events += [.brandChanged(brand)] + judge(.cvv)
        }
        if case .clear(let clear) = card {
            events.append(.fieldShouldUpdate(.cardNumber, FieldText(clear.number.masked), caret: 0))
            events.append(.fieldShouldUpdate(.expiry, FieldText(clear.expiry.description), caret: 0))
        }
        for component in [CardComponent.cardNumber, .expiry] where green.insert(component).inserted {
            events.append(.fieldValidated(component, isValid: true))
        }
        if needsCode { events.append(.fieldShouldFocus(.cvv)) }
        return events
    }

    /// Forgets the swiped card.
    mutating func clearSwipe() -> [PaymentEvent] {
        guard swiped != nil else { return [] }
        swiped = nil
        brand = nil
        cvv.follow(nil)
        var events: [PaymentEvent] = [.brandChanged(nil)]
        for component in [CardComponent.cardNumber, .expiry] {
            events.append(.fieldShouldUpdate(component, .empty, caret: 0))
            events += judge(component)
        }
        return events + judge(.cvv)
    }

    /// Forgets everything that was typed or swiped.
    mutating func clear() -> [PaymentEvent] {
        clearSwipe() + Self.order.flatMap { empty($0) }
    }

    mutating func empty(_ component: CardComponent) -> [PaymentEvent] {
        guard let editor = self[component], editor.digits.count > 0 else { return [] }
        return edit(component) { $0.setText("") }.1
    }

    // MARK: Submitting

    /// The fields that a payment needs.
    var needed: [CardComponent] { Self.order.filter { $0 == .cvv ? needsCode : swiped == nil } }

    private var needsCode: Bool {
        switch swiped {
        case nil: true
        case .clear: swipeNeedsCode
        case .encrypted: false
        }
    }

    /// The fields that are not good, in order.
    var problems: [(component: CardComponent, problem: FieldProblem)] {
        Self.order.compactMap { component in
            // A code that was typed although none is needed must be right all the same.
            guard needed.contains(component) || (component == .cvv && cvv.digits.count > 0) else {
                return nil
            }
            return self[component]?.problem.map { (component, $0) }
        }
    }

    /// The card to charge, or what is wrong with the form.
    func submit() -> (card: CardDetails?, events: [PaymentEvent]) {
        let wrong = problems
        guard wrong.isEmpty else {
            let errors = wrong.map { PaymentEvent.fieldError($0.component, $0.problem) }
            return (nil, errors + wrong.prefix(1).map { .fieldShouldFocus($0.component) })
        }
        return (card, [])
    }

    /// The card to charge, where nothing is wrong.
    var card: CardDetails? {
        let code = cvv.digits.count > 0 ? cvv.digits : nil
        if let swiped { return CardDetails(swiped, cvv: code) }
        guard let number = number.digits.withRevealedBytes({ AccountNumber(digits: $0) }),
            let month = expiry.month, let code
        else { return nil }
        return CardDetails(.typed(ClearCard(number: number, expiry: month), cvv: code))
    }
}
