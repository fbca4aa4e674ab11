internal import CardData

/// A card as somebody copied it: `4111 1111 1111 1111 12/30 123`, whatever stands between the digits.
///
/// Digits come in groups, and a number may be in several. Which of them are the number is found by trying:
///
///     4111 1111 1111 1111   12/30   123
///     number: good, of its brand's length · date: a form that ExpiryRules takes · code: as long as the brand's
struct PastedCard {
    /// The number; nil where a date and a code were copied alone.
    let number: SensitiveText?
    /// Month and year, MMYY.
    let expiry: String
    /// The code; nil where there is none.
    let code: SensitiveText?

    /// The digits of the longest number, date and code.
    static let mostDigits = NumberRules.lengths.upperBound + 6 + CodeRules.lengths.upperBound

    /// Reads a text. Nil where it is no card with its date, so that it is what the field with the focus makes of it.
    ///
    /// - Parameter brand: of the number that is in the form, for a text without one; nil where it needs one.
    init?(_ text: String, brand: CardBrand?, startsAtExpiry: Bool) {
        guard text.utf8.count <= DigitScan.mostScalars else { return nil }
        if let track = TrackText(text) {
            (number, expiry, code) = (track.number, track.expiry, nil)
            return
        }
        let digits = DigitScan.digits(in: text, limit: .max)
        guard digits.count <= Self.mostDigits else { return nil }
        let groups = Self.groups(in: text)
        let layouts = Self.layouts(groups) + (startsAtExpiry ? Self.layoutsWithoutNumber(groups) : [])
        for layout in layouts {
            if let card = Self(digits, layout, brand) {
                self = card
                return
            }
        }
        return nil
    }

    /// How many digits belong to what.
    private struct Layout {
        var number: Int
        var expiry: [Int]
        var code: Int?
    }

    private init?(_ digits: SensitiveText, _ layout: Layout, _ known: CardBrand?) {
        let end = layout.number + layout.expiry.reduce(0, +)
        let number = digits.prefix(layout.number)
        let brand = layout.number > 0 ? number.withRevealedBytes { CardBrand.of(beginning: $0) } : known
        if layout.number > 0 {
            guard number.withRevealedBytes({ NumberRules.problem($0) }) == nil else { return nil }
        }
        guard let expiry = Self.expiry(digits, layout) else { return nil }
        if let code = layout.code {
            guard CodeRules.problem(count: code, brand: brand) == nil else { return nil }
        }
        self.number = layout.number > 0 ? number : nil
        self.expiry = expiry
        code = layout.code.map { _ in digits.replacing(0..<end, with: SensitiveText("")) }
    }

    private static func expiry(_ digits: SensitiveText, _ layout: Layout) -> String? {
        digits.withRevealedBytes { bytes in
            var start = layout.number
            let groups = layout.expiry.map { length in
                defer { start += length }
                return Array(bytes[start..<start + length])
            }
            guard let date = ExpiryRules.digits(ofGroups: groups), CardFieldEditor.mayNameMonth(date) else {
                return nil
            }
            return String(decoding: date, as: UTF8.self)
        }
    }

    /// How long the runs of digits are.
    private static func groups(in text: String) -> [Int] {
        text.unicodeScalars.split { DigitScan.digit($0) == nil }.map(\.count)
    }

    /// The ways to read groups as a card; with a code and with the longest number first.
    private static func layouts(_ groups: [Int]) -> [Layout] {
        guard groups.count > 1 else { return layouts(ofOne: groups.first ?? 0) }
        return (1..<groups.count).reversed().flatMap { end in
            endings(Array(groups[end...]), after: groups[..<end].reduce(0, +))
        }.sorted { ($0.code ?? 0) > ($1.code ?? 0) }
    }

    private static func layoutsWithoutNumber(_ groups: [Int]) -> [Layout] {
        endings(groups, after: 0).filter { $0.code != nil }
    }

    private static func endings(_ groups: [Int], after number: Int) -> [Layout] {
        [
            groups.count >= 2 ? Layout(number: number, expiry: groups.dropLast(), code: groups.last) : nil,
            Layout(number: number, expiry: groups),
        ].compactMap(\.self)
    }

    /// Nothing stands between number, date and code.
    private static func layouts(ofOne count: Int) -> [Layout] {
        NumberRules.lengths.reversed().compactMap { number in
            let rest = count - number - ExpiryRules.digits
            guard rest == 0 || CodeRules.lengths.contains(rest) else { return nil }
            return Layout(number: number, expiry: [ExpiryRules.digits], code: rest > 0 ? rest : nil)
        }
    }
}

extension CardForm {
    /// Fills the fields with the card that a text is.
    ///
    /// - Parameter component: the field with the focus. A date with its code is taken where that is the date's.
    /// - Returns: what to tell; nil, and nothing is done, where the text is no card with its date.
    mutating func fill(_ text: String, from component: CardComponent) -> [PaymentEvent]? {
        guard let card = PastedCard(text, brand: number.brand, startsAtExpiry: component == .expiry) else {
            return nil
        }
        var events: [PaymentEvent] = []
        if let number = card.number {
            events += edit(.cardNumber) { $0.setText(number.reveal()) }.1
            // A code that is there is another card's.
            if card.code == nil { events += empty(.cvv) }
        }
        events += edit(.expiry) { $0.setText(card.expiry) }.1
        if let code = card.code { events += edit(.cvv) { $0.setText(code.reveal()) }.1 }
        events.removeAll { if case .fieldShouldFocus = $0 { true } else { false } }
        let next = Self.order.first { self[$0]?.isValid == false }
        return events + [.fieldShouldFocus(next ?? .cvv)]
    }
}
