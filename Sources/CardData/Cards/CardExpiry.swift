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
        let digits = Array(yearMonth)
        guard digits.count == Self.digits, digits.allSatisfy(\.isDigit) else { return nil }
        let values = digits.map { Int($0 - UInt8(ascii: "0")) }
        year = 2000 + values[0] * 10 + values[1]
        month = values[2] * 10 + values[3]
        guard (1...12).contains(month) else { return nil }
    }

    /// As on the card: `YYMM`.
    public var yearMonth: String {
        let text = String(year % 100 * 100 + month)
        return String(repeating: "0", count: max(4 - text.count, 0)) + text
    }
}
