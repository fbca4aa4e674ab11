/// The rules for an expiry date. A card is good to the last day of its month, in the till's own time zone.
enum ExpiryRules {
    /// Cards are issued for up to ten years, gift cards for up to twenty. ASSUMPTION: nobody publishes a limit.
    static let mostYearsAhead = 20
    /// Digits in the field: MMYY.
    static let digits = 4

    /// The month that four digits MMYY name, seen from `today`; nil where the month is none.
    static func month(_ digits: some Collection<UInt8>, today: CalendarMonth) -> CalendarMonth? {
        let values = digits.map { Int($0) - Int(UInt8(ascii: "0")) }
        guard values.count == ExpiryRules.digits, values.allSatisfy((0...9).contains) else { return nil }
        let year = today.year(endingIn: values[2] * 10 + values[3])
        return CalendarMonth(year: year, month: values[0] * 10 + values[1])
    }

    /// What is wrong with these digits; nil for a month that is not over.
    static func problem(_ digits: some Collection<UInt8>, today: CalendarMonth) -> FieldProblem? {
        guard !digits.isEmpty else { return .missing }
        guard digits.count == ExpiryRules.digits else { return .incomplete }
        guard let month = month(digits, today: today) else { return .unknownMonth }
        return problem(month, today: today)
    }

    static func problem(_ month: CalendarMonth, today: CalendarMonth) -> FieldProblem? {
        if month < today { return .expired }
        return month.year > today.year + mostYearsAhead ? .tooFarAhead : nil
    }

    /// The digits MMYY of a whole date as people write or copy it: `12/27`, `1/27`, `12/2027`, `2027-12`, `122027`.
    /// Nil for anything else, also for a part of a date.
    static func digits(ofWhole text: String) -> [UInt8]? {
        var groups: [[UInt8]] = [[]]
        for scalar in text.unicodeScalars.prefix(DigitScan.mostScalars) {
            if let digit = DigitScan.digit(scalar) {
                groups[groups.count - 1].append(digit)
            } else if groups.last?.isEmpty == false {
                groups.append([])
            }
        }
        groups.removeAll { $0.isEmpty }
        return digits(ofGroups: groups)
    }

    /// The same for its runs of digits.
    static func digits(ofGroups groups: [[UInt8]]) -> [UInt8]? {
        switch groups.map(\.count) {
        case [4], [2, 2]: return groups.flatMap { $0 }
        case [6], [2, 4]: return Array(groups.flatMap { $0 }.prefix(2) + groups.flatMap { $0 }.suffix(2))
        case [1, 2], [1, 4]: return [UInt8(ascii: "0")] + groups[0] + groups[1].suffix(2)
        case [4, 2]: return groups[1] + groups[0].suffix(2)
        default: return nil
        }
    }
}
