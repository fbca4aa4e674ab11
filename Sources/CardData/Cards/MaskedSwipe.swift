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
    private var hidesNumberStart = false
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
            if MaskedTrack.shows(track.numberStart, Self.secretsForNumber(of: track, others)) {
                shown[index]?.hideNumberStart()
                hidesNumberStart = hidesNumberStart || track.isOfCard
            }
            if MaskedTrack.shows(track.expiryAndCode, Self.secretsForCode(of: track, others)) {
                shown[index]?.hideServiceCode()
                hidesServiceCode = true
            }
        }
        texts = shown.map { $0?.text }
    }

    /// What an account number's first digits must not be a piece of: what hides in a name, and in a track with another number.
    private static func secretsForNumber(of track: MaskedTrack, _ others: [MaskedTrack]) -> Set<Int> {
        let own = track.ownNumber
        return others.reduce(track.secretsOfName(without: own)) { secrets, other in
            secrets.union(
                other.hasNumber(of: track) ? other.secretsOfName(without: own) : other.secrets(without: own))
        }
    }

    /// What an expiry date with a service code must not be a piece of: a number, a name, a text of no known kind.
    private static func secretsForCode(of track: MaskedTrack, _ others: [MaskedTrack]) -> Set<Int> {
        ([track] + others).reduce([]) { secrets, other in
            secrets.union(other.secretsOfNumber).union(other.secretsOfName(without: []))
                .union(other.secrets(without: [], ofUnknownKindAlone: true))
        }
    }

    /// A payment card's number; nil for any other card.
    public var number: String? {
        guard let pan = payment?.pan else { return nil }
        guard hidesNumberStart else { return pan.masked }
        let start = pan.masked.prefix { $0 != "*" }
        return String(repeating: "*", count: start.count) + pan.masked.dropFirst(start.count)
    }

    /// Whose card it is; nil where the digits that tell it are not shown.
    public var brand: CardBrand? { hidesNumberStart ? nil : payment?.pan.brand }

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
