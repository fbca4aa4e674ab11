/// A card, as far as its tracks tell.
///
/// Its large values are `indirect`: copies of them from one stage to the next took a sixth of the way from a report to its line.
public enum Card: Sendable, Hashable {
    /// A payment card (ISO/IEC 7813).
    indirect case payment(PaymentCard)
    /// A North American driving licence or identity card (AAMVA).
    indirect case licence(DrivingLicence)
    /// A Japanese card (JIS X 6302 type II).
    indirect case jis2(JISCard)
    /// Readable, of no format that is known here.
    case other
}

extension Card {
    /// The name of the kind on the wire.
    public var kind: String {
        switch self {
        case .payment: "payment"
        case .licence: "aamva"
        case .jis2: "jis2"
        case .other: "other"
        }
    }

    /// The name of the format on the wire; nil for cards of no known format.
    public var format: String? {
        switch self {
        case .payment: "iso7813"
        case .licence: "aamva"
        case .jis2: "jisx6302"
        case .other: nil
        }
    }

    /// Tells what card these tracks make; nil when none of them gave a text.
    ///
    /// Tracks that contradict each other make no card: two account numbers are ``other``, since nobody can tell
    /// which of them is right.
    /// - Parameters:
    ///   - tracks: what a swipe gave, in any order.
    ///   - readerShows: how many digits of an account number an encrypting reader leaves uncovered.
    ///   - coding: what the reader says of the card's coding. It decides where the tracks do not tell: they are covered, or
    ///     could be a licence's.
    public static func recognise(
        _ tracks: [TrackReading], readerShows: AccountNumber.Shown = .readerDefault, coding: CardCoding? = nil
    ) -> Card? {
        let read = tracks.made(ReadTrack.init)
        guard !read.isEmpty else { return nil }
        if let jis = read.lazy.compactMap(JISCard.init).first { return .jis2(jis) }
        if let licence = DrivingLicence(read, coding: coding) { return .licence(licence) }
        if coding == .aamva, read.contains(where: \.isCovered) { return .licence(DrivingLicence()) }
        let track1 = read.first { $0.number != 3 && $0.bytes.first == UInt8(ascii: "%") }
        let track2 = read.first { $0.number != 3 && $0.bytes.first == UInt8(ascii: ";") }
        switch cover(track1, track2, readerShows, coding) {
        case .licence: return .licence(DrivingLicence())
        case .unsure: return .other
        case .none: break
        }
        guard mayBePayment(track1, track2, coding),
            var payment = PaymentCard(track1: track1, track2: track2, readerShows: readerShows)
        else { return .other }
        payment.thrift = read.first { $0.number == 3 }.flatMap(ThriftTrack.init)
        return .payment(payment)
    }

    /// What a covered track 2 tells. A reader that says that the card is a bank's knows the whole number, and most of the
    /// issuers of licences.
    private static func cover(
        _ track1: ReadTrack?, _ track2: ReadTrack?, _ readerShows: AccountNumber.Shown, _ coding: CardCoding?
    ) -> LicenceCover {
        guard let track2, track2.isCovered else { return .none }
        // We cover with `*` what a reader sends of a track 1 of no known form. What it covered itself tells by `coding`.
        return LicenceCover(
            track1: track1?.bytes, track2: track2.bytes, readerShows: readerShows,
            issuers: coding == .iso ? LicenceTrack2.issuersUnknownToReaders : LicenceTrack2.issuers,
            isAsSent: track1?.bytes.contains(TrackMask.cover) != true)
    }

    /// Whether nothing says that this is a licence. No payment card has the number of an issuer of licences. What a reader
    /// calls a licence only because track 3 is in track 1's form may be a bank's card: then its first track says so.
    private static func mayBePayment(_ track1: ReadTrack?, _ track2: ReadTrack?, _ coding: CardCoding?)
        -> Bool
    {
        if let track2, !track2.isCovered, LicenceTrack2.issuer(of: track2.bytes) != nil { return false }
        return coding != .aamva || track1.map { PaymentTrack($0.bytes) != nil } == true
    }
}

/// What a reader says of a card's coding.
public enum CardCoding: Sendable, Hashable {
    /// Every track in its ISO/IEC 7811 form.
    case iso
    /// A driving licence (AAMVA).
    case aamva
}
