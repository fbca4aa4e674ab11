/// Track 1 of a licence.
///
///     % SS CITY… ^ NAME$NAME… ^ ADDRESS$ADDRESS… [^ …] ?
///
/// A `^` ends a city or a name that is shorter than its most; one at its most has none. The address has whatever room they
/// leave; blanks or a jurisdiction's own data may follow behind it.
struct LicenceTrack1: Sendable {
    static let longestCity = 13
    static let longestName = 35
    /// 82 characters without sentinels and LRC: both fields at their most leave 29 for the address.
    static let longestData = 79

    let state: String
    let city: SensitiveText
    let nameParts: [SensitiveText]
    let addressLines: [SensitiveText]

    init?(_ bytes: [UInt8]) {
        guard bytes.first == UInt8(ascii: "%"), bytes.last == UInt8(ascii: "?"), bytes.count > 4 else {
            return nil
        }
        var rest = bytes.dropFirst().dropLast()
        guard rest.count <= Self.longestData else { return nil }
        let letters = rest.prefix(2)
        guard letters.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) else { return nil }
        rest = rest.dropFirst(2)
        guard let city = Self.field(&rest, longest: Self.longestCity),
            let name = Self.field(&rest, longest: Self.longestName), !name.isEmpty
        else { return nil }
        state = String(decoding: letters, as: UTF8.self)
        self.city = SensitiveText(utf8: city)
        nameParts = Self.parts(name)
        addressLines = Self.parts(rest.prefix { $0 != UInt8(ascii: "^") })
    }

    private static func field(_ rest: inout ArraySlice<UInt8>, longest: Int) -> ArraySlice<UInt8>? {
        let field = rest.prefix(longest).prefix { $0 != UInt8(ascii: "^") }
        rest = rest.dropFirst(field.count)
        if rest.first == UInt8(ascii: "^") {
            rest = rest.dropFirst()
        } else if field.count < longest, !rest.isEmpty {
            return nil
        }
        return field
    }

    private static func parts(_ field: ArraySlice<UInt8>) -> [SensitiveText] {
        field.split(separator: UInt8(ascii: "$")).map { SensitiveText(utf8: $0) }
    }
}

/// Track 2 of a licence.
///
///     ; IIIIII NUMBER… = YYMM YYYYMMDD [OVERFLOW…] [= …] ?        YYMM = YYYYMMDD: California until the nineties
///
/// I: issuer · YYMM: expiry, month 77, 88 or 99 with a meaning of its own · YYYYMMDD: date of birth · OVERFLOW: what
/// of the number did not fit in. Where nothing overflows, a `=` stands for it; a jurisdiction's own data may follow.
struct LicenceTrack2: Sendable {
    static let issuerDigits = 6
    /// AAMVA's 13, and the one more that makers' manuals allow and cards have.
    static let longestNumber = 14
    static let longestOverflow = 5
    private static let birthDigits = 8
    /// AAMVA's issuers; 604425 and its neighbours are older ones, of Canada and the territories.
    static let issuers: [ClosedRange<Int>] = [636_000...636_062, 604_425...604_434]
    /// Those of them that MagTek's readers do not know, and take for banks' (99875475, appendix E).
    static let issuersUnknownToReaders = [604_426...604_434]
    private static let separator = UInt8(ascii: "=")

    let number: SensitiveText
    let expiry: DrivingLicence.Expiry
    let birthDate: SensitiveText

    init?(_ bytes: [UInt8]) {
        guard Self.issuer(of: bytes) != nil, bytes.last == UInt8(ascii: "?"),
            let end = bytes.firstIndex(of: Self.separator)
        else { return nil }
        let head = bytes[..<end].dropFirst(1 + Self.issuerDigits)
        var rest = bytes[(end + 1)...].dropLast()
        guard head.count <= Self.longestNumber, head.allSatisfy(\.isDigit),
            let expiry = DrivingLicence.Expiry(rest.prefix(CardExpiry.digits))
        else { return nil }
        rest = rest.dropFirst(CardExpiry.digits)
        if rest.first == Self.separator { rest = rest.dropFirst() }
        let birth = rest.prefix(Self.birthDigits)
        rest = rest.dropFirst(Self.birthDigits)
        let overflow = rest.prefix { $0 != Self.separator }
        guard birth.count == Self.birthDigits, birth.allSatisfy(\.isDigit),
            overflow.count <= Self.longestOverflow, overflow.allSatisfy(\.isDigit),
            rest.allSatisfy({ $0.isDigit || $0 == Self.separator })
        else { return nil }
        number = SensitiveText(utf8: head + overflow)
        self.expiry = expiry
        birthDate = SensitiveText(utf8: birth)
    }

    /// The issuer with whose number a track begins; nil where it is none of licences.
    static func issuer(of bytes: [UInt8]) -> String? {
        let digits = bytes.dropFirst().prefix(issuerDigits)
        guard bytes.first == UInt8(ascii: ";"), digits.count == issuerDigits, mayBe(digits, of: issuers)
        else {
            return nil
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Whether the number of one of these issuers begins with these digits.
    static func mayBe(_ digits: some Collection<UInt8>, of issuers: [ClosedRange<Int>]) -> Bool {
        guard digits.count <= issuerDigits, let known = digits.number else { return false }
        let unit = (digits.count..<issuerDigits).reduce(1) { unit, _ in unit * 10 }
        return issuers.contains { $0.overlaps(known * unit...(known + 1) * unit - 1) }
    }
}
