/// A North American driving licence or identity card (AAMVA DL/ID card design standard, magnetic stripe annex).
///
/// Every field is there only where its track was read.
public struct DrivingLicence: Sendable, Hashable {
    /// When a licence ends.
    public enum Expiry: Sendable, Hashable {
        /// With this month.
        case month(CardExpiry)
        /// Month 77: it does not end.
        case never
        /// Month 88: with the last day of the holder's month of birth, in that year.
        case birthMonth(year: Int)
        /// Month 99: on the holder's birthday, in that year.
        case birthday(year: Int)
    }

    /// Who issued it: six digits, 636000 to 636062 or an older number (track 2).
    public internal(set) var issuer: String?
    /// The licence number (track 2, its overflow included).
    public internal(set) var number: SensitiveText?
    /// When it ends (track 2).
    public internal(set) var expiry: Expiry?
    /// The date of birth as `YYYYMMDD` (track 2).
    public internal(set) var birthDate: SensitiveText?
    /// State or province, two letters (track 1).
    public internal(set) var state: String?
    /// The place (track 1).
    public internal(set) var city: SensitiveText?
    /// Name parts in the order of the card: surname, given names… (track 1).
    public internal(set) var nameParts: [SensitiveText] = []
    /// The lines of the address (track 1).
    public internal(set) var addressLines: [SensitiveText] = []
    /// What track 3 says.
    public internal(set) var details: LicenceDetails?

    /// Puts a licence together: from track 2's issuer number, or from track 3 in track 1's form beside a track 1 of
    /// the right form. Nil for anything else.
    init?(_ tracks: [ReadTrack]) {
        let inClear = tracks.filter { !$0.isCovered }
        let track2 = inClear.first { $0.number != 3 && $0.bytes.first == UInt8(ascii: ";") }
        let track3 = inClear.first { $0.number == 3 }
        let track1 = inClear.first { $0.number != 3 && $0.bytes.first == UInt8(ascii: "%") }
        let second = track2.flatMap { LicenceTrack2($0.bytes) }
        let third = track3.flatMap { LicenceDetails($0.bytes) }
        let first = track1.flatMap { LicenceTrack1($0.bytes) }
        // Track 2 with another issuer's number is another card, whatever its neighbours look like.
        guard second != nil || (track2 == nil && third != nil && first != nil) else { return nil }
        // Track 1 in a bank's form contradicts a licence number.
        if let track1, PaymentTrack(track1.bytes) != nil { return nil }
        if let second { take(second) }
        if let first { take(first) }
        details = third
    }

    /// A licence of which a reader covered everything.
    init() {}

    private mutating func take(_ track: LicenceTrack2) {
        issuer = track.issuer
        number = track.number
        expiry = track.expiry
        birthDate = track.birthDate
    }

    private mutating func take(_ track: LicenceTrack1) {
        state = track.state
        city = track.city
        nameParts = track.nameParts
        addressLines = track.addressLines
    }
}

/// Track 1 of a licence.
///
///     % SS CITY… ^ NAME$NAME… ^ ADDRESS$ADDRESS… ^ ?
///
/// A `^` ends a field that is shorter than its most; a field at its most has none.
struct LicenceTrack1: Sendable {
    static let longestCity = 13
    static let longestName = 35
    static let longestAddress = 29

    let state: String
    let city: SensitiveText
    let nameParts: [SensitiveText]
    let addressLines: [SensitiveText]

    init?(_ bytes: [UInt8]) {
        guard bytes.first == UInt8(ascii: "%"), bytes.last == UInt8(ascii: "?"), bytes.count > 4 else {
            return nil
        }
        var rest = bytes.dropFirst().dropLast()
        let letters = rest.prefix(2)
        guard letters.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) else { return nil }
        rest = rest.dropFirst(2)
        guard let city = Self.field(&rest, longest: Self.longestCity),
            let name = Self.field(&rest, longest: Self.longestName), !name.isEmpty,
            let address = Self.field(&rest, longest: Self.longestAddress)
        else { return nil }
        state = String(decoding: letters, as: UTF8.self)
        self.city = SensitiveText(utf8: city)
        nameParts = Self.parts(name)
        addressLines = Self.parts(address)
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
///     ; IIIIII NUMBER… = YYMM YYYYMMDD OVERFLOW… ?
///
/// I: issuer · YYMM: expiry, month 77, 88 or 99 with a meaning of its own · YYYYMMDD: date of birth · OVERFLOW: what
/// of the number did not fit in.
struct LicenceTrack2: Sendable {
    static let issuerDigits = 6
    static let longestNumber = 13
    static let longestOverflow = 5
    /// AAMVA's issuers; 604425 and its neighbours are older ones, of Canada and the territories.
    static let issuers: [ClosedRange<Int>] = [636_000...636_062, 604_425...604_434]

    let issuer: String
    let number: SensitiveText
    let expiry: DrivingLicence.Expiry
    let birthDate: SensitiveText

    init?(_ bytes: [UInt8]) {
        guard Self.hasIssuer(bytes), bytes.last == UInt8(ascii: "?"),
            let separator = bytes.firstIndex(of: UInt8(ascii: "="))
        else { return nil }
        let head = bytes[1..<separator]
        let tail = bytes[(separator + 1)...].dropLast()
        let number = head.dropFirst(Self.issuerDigits)
        guard number.count <= Self.longestNumber, tail.count >= 12, tail.count <= 12 + Self.longestOverflow,
            (head + tail).allSatisfy(\.isDigit), let expiry = DrivingLicence.Expiry(tail.prefix(4))
        else { return nil }
        issuer = String(decoding: head.prefix(Self.issuerDigits), as: UTF8.self)
        self.number = SensitiveText(utf8: number + tail.dropFirst(12))
        self.expiry = expiry
        birthDate = SensitiveText(utf8: tail.dropFirst(4).prefix(8))
    }

    /// Whether a track begins with the number of an issuer of licences.
    static func hasIssuer(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > issuerDigits, bytes[0] == UInt8(ascii: ";"),
            let issuer = Int(String(decoding: bytes[1...issuerDigits], as: UTF8.self))
        else { return false }
        return issuers.contains { $0.contains(issuer) }
    }
}

extension DrivingLicence.Expiry {
    init?(_ yearMonth: ArraySlice<UInt8>) {
        if let month = CardExpiry(yearMonth: yearMonth) {
            self = .month(month)
            return
        }
        let digits = yearMonth.map { Int($0) - Int(UInt8(ascii: "0")) }
        guard digits.count == 4 else { return nil }
        let year = 2000 + digits[0] * 10 + digits[1]
        switch digits[2] * 10 + digits[3] {
        case 77: self = .never
        case 88: self = .birthMonth(year: year)
        case 99: self = .birthday(year: year)
        default: return nil
        }
    }
}
