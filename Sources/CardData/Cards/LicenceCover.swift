/// Whether the tracks that an encrypting reader covered are a licence's.
///
/// Of track 2 such a reader leaves the ends of the number, whose first digits are the issuer's, the expiry and the date of
/// birth; of tracks 1 and 3 nothing (MagTek 99875475, properties 07 and 08, appendix E).
enum LicenceCover: Sendable, Hashable {
    /// The number is no licence's, or track 1 is a bank's.
    case none
    /// The digits that are left may be a licence's or a payment card's, and nothing else tells.
    case unsure
    /// A licence.
    case licence

    /// Fewer digits of an issuer's number say nothing: readers leave four.
    private static let leastDigits = 4

    /// - Parameters:
    ///   - readerShows: how many digits of the number are true where zeros cover the others.
    ///   - issuers: whose licence it may be.
    ///   - isAsSent: whether track 1 is as the reader sent it; covered by us, it tells nothing.
    init(
        track1: [UInt8]?, track2: [UInt8]?, readerShows: AccountNumber.Shown,
        issuers: [ClosedRange<Int>] = LicenceTrack2.issuers, isAsSent: Bool = true
    ) {
        self = .none
        guard let track2, track2.first == UInt8(ascii: ";") else { return }
        let number = track2.dropFirst().prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "?") }
        let filler = ReaderCover.filler(of: track2)
        let shown = filler == TrackMask.cover ? .most : readerShows
        let known = number.prefix(min(shown.leading, LicenceTrack2.issuerDigits)).prefix(while: \.isDigit)
        let hidden = number.dropFirst(known.count).dropLast(shown.trailing)
        guard known.count >= Self.leastDigits, LicenceTrack2.mayBe(known, of: issuers), !hidden.isEmpty,
            ReaderCover.isCovered(hidden), track1.map({ !Self.isBanks($0) }) ?? true
        else { return }
        let isLicence =
            known.count == LicenceTrack2.issuerDigits
            || isAsSent && track1.map(ReaderCover.isOpaque) == true
            || Self.showsBirth(track2[number.endIndex...])
        self = isLicence ? .licence : .unsure
    }

    private static func isBanks(_ track1: [UInt8]) -> Bool {
        !ReaderCover.isOpaque(track1)
            && PaymentTrack(track1, filler: ReaderCover.filler(of: track1)) != nil
    }

    /// Whether a date stands where a payment card has its service code, which is covered.
    private static func showsBirth(_ tail: ArraySlice<UInt8>) -> Bool {
        let date = tail.dropFirst(1 + CardExpiry.digits).prefix(8)
        guard date.count == 8, let number = date.number else { return false }
        let (month, day) = (number / 100 % 100, number % 100)
        return (18...20).contains(number / 1_000_000) && (1...31).contains(day)
            // Florida writes 99 where the month is that of the expiry.
            && ((1...12).contains(month) || month == 99)
    }
}

extension ReaderCover {
    /// Whether the texts that an encrypting reader shows are a licence's tracks in clear: it can be set to send them so
    /// (MagTek property 34).
    ///
    /// - Parameter texts: tracks 1 to 3, sentinels included; empty where there is none.
    public static func isLicenceInClear(_ texts: [[UInt8]]) -> Bool {
        guard texts.count == 3, LicenceTrack2(texts[1]) != nil,
            // Whatever else is in clear, zeros that cover a number are none (property 08 with `V`).
            LicenceCover(track1: nil, track2: texts[1], readerShows: .readerDefault) == .none
        else { return false }
        let alphanumeric = [
            (texts[0], LicenceTrack1(texts[0]) != nil), (texts[2], LicenceDetails(texts[2]) != nil),
        ]
        .filter { !$0.0.isEmpty }
        // Track 2 alone proves nothing: zeros that cover a number pass for its digits.
        return !alphanumeric.isEmpty
            && alphanumeric.allSatisfy { text, isLicences in isLicences && !isOpaque(text) }
    }
}

extension CardCoding {
    /// The coding that covered tracks have, where the reader does not name it.
    ///
    /// A licence's may show more than may be shown: its second track keeps the date of birth (``ReaderCover/opaque(_:)``).
    /// - Parameters:
    ///   - track1: as the reader sent it, sentinels included; nil where it sent none.
    ///   - track2: likewise.
    /// - Returns: ``aamva`` for a licence's; nil where nothing tells.
    public static func shown(byTrack1 track1: [UInt8]?, track2: [UInt8]?) -> CardCoding? {
        let cover = LicenceCover(
            track1: track1.map(ReaderCover.withUsualCover),
            track2: track2.map(ReaderCover.withUsualCover), readerShows: .readerDefault)
        return switch cover {
        case .licence: .aamva
        case .unsure, .none: nil
        }
    }
}
