/// A swipe as a masked view shows it: the one rule of what a card's tracks, its name and its fields may show.
///
/// Shown are the account number's first six and last four digits, the expiry date, the service code, the name's letters and
/// signs, a licence's issuer and the frame of every text; `docs/card-data.md` states it as a property. What one track shows may be
/// what another hides: a second number that begins in the middle of the first, an expiry date and a service code that are a piece
/// of it. So the tracks are looked at together, and of five such digits in a row nothing is shown.
public struct MaskedSwipe: Sendable {
    /// The text of each track as it may be shown, in the order of the readings; nil where there is none.
    public let texts: [String?]
    /// The card.
    public let card: Card?
    /// How many digits at the number's start are shown at most.
    private var numberStart = AccountNumber.Shown.most.leading
    private var hidesServiceCode = false

    /// - Parameters:
    ///   - tracks: what a swipe gave.
    ///   - card: what was recognised in them.
    public init(_ tracks: [TrackReading], card: Card?) {
        self.card = card
        let all = tracks.map(MaskedTrack.init)
        let read = all.indices.filter { all[$0] != nil }
        var shown = all
        for index in read {
            guard let track = all[index] else { continue }
            let others = read.filter { $0 != index }.compactMap { all[$0] }
            let start = Self.start(of: track, others)
            shown[index]?.hideNumberStart(butFor: start)
            if track.isOfCard { numberStart = min(numberStart, start) }
            if Self.hidesServiceCode(of: track, others) { shown[index]?.hideServiceCode() }
        }
        hidesServiceCode = shown.contains { $0?.hidesServiceCode == true }
        texts = shown.map { $0?.text }
    }

    /// How many of an account number's first digits are shown: none where they are a piece of what hides in a name, in the data
    /// behind a number, or in a track with another number; less than a run where a reader covered such a track, and they may be
    /// one; no more than another track shows of the same number.
    private static func start(of track: MaskedTrack, _ others: [MaskedTrack]) -> Int {
        let (start, own) = (track.numberStart, track.ownNumber)
        let most = AccountNumber.Shown.most.leading
        guard start.count >= MaskedTrack.secretRun else { return most }
        let twins = others.filter { $0.hasNumber(of: track) }
        let strangers = others.filter { !$0.hasNumber(of: track) }
        let isPiece =
            ([track] + others).contains { MaskedTrack.shows(start, $0.secretsOfName(without: own)) }
            || ([track] + twins).contains { MaskedTrack.shows(start, $0.secretsOfData) }
            || strangers.contains { MaskedTrack.shows(start, $0.secrets(without: own)) }
        if isPiece { return 0 }
        let least = twins.map(\.numberStart.count).min() ?? most
        let mayBePiece =
            strangers.contains(where: \.hidesUnknownDigits) || isAmongMasked(track, others)
        return min(least, mayBePiece ? MaskedTrack.secretRun - 1 : most)
    }

    /// Whether expiry date and service code together are a piece of a number, of a name, of the data behind a number or of a text of
    /// no known kind, or may be one.
    private static func hidesServiceCode(of track: MaskedTrack, _ others: [MaskedTrack]) -> Bool {
        let shown = track.expiryAndCode
        guard shown.count >= MaskedTrack.secretRun else { return false }
        return isAmongMasked(track, others)
            || ([track] + others).contains { other in
                MaskedTrack.shows(shown, other.secretsOfNumber)
                    || MaskedTrack.shows(shown, other.secretsOfName(without: []))
                    || MaskedTrack.shows(shown, other.secretsOfData)
                    || MaskedTrack.shows(shown, other.secretsOfUnknownKind)
            }
    }

    /// Whether a track in clear stands among tracks that a reader masked, of which nobody knows what they hide.
    private static func isAmongMasked(_ track: MaskedTrack, _ others: [MaskedTrack]) -> Bool {
        !track.isCoveredByReader && others.contains(where: \.isCoveredByReader)
    }

    /// A payment card's number; nil for any other card.
    public var number: String? {
        guard let pan = payment?.pan else { return nil }
        let start = pan.masked.prefix { $0 != "*" }
        let hidden = max(start.count - numberStart, 0)
        return start.dropLast(hidden) + String(repeating: "*", count: hidden)
            + pan.masked.dropFirst(start.count)
    }

    /// Whose card it is; nil where the digits that tell it are not shown.
    public var brand: CardBrand? {
        guard let pan = payment?.pan, numberStart < AccountNumber.Shown.most.leading else {
            return payment?.pan.brand
        }
        return CardBrand.of(leadingDigits: Array(pan.masked.utf8.prefix(numberStart)), length: pan.length)
    }

    /// The month after whose end a payment card is not valid any more.
    public var expiry: CardExpiry? { payment?.expiry }

    /// What a payment card may be used for.
    public var serviceCode: ServiceCode? { hidesServiceCode ? nil : payment?.serviceCode }

    /// The name, where it is one.
    public var name: SensitiveText? { payment?.name?.masked }

    private var payment: PaymentCard? {
        if case .payment(let payment)? = card { payment } else { nil }
    }
}
