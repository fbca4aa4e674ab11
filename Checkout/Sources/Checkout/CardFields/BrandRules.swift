public import CardData

/// What the brands publish of their numbers: how many digits, in which groups, and how long the code is.
extension CardBrand {
    /// How many digits a number of this brand may have (`docs/card-data.md`; Visa names 13, 16 and 19 only).
    public var numberLengths: [Int] {
        switch self {
        case .visa: [13, 16, 19]
        case .mastercard, .rupay: [16]
        case .amex: [15]
        case .diners: Array(14...19)
        case .discover, .jcb, .unionpay, .mir: Array(16...19)
        case .maestro: Array(12...19)
        }
    }

    /// After how many good digits a number is taken for whole although longer ones are allowed; nil where only the longest
    /// is. Visa's rules name 19 digits, its cards have 16; the other brands with several lengths have cards of them.
    public var usualLength: Int? { self == .visa ? 16 : nil }

    /// How many digits the code has: four on American Express cards (there on the front), else three.
    public var codeLength: Int { self == .amex ? 4 : 3 }

    /// The brand as people write it.
    public var title: String {
        switch self {
        case .visa: "Visa"
        case .mastercard: "Mastercard"
        case .amex: "American Express"
        case .discover: "Discover"
        case .jcb: "JCB"
        case .diners: "Diners Club"
        case .unionpay: "UnionPay"
        case .maestro: "Maestro"
        case .mir: "Mir"
        case .rupay: "RuPay"
        }
    }
}

/// The rules for a number, whose brand may not be known.
enum NumberRules {
    /// ISO/IEC 7812-1: an account number has up to 19 digits; the shortest of any brand has 12.
    static let lengths = 12...19

    static func lengths(of brand: CardBrand?) -> [Int] { brand?.numberLengths ?? Array(lengths) }

    /// How many digits may be typed.
    static func longest(of brand: CardBrand?) -> Int { lengths(of: brand).last ?? lengths.upperBound }

    /// After how many digits a gap is printed on the card. Amex 4-6-5, Diners of 14 digits 4-6-4, all others in fours.
    static func gaps(of brand: CardBrand?, count: Int) -> [Int] {
        switch brand {
        case .amex: [4, 10]
        case .diners where count <= 14: [4, 10]
        case .visa, .mastercard, .discover, .jcb, .diners, .unionpay, .maestro, .mir, .rupay, nil:
            [4, 8, 12, 16]
        }
    }

    /// Whether a text has a good number of a known brand in it, with blanks and hyphens between the digits or without.
    static func mayHoldNumber(_ text: String) -> Bool {
        let isGap = { (scalar: Unicode.Scalar) in scalar == " " || scalar == "-" }
        let runs = text.unicodeScalars.split { DigitScan.digit($0) == nil && !isGap($0) }
        return runs.contains { run in
            let groups = run.split(whereSeparator: isGap).map { $0.compactMap(DigitScan.digit) }
            return groups.indices.contains { mayBegin(groups[$0...]) }
        }
    }

    /// Whether the first of these groups of digits, or several of them, are a good number.
    private static func mayBegin(_ groups: ArraySlice<[UInt8]>) -> Bool {
        var digits: [UInt8] = []
        for group in groups {
            digits += group
            if digits.count > lengths.upperBound { return false }
            if CardBrand.of(beginning: digits) != nil, problem(digits) == nil { return true }
        }
        return false
    }

    /// What is wrong with these digits; nil for a good number.
    static func problem(_ digits: some BidirectionalCollection<UInt8>) -> FieldProblem? {
        guard !digits.isEmpty else { return .missing }
        let allowed = lengths(of: CardBrand.of(beginning: digits))
        guard allowed.contains(digits.count) else {
            return digits.count < (allowed.last ?? 0) ? .incomplete : .wrongLength
        }
        return Luhn.isValid(digits) ? nil : .checkDigit
    }
}

/// The rules for a code.
enum CodeRules {
    static let lengths = 3...4

    static func longest(of brand: CardBrand?) -> Int { brand?.codeLength ?? lengths.upperBound }

    static func problem(count: Int, brand: CardBrand?) -> FieldProblem? {
        guard count > 0 else { return .missing }
        guard let brand else { return lengths.contains(count) ? nil : .incomplete }
        if count == brand.codeLength { return nil }
        return count < brand.codeLength ? .incomplete : .wrongCodeLength(expected: brand.codeLength)
    }
}
