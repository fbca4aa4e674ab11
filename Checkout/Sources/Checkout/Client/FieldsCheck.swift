/// Looks at the fields of a form, whoever made them: their texts go into a ``CardForm``, whose rules count.
struct FieldsCheck {
    let problems: [CardComponent: FieldProblem]
    private let missing: [CardComponent]
    private let duplicates: [CardComponent]
    private let form: CardForm

    init(_ fields: [any CardField], today: CalendarMonth, swipeNeedsCode: Bool) {
        let byComponent = Dictionary(grouping: fields, by: \.component)
        let texts = byComponent.compactMapValues { $0.first?.text }
        let form = CardForm(
            texts, byComponent[.swipe]?.first?.swipedCard, today: today, swipeNeedsCode: swipeNeedsCode)
        self.form = form
        duplicates = CardComponent.allCases.filter { (byComponent[$0]?.count ?? 0) > 1 }
        missing = form.needed.filter { byComponent[$0] == nil }
        problems = Dictionary(form.problems.map { ($0.component, $0.problem) }) { first, _ in first }
            .filter { byComponent[$0.key] != nil }
    }

    /// The card; or why the fields make none.
    func card() throws(CaptureError) -> CardDetails {
        guard duplicates.isEmpty else { throw .duplicateFields(duplicates) }
        guard missing.isEmpty else { throw .missingFields(missing) }
        guard problems.isEmpty, let card = form.card else { throw .invalidFields(problems) }
        return card
    }
}
