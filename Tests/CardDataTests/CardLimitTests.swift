import CardData
import Testing

/// The limits of what is taken for a track and for a card, each by the first value beyond it.
@Suite struct CardLimitTests {
    @Test(arguments: [(26, "payment"), (27, "other")]) func names(length: Int, kind: String) {
        let name = String(repeating: "A", count: length)
        let card = Card.recognise([CardReadings.reading(1, "%B4111111111111111^\(name)^2712101?")])
        #expect(card?.kind == kind)
    }

    /// A bank's first track beside a licence number: one of the two is no such card.
    @Test func aBankTrackIsNoLicence() {
        let licence = CardReadings.reading(2, ";6360140123456789=251219800131?")
        #expect(Card.recognise([licence])?.kind == "aamva")
        let bank = CardReadings.reading(1, "%B4111111111111111^DOE/JOHN^2712101?")
        #expect(Card.recognise([bank, licence])?.kind != "aamva")
    }

    /// Codes in use begin with 0; behind any other stand other fields.
    @Test(arguments: [("00", true), ("02", true), ("10", false)]) func track3(format: String, isRead: Bool)
        throws
    {
        let card = try CardReadings.payment([
            CardReadings.reading(2, CardReadings.track2),
            CardReadings.reading(3, ";\(format)5452300551227189=7249782000000000000003=100000027121===1=?"),
        ])
        #expect((card.thrift != nil) == isRead)
    }
}
