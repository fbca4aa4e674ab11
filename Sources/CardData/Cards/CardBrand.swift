/// Whose card it is, as the first digits of the account number tell.
public enum CardBrand: String, Sendable, Hashable, CaseIterable {
    /// The names on the wire.
    case visa, mastercard, amex, discover, jcb, diners, unionpay, maestro, mir, rupay
}

extension CardBrand {
    /// How many leading digits the table looks at.
    static let prefixDigits = 6
    /// With fewer digits than this nothing is guessed.
    static let leastKnownDigits = 4

    /// One row of the table: numbers whose first digits lie in `range`, with one of these lengths.
    private struct Row {
        var brand: CardBrand
        var range: ClosedRange<Int>
        var digits: Int
        var lengths: ClosedRange<Int>

        init(_ brand: CardBrand, _ range: ClosedRange<Int>, digits: Int, lengths: ClosedRange<Int>) {
            self.brand = brand
            self.range = range
            self.digits = digits
            self.lengths = lengths
        }

        func covers(_ prefix: Int) -> Bool {
            range.contains(prefix / CardBrand.powerOfTen(CardBrand.prefixDigits - digits))
        }
    }

    /// Public IIN lists, see `docs/card-data.md`. The row with most digits wins; among equals the earlier one.
    private static let table: [Row] = [
        Row(.visa, 4...4, digits: 1, lengths: 13...19),
        Row(.mastercard, 51...55, digits: 2, lengths: 16...16),
        Row(.mastercard, 222_100...272_099, digits: 6, lengths: 16...16),
        Row(.amex, 34...34, digits: 2, lengths: 15...15),
        Row(.amex, 37...37, digits: 2, lengths: 15...15),
        Row(.discover, 6011...6011, digits: 4, lengths: 16...19),
        Row(.discover, 622_126...622_925, digits: 6, lengths: 16...19),
        Row(.discover, 644...649, digits: 3, lengths: 16...19),
        Row(.discover, 65...65, digits: 2, lengths: 16...19),
        Row(.jcb, 3528...3589, digits: 4, lengths: 16...19),
        Row(.diners, 300...305, digits: 3, lengths: 14...19),
        Row(.diners, 3095...3095, digits: 4, lengths: 14...19),
        Row(.diners, 36...36, digits: 2, lengths: 14...19),
        Row(.diners, 38...39, digits: 2, lengths: 14...19),
        Row(.unionpay, 62...62, digits: 2, lengths: 16...19),
        Row(.unionpay, 81...81, digits: 2, lengths: 16...19),
        Row(.mir, 2200...2204, digits: 4, lengths: 16...19),
        Row(.rupay, 508...508, digits: 3, lengths: 16...16),
        Row(.rupay, 60...60, digits: 2, lengths: 16...16),
        Row(.rupay, 82...82, digits: 2, lengths: 16...16),
        Row(.maestro, 50...50, digits: 2, lengths: 12...19),
        Row(.maestro, 56...58, digits: 2, lengths: 12...19),
        Row(.maestro, 6...6, digits: 1, lengths: 12...19),
    ]

    /// The brand of an account number of which at least the first digits are known.
    ///
    /// Where fewer than six digits are known, a brand is named only if every number they can begin has it.
    /// - Parameters:
    ///   - leadingDigits: ASCII digits from the number's start.
    ///   - length: how many digits the whole number has.
    public static func of(leadingDigits: some Collection<UInt8>, length: Int) -> CardBrand? {
        let known = leadingDigits.prefix(prefixDigits)
        guard known.count >= leastKnownDigits, let value = known.number else { return nil }
        let completions = powerOfTen(prefixDigits - known.count)
        let first = brand(prefix: value * completions, length: length)
        for completion in 1..<max(completions, 2) where completions > 1 {
            guard brand(prefix: value * completions + completion, length: length) == first else { return nil }
        }
        return first
    }

    /// The brand of a number of which only the beginning is there, as while somebody types it; its length is not
    /// known yet.
    ///
    /// Nil where numbers of several brands begin so. Numbers that no brand has do not count: `35` is JCB.
    /// - Parameter beginning: ASCII digits from the number's start, as few as one.
    public static func of(beginning: some Collection<UInt8>) -> CardBrand? {
        let known = beginning.prefix(prefixDigits)
        guard !known.isEmpty, let value = known.number else { return nil }
        let completions = powerOfTen(prefixDigits - known.count)
        let possible = value * completions...value * completions + completions - 1
        // Within the possible prefixes the brand changes only where a row begins or ends.
        let edges = table.flatMap { row in
            let unit = powerOfTen(prefixDigits - row.digits)
            return [row.range.lowerBound * unit, (row.range.upperBound + 1) * unit]
        }
        let places = [possible.lowerBound] + edges.filter { possible.contains($0) }
        let brands = Set(places.compactMap { brand(prefix: $0, length: nil) })
        return brands.count == 1 ? brands.first : nil
    }

    private static func brand(prefix: Int, length: Int?) -> CardBrand? {
        var best: Row?
        for row in table where row.covers(prefix) && length.map(row.lengths.contains) != false {
            if row.digits > (best?.digits ?? 0) { best = row }
        }
        return best?.brand
    }

    private static func powerOfTen(_ exponent: Int) -> Int {
        (0..<max(exponent, 0)).reduce(1) { power, _ in power * 10 }
    }
}
