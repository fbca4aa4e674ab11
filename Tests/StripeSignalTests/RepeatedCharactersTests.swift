import Testing

@testable import StripeSignal

/// Where a text repeats itself, nothing tells how often it does.
@Suite struct RepeatedCharactersTests {
    /// `|`: where the stretches meet, before the character that follows.
    @Test(arguments: [
        ("61500|0431", true), ("6150|00431", true), ("615|000431", true), ("615000|431", true),
        ("6150004|31", false), ("61|5000431", false), ("6150|0431", false), ("9943|33", true),
        ("7451|451451", true), ("74514|5133", false), ("12|121", true), ("12|12", false),
        ("1|", false), ("|1", false), ("12345678|", false), ("|000", true), ("000|", true),
    ])
    func isToldWhereItDoes(text: String, repeats: Bool) {
        let place = text.split(separator: "|", omittingEmptySubsequences: false)[0].count
        let bytes = text.utf8.filter { $0 != UInt8(ascii: "|") }
        #expect(RepeatedCharacters.surround(place, in: bytes) == repeats)
    }

    @Test func nowhereInNothing() {
        for place in [-5, 0, 3] { #expect(!RepeatedCharacters.surround(place, in: [])) }
    }
}
