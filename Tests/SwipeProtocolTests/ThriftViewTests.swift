import CardData
import Testing

@testable import SwipeProtocol

/// Track 3 of a payment card (ISO/IEC 4909) in both views.
@Suite struct ThriftViewTests {
    private static func card(track3: String) throws -> Card {
        let texts = [(2, ";5452300551227189=080432100000007250?"), (3, track3)]
        return try #require(
            Card.recognise(
                texts.map { TrackReading(track: $0.0, outcome: .read(SensitiveText($0.1))) }))
    }

    private static func fields(_ info: CardInfo) -> [String] {
        info.fields.map { "\($0.name) \($0.value.reveal())" }
    }

    @Test func theFullViewHasItsFields() throws {
        let card = try Self.card(track3: ";005452300551227189=7249782000000000000003=100000027121===1=?")
        #expect(
            Self.fields(CardInfo(full: card)) == [
                "track3_format 00", "track3_number 5452300551227189", "track3_country 724",
                "track3_currency 978", "track3_expiry 2712", "track3_sequence 1",
            ])
        #expect(CardInfo(masked: MaskedSwipe([], card: card))?.fields.isEmpty == true)
        #expect(CardInfo(full: card).expiry == "0804")
    }

    /// What a separator stands for is left out.
    @Test func leavesOutWhatIsMissing() throws {
        let card = try Self.card(track3: ";015452300551227189===2000000000000003=1000000=1===1=?")
        #expect(
            Self.fields(CardInfo(full: card)) == [
                "track3_format 01", "track3_number 5452300551227189", "track3_sequence 1",
            ])
    }

    @Test func anotherLayoutHasNone() throws {
        let card = try Self.card(track3: ";105452300551227189=7249782000000000000003=100000027121===1=?")
        #expect(CardInfo(full: card).fields.isEmpty)
    }
}
