/// A payment card (ISO/IEC 7813), put together from tracks 1 and 2.
public struct PaymentCard: Sendable, Hashable {
    /// The account number.
    public var pan: AccountNumber
    /// The last month of validity; nil where the card has none, or the tracks contradict each other.
    public var expiry: CardExpiry?
    /// What it may be used for; nil where the card has none, or a reader covered it.
    public var serviceCode: ServiceCode?
    /// Whose card it is, from track 1.
    public var name: CardholderName?
    /// Track 1's format code: `B` for banks, `A` for others; nil without track 1.
    public var formatCode: String?
    /// What track 3 says, where it is recorded by ISO/IEC 4909.
    public var thrift: ThriftTrack?

    /// A card with that account number.
    public init(pan: AccountNumber) { self.pan = pan }

    /// Puts a card together; nil where neither track is a payment track, or where they name two different accounts.
    init?(track1: ReadTrack?, track2: ReadTrack?, readerShows: AccountNumber.Shown) {
        let first = track1.flatMap { PaymentSide($0, readerShows: readerShows) }
        let second = track2.flatMap { PaymentSide($0, readerShows: readerShows) }
        guard let pan = Self.agreed(first, second) else { return nil }
        self.init(pan: pan)
        expiry = Self.agreed(first?.expiry, second?.expiry)
        serviceCode = Self.agreed(first?.serviceCode, second?.serviceCode)
        name = first?.name
        formatCode = first?.formatCode
    }

    /// The account number of both tracks. One read in clear says more than one that a reader covered, where both can be of
    /// one card.
    private static func agreed(_ first: PaymentSide?, _ second: PaymentSide?) -> AccountNumber? {
        guard let first, let second else { return first?.pan ?? second?.pan }
        if first.pan.isCoveredByReader != second.pan.isCoveredByReader {
            guard first.pan.canBe(second.pan) else { return nil }
            return first.pan.isCoveredByReader ? second.pan : first.pan
        }
        return first.pan == second.pan ? first.pan : nil
    }

    /// What both tracks say, or what the only one says; nothing where they contradict each other.
    private static func agreed<Field: Equatable>(_ first: Field?, _ second: Field?) -> Field? {
        guard let first, let second else { return first ?? second }
        return first == second ? first : nil
    }
}

/// What one track says about a payment card.
private struct PaymentSide {
    var pan: AccountNumber
    var expiry: CardExpiry?
    var serviceCode: ServiceCode?
    var name: CardholderName?
    var formatCode: String?

    init?(_ track: ReadTrack, readerShows: AccountNumber.Shown) {
        guard let fields = PaymentTrack(track.bytes, filler: track.filler) else { return nil }
        let characters = fields.numberCharacters
        let number =
            track.isCovered
            ? AccountNumber(coveredByReader: characters, shown: track.shows(readerShows))
            : AccountNumber(digits: characters)
        // A number of which nothing is shown may be anything.
        guard let number, number.masked.utf8.contains(where: \.isDigit) else { return nil }
        pan = number
        expiry = fields.expiry.flatMap { CardExpiry(yearMonth: fields.bytes[$0]) }
        // A reader that covers a number covers the service code too, with zeros if need be.
        serviceCode =
            track.isCovered ? nil : fields.serviceCode.flatMap { ServiceCode(digits: fields.bytes[$0]) }
        name = fields.name.flatMap { CardholderName(field: fields.bytes[$0]) }
        formatCode = fields.formatCode.map { String(Unicode.Scalar($0)) }
    }
}
