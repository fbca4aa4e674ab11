internal import CardData

/// Where a field's digits and gaps are in its text.
///
///     4111 1111 1111 1111    gaps after 4, 8 and 12 digits, each only when a digit follows
///     12/                    the slash is there as soon as the month is
struct FieldLayout {
    let count: Int
    let gap: UInt8
    /// After how many digits a gap stands, ascending.
    private let gaps: [Int]

    init(_ component: CardComponent, brand: CardBrand?, count: Int) {
        self.count = count
        switch component {
        case .cardNumber, .swipe:
            gap = UInt8(ascii: " ")
            gaps = NumberRules.gaps(of: brand, count: count).filter { $0 < count }
        case .expiry:
            gap = UInt8(ascii: "/")
            gaps = count >= 2 ? [2] : []
        case .cvv:
            gap = UInt8(ascii: " ")
            gaps = []
        }
    }

    /// How many characters the text has.
    var length: Int { count + gaps.count }

    /// Which digit stands at a place; nil for a gap.
    func digit(at place: Int) -> Int? {
        var digit = place
        for (number, gap) in gaps.enumerated() {
            if place == gap + number { return nil }
            if place > gap + number { digit -= 1 }
        }
        return digit < count ? digit : nil
    }

    /// The place before a digit, behind the gap where there is one.
    func place(ofDigit digit: Int) -> Int { digit + gaps.count { $0 <= digit } }

    /// How many digits stand before a place, which may be anywhere.
    func digits(before place: Int) -> Int {
        let place = min(max(place, 0), length)
        return min(place - gaps.enumerated().count { $1 + $0 < place }, count)
    }
}
