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

    /// Puts a licence together; nil where too little says that it is one.
    ///
    /// Track 2 with a licence's issuer and fields is enough. Where it has other fields, or could not be read, two signs have
    /// to come together, one of them track 1 or track 3 in a licence's form: the issuer, what the reader says, those tracks.
    /// - Parameter coding: what the reader says of the card.
    init?(_ tracks: [ReadTrack], coding: CardCoding? = nil) {
        let inClear = tracks.lazy.filter { !$0.isCovered }
        let track1 = inClear.first { $0.number != 3 && $0.bytes.first == UInt8(ascii: "%") }
        let track2 = inClear.first { $0.number != 3 && $0.bytes.first == UInt8(ascii: ";") }
        let issuer = track2.flatMap { LicenceTrack2.issuer(of: $0.bytes) }
        let second = track2.flatMap { LicenceTrack2($0.bytes) }
        let first = track1.flatMap { LicenceTrack1($0.bytes) }
        let third = inClear.first { $0.number == 3 }.flatMap { LicenceDetails($0.bytes) }
        // Track 2 with another issuer's number is another card, whatever its neighbours look like.
        guard issuer != nil || track2 == nil else { return nil }
        // Track 1 in a bank's form contradicts a licence number.
        if let track1, PaymentTrack(track1.bytes) != nil { return nil }
        let signs = [issuer != nil, coding == .aamva, first != nil, third != nil].count { $0 }
        guard second != nil || signs > 1 && (first != nil || third != nil) else { return nil }
        self.issuer = issuer
        if let second { take(second) }
        if let first { take(first) }
        details = third
    }

    /// A licence of which a reader covered everything.
    init() {}

    private mutating func take(_ track: LicenceTrack2) {
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

extension DrivingLicence.Expiry {
    init?(_ yearMonth: ArraySlice<UInt8>) {
        if let month = CardExpiry(yearMonth: yearMonth) {
            self = .month(month)
            return
        }
        guard yearMonth.count == CardExpiry.digits, let number = yearMonth.number else { return nil }
        let year = 2000 + number / 100
        switch number % 100 {
        case 77: self = .never
        case 88: self = .birthMonth(year: year)
        case 99: self = .birthday(year: year)
        default: return nil
        }
    }
}
