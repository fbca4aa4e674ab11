internal import CardData

/// Looks at the fields of a form, whoever made them.
struct FieldsCheck {
    private(set) var problems: [CardComponent: FieldProblem] = [:]
    private var missing: [CardComponent] = []
    private var duplicates: [CardComponent] = []
    private var details: CardDetails?

    init(_ fields: [any CardField], today: CalendarMonth, swipeNeedsCode: Bool) {
        let byComponent = Dictionary(grouping: fields, by: \.component)
        duplicates = CardComponent.allCases.filter { (byComponent[$0]?.count ?? 0) > 1 }
        let texts = byComponent.compactMapValues { $0.first?.text }
        let swiped = byComponent[.swipe]?.first?.swipedCard
        let needed = Self.needed(swiped, swipeNeedsCode)
        missing = needed.filter { byComponent[$0] == nil }

        let editors = Self.editors(texts, today, brand: swiped?.brand)
        for component in needed where byComponent[component] != nil {
            problems[component] = editors[component]?.problem
        }
        // A code that was typed although none is needed must be right all the same.
        if swiped != nil, let code = editors[.cvv], code.digits.count > 0 { problems[.cvv] = code.problem }
        guard missing.isEmpty, problems.isEmpty else { return }
        details = Self.card(swiped, editors)
    }

    /// The card; or why the fields make none.
    func card() throws(CaptureError) -> CardDetails {
        guard duplicates.isEmpty else { throw .duplicateFields(duplicates) }
        guard missing.isEmpty else { throw .missingFields(missing) }
        guard let details else { throw .invalidFields(problems) }
        return details
    }

    private static func needed(_ swiped: SwipedCard?, _ swipeNeedsCode: Bool) -> [CardComponent] {
        switch swiped {
        case nil: [.cardNumber, .expiry, .cvv]
        case .clear: swipeNeedsCode ? [.cvv] : []
        case .encrypted: []
        }
    }

    /// The texts of any fields, read by the rules of the ready-made ones.
    private static func editors(
        _ texts: [CardComponent: FieldText], _ today: CalendarMonth, brand: CardBrand?
    ) -> [CardComponent: CardFieldEditor] {
        var editors: [CardComponent: CardFieldEditor] = [:]
        var brand = brand
        for component in [CardComponent.cardNumber, .expiry, .cvv] {
            var editor = CardFieldEditor(component, today: today)
            if component == .cvv { editor.follow(brand) }
            if let text = texts[component] { editor.fill(text) }
            if component == .cardNumber { brand = brand ?? editor.brand }
            editors[component] = editor
        }
        return editors
    }

    private static func card(
        _ swiped: SwipedCard?, _ editors: [CardComponent: CardFieldEditor]
    ) -> CardDetails? {
        let code = editors[.cvv].map(\.digits).flatMap { $0.count > 0 ? $0 : nil }
        switch swiped {
        case .clear(let card): return CardDetails(.swiped(card, cvv: code))
        case .encrypted(let swipe): return CardDetails(.encrypted(swipe))
        case nil:
            guard let number = editors[.cardNumber]?.digits.withRevealedBytes({ AccountNumber(digits: $0) }),
                let month = editors[.expiry]?.month, let code
            else { return nil }
            return CardDetails(.typed(ClearCard(number: number, expiry: month), cvv: code))
        }
    }
}
