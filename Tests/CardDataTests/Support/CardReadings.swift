import CardData

/// Readings of tracks, and the cards that they are.
enum CardReadings {
    static let track2 = ";5452300551227189=080432100000007250?"

    static func reading(_ track: Int, _ text: String) -> TrackReading {
        TrackReading(track: track, outcome: .read(SensitiveText(text)))
    }

    static func payment(_ readings: [TrackReading]) throws -> PaymentCard {
        guard case .payment(let card)? = Card.recognise(readings) else { throw NotAPaymentCard() }
        return card
    }

    struct NotAPaymentCard: Error {}
}
