/// A month of a year, by the Gregorian calendar.
public struct CalendarMonth: Sendable, Hashable, Comparable {
    /// The full year.
    public let year: Int
    /// 1 to 12.
    public let month: Int

    /// A month; nil when it is not one.
    public init?(year: Int, month: Int) {
        guard (1...12).contains(month), (1...9999).contains(year) else { return nil }
        self.year = year
        self.month = month
    }

    /// The month at a moment, where clocks are `offset` seconds ahead of UTC.
    ///
    /// Days from the epoch to a date by era of 400 years, the first of March as the year's first day, so that the leap
    /// day is the last one (H. Hinnant, "chrono-compatible low-level date algorithms").
    public init(secondsSince1970 seconds: Int64, offset: Int64 = 0) {
        let (local, _) = seconds.addingReportingOverflow(offset)
        let day = Int(clamping: (local >= 0 ? local : local - 86_399) / 86_400)
        let shifted = min(max(day, -700_000), 2_900_000) + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The year nearest to this month's with those last two digits, within fifty years: `00` in 2098 is 2100.
    func year(endingIn twoDigits: Int) -> Int {
        let candidate = year - year % 100 + twoDigits
        if candidate < year - 50 { return candidate + 100 }
        return candidate > year + 49 ? candidate - 100 : candidate
    }

    /// Whether the first month is before the second one.
    public static func < (left: CalendarMonth, right: CalendarMonth) -> Bool {
        (left.year, left.month) < (right.year, right.month)
    }
}

extension CalendarMonth: CustomStringConvertible {
    /// As on a card: `12/27`.
    public var description: String { "\(Self.two(month))/\(Self.two(year % 100))" }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
