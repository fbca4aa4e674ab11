/// The month after whose end a card is not valid any more.
public struct CardExpiry: Sendable, Hashable {
    /// The full year; cards carry two digits, which are taken as 20YY.
    public let year: Int
    /// 1 to 12.
    public let month: Int

    /// How many stand on a card.
    static let digits = 4

    /// Reads `YYMM`; nil unless these are four digits that name a month.
    public init?(yearMonth: some Collection<UInt8>) {
        guard yearMonth.count == Self.digits, let number = yearMonth.number,
            (1...12).contains(number % 100)
        else { return nil }
        (year, month) = (2000 + number / 100, number % 100)
    }

    /// As on the card: `YYMM`.
    public var yearMonth: String {
        let text = String(year % 100 * 100 + month)
        return String(repeating: "0", count: max(4 - text.count, 0)) + text
    }
}
