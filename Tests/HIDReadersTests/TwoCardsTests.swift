import Captures
import Testing

@testable import HIDReaders

/// Texts in which a pause or an end between two cards was lost never become one card; test numbers of brands.
@Suite struct TwoCardsTests {
    private static let discover = ";6011000990139424=2701101987654321?"
    private static let amex = ";378282246310005=2701101987660328?"
    private static let visa = "%B4111111111111111^TEST/CARD^2701101987654321?"

    private func numbers(_ text: String) -> [[String]] {
        FoundCaptures.found(Array(text.utf8)).map {
            MagTekReports.clearTexts($0.swipe).filter { !$0.isEmpty }
        }
    }

    @Test func aTrackALine() {
        let both = [[Self.discover], [Self.amex]]
        #expect(numbers(Self.discover + "\r" + Self.amex + "\r") == both)
        #expect(
            numbers(Self.visa + "\r" + Self.discover + "\r" + Self.amex) == [
                [Self.visa, Self.discover], [Self.amex],
            ])
        #expect(numbers(Self.visa + "\r" + Self.visa + "\r") == [[Self.visa], [Self.visa]])
        // The third track of one card begins as a second one does, with the format's two digits in front of the number.
        let third = ";016011000990139424=84084012345678901234567890?"
        #expect(numbers(Self.discover + "\r" + third + "\r") == [[Self.discover, third]])
        // Format 00 leaves Luhn right, and a country's 840 and 840 look like a month.
        for format in ["00", "01", "02"] {
            let thrift = ";" + format + "4111111111111111=840840000000000000000000?"
            #expect(
                numbers(Self.visa + "\r" + Self.discover + "\r" + thrift + "\r") == [
                    [Self.visa, Self.discover, thrift]
                ])
            #expect(
                numbers(Self.visa + Self.discover + thrift + "\r") == [[Self.visa, Self.discover, thrift]])
        }
    }

    @Test(arguments: [
        ";6011000990139424=2701101987" + amex, "%B4111111111111111^TEST/CARD^27011" + visa,
        "%B4111111111111111^TEST/CARD^27011" + amex,
    ]) func aTrackWithinATrack(text: String) {
        #expect(throws: MagTekStream.Refusal.self) { try MagTekStream(Array(text.utf8)) }
    }
}
