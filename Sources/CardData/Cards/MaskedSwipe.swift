/// A swipe as a masked view shows it: the one rule of what a card's tracks, its name and its fields may show.
///
/// Shown are the account number's first six and last four digits, the expiry date, the service code, the name's letters and
/// signs, a licence's issuer and the frame of every text, and less where the tracks contradict each other
/// (``TrackAgreement``); `docs/card-data.md` states it as a property.
public struct MaskedSwipe: Sendable {
    /// The text of each track as it may be shown, in the order of the readings; nil where there is none.
    public let texts: [String?]
    /// The card.
    public let card: Card?
    private let agreement: TrackAgreement
    private let hidesServiceCode: Bool

    /// A run of a card's digits this long is never shown beyond the places that may be shown.
    package static let secretRun = 5

    /// - Parameters:
    ///   - tracks: what a swipe gave.
    ///   - card: what was recognised in them.
    public init(_ tracks: [TrackReading], card: Card?) {
        self.card = card
        var shown = tracks.map(MaskedTrack.init)
        agreement = TrackAgreement(shown)
        for index in shown.indices { shown[index].show(by: agreement) }
        hidesServiceCode = shown.contains { $0.hidesServiceCode }
        texts = shown.map(\.text)
        number = Self.payment(card).map { [agreement] in Self.number($0.pan.masked, agreement) }
    }

    /// A payment card's number; nil for any other card.
    public let number: String?

    /// Digits and asterisks: each is one byte.
    private static func number(_ masked: String, _ agreement: TrackAgreement) -> String {
        let bytes = Array(masked.utf8)
        let start = bytes.prefix { $0 != TrackMask.cover }.prefix(agreement.numberStart)
        let end =
            agreement.own == nil ? [] : bytes.drop { $0 != TrackMask.cover }.drop { $0 == TrackMask.cover }
        let covered = start.endIndex..<(bytes.count - end.count)
        return String(count: bytes.count) { covered.contains($0) ? TrackMask.cover : bytes[$0] }
    }

    /// Whose card it is, as the digits that are shown tell.
    public var brand: CardBrand? {
        guard let number = number?.utf8 else { return nil }
        return CardBrand.of(leadingDigits: Array(number.prefix(while: \.isDigit)), length: number.count)
    }

    /// The month after whose end a payment card is not valid any more.
    public var expiry: CardExpiry? { payment?.expiry }

    /// What a payment card may be used for.
    public var serviceCode: ServiceCode? { hidesServiceCode ? nil : payment?.serviceCode }

    /// The name, where it is one.
    public var name: SensitiveText? { payment?.name?.masked }

    private var payment: PaymentCard? { Self.payment(card) }

    private static func payment(_ card: Card?) -> PaymentCard? {
        if case .payment(let payment)? = card { payment } else { nil }
    }
}
