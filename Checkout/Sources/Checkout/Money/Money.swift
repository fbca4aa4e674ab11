/// An amount of money in the smallest unit of its currency.
public struct Money: Sendable, Hashable {
    /// Cents, or whatever the currency's smallest unit is. Never negative.
    public let minorUnits: Int
    /// The currency.
    public let currency: Currency

    /// The most that one payment may be, in minor units: more is a slip of a finger.
    public static let most = 999_999_999_999

    /// An amount; nil when it is not between 0 and ``most``.
    public init?(minorUnits: Int, currency: Currency) {
        guard (0...Money.most).contains(minorUnits) else { return nil }
        self.minorUnits = minorUnits
        self.currency = currency
    }

    init(nothingIn currency: Currency) {
        minorUnits = 0
        self.currency = currency
    }

    /// Reads what a person typed: `4.40`, `4,40`, `4`.
    ///
    /// There may be one separator with at most as many digits behind it as the currency has; so `1.000` euros is
    /// refused, and not taken for one or for a thousand.
    public init?(_ text: String, currency: Currency) {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "." || $0 == "," }
        guard (1...2).contains(parts.count), !parts[0].isEmpty else { return nil }
        let fraction = parts.count == 2 ? parts[1] : ""
        guard parts.count == 1 || !fraction.isEmpty, fraction.utf8.count <= currency.minorDigits else {
            return nil
        }
        let digits = parts[0] + fraction
        guard digits.utf8.count <= String(Money.most).utf8.count,
            digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            var units = Int(digits)
        else { return nil }
        for _ in fraction.utf8.count..<currency.minorDigits { units *= 10 }
        self.init(minorUnits: units, currency: currency)
    }

    /// The amount alone, with a point: `3.48` for 348 cents, `348` for yen.
    public var displayAmount: String { digits(decimal: ".", group: "") }

    /// The digits with a separator before the minor units, and one between each three of the others.
    func digits(decimal: String, group: String) -> String {
        let all = String(minorUnits)
        let padding = String(repeating: "0", count: max(currency.minorDigits + 1 - all.utf8.count, 0))
        let padded = padding + all
        let whole = padded.dropLast(currency.minorDigits)
        var grouped = ""
        for (place, digit) in whole.enumerated() {
            if place > 0, (whole.count - place).isMultiple(of: 3) { grouped += group }
            grouped.append(digit)
        }
        return currency.minorDigits == 0 ? grouped : grouped + decimal + padded.suffix(currency.minorDigits)
    }
}

extension Money: CustomStringConvertible {
    /// Amount and code: `3.48 EUR`.
    public var description: String { "\(displayAmount) \(currency.code)" }
}
