import CardData
import Testing

@testable import SwipeProtocol

/// What a UnifiedPOS MSR asks of a card.
@Suite struct CardPropertyTests {
    private static func readings(_ texts: [Int: String]) -> [TrackReading] {
        texts.sorted { $0.key < $1.key }.map {
            TrackReading(track: $0.key, outcome: .read(SensitiveText($0.value)))
        }
    }

    private static func properties(_ texts: [Int: String]) throws -> [String: String] {
        let card = try #require(Card.recognise(readings(texts)))
        let fields = CardInfo(full: card).properties
        return Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.value.reveal()) })
    }

    /// UPOS 1.12, `CardPropertyList`.
    @Test func thereAreTwentyTwoNames() {
        let names = CardProperty.allCases.map(\.rawValue)
        #expect(names.count == 22)
        #expect(names == names.sorted())
    }

    @Test func aBanksCard() throws {
        let found = try Self.properties([
            1: "%B4111111111111111^VAN DOE JR/JOHN QUINCY.MR^0804321000?",
            2: ";4111111111111111=0804321000?",
        ])
        #expect(
            found == [
                "AccountNumber": "4111111111111111", "ExpirationDate": "0804", "FirstName": "JOHN",
                "MiddleInitial": "Q", "ServiceCode": "321", "Suffix": "JR", "Surname": "VAN DOE",
                "Title": "MR",
            ])
    }

    @Test func aLicence() throws {
        let found = try Self.properties([
            1: "%TXAUSTIN^DOE$JOHN$CARL$JR^12345 SHERBOURNE ST$APT 4^?",
            2: ";63601538774194=150819810101?", 3: "%\" 78729      C               1505130BLKBLK?",
        ])
        #expect(
            found == [
                "Address": "12345 SHERBOURNE ST APT 4", "BirthDate": "19810101", "City": "AUSTIN",
                "Class": "C",
                "ExpirationDate": "1508", "EyeColor": "BLK", "FirstName": "JOHN", "Gender": "1",
                "HairColor": "BLK", "Height": "505", "LicenseNumber": "38774194", "MiddleInitial": "C",
                "PostalCode": "78729", "State": "TX", "Suffix": "JR", "Surname": "DOE", "Weight": "130",
            ])
    }

    /// A masked view has none of them.
    @Test func noneWhereAnythingIsMasked() throws {
        let readings = Self.readings([2: ";4111111111111111=0804321000?"])
        let card = try #require(Card.recognise(readings))
        let masked = try #require(CardInfo(masked: MaskedSwipe(readings, card: card)))
        #expect(masked.properties.isEmpty)
        #expect(
            SwipeData(card: CardInfo(kind: .other, properties: CardInfo(full: card).properties), tracks: [])
                .isSensitive)
    }

    /// What follows the service code, on a payment card's tracks alone.
    @Test func discretionaryData() throws {
        let readings = Self.readings([
            1: "%B4111111111111111^DOE/JOHN^0804321000123?", 2: ";4111111111111111=0804321456?",
            3: ";011234567890?",
        ])
        let card = Card.recognise(readings)
        #expect(
            readings.map { $0.discretionaryData(of: card)?.reveal() } == ["000123", "456", nil])
        #expect(readings.allSatisfy { $0.discretionaryData(of: .other) == nil })
        let bare = Self.readings([2: ";4111111111111111=0804321?"])
        #expect(bare[0].discretionaryData(of: Card.recognise(bare)) == nil)
    }
}
