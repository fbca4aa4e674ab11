import CardData
import Testing

/// Tracks that contradict each other show of their digits the expiry date and the last four of the card's own number.
@Suite struct ContradictionTests {
    private static let track1 = "%B4266841088889999^DOE/JOHN^2712101?"
    private static let track2 = ";4266841088889999=2712101?"
    private static let track3 = ";5163499080020445=000000000000?"

    private static func swipe(_ texts: [String], isEncrypted: Bool = false) -> MaskedSwipe {
        let readings = texts.enumerated().map { index, text in
            TrackReading(
                track: index + 1, outcome: isEncrypted ? .encrypted(masked: text) : .read(SensitiveText(text))
            )
        }
        return MaskedSwipe(readings, card: Card.recognise(readings))
    }

    @Test func whatAgreesIsShown() {
        let swipe = Self.swipe([Self.track1, Self.track2, Self.track3])
        #expect(
            swipe.texts == [
                "%B426684******9999^DOE/JOHN^2712101?", ";426684******9999=2712101?",
                ";516349******0445=************?",
            ])
        #expect(swipe.number == "426684******9999" && swipe.brand == .visa)
        #expect(swipe.serviceCode?.digits == "101" && swipe.expiry?.yearMonth == "2712")
    }

    @Test func ofTwoNumbersNothingIsShown() {
        let swipe = Self.swipe([Self.track1, ";5452300551227189=2712101?", Self.track3])
        #expect(
            swipe.texts == [
                "%B****************^DOE/JOHN^2712***?", ";****************=2712***?",
                ";****************=************?",
            ])
    }

    /// A second number in the data, in whose middle the first one's beginning stands; an expiry date and a service code that are a
    /// piece of the number; a number of track 3's own whose end stands in the card's, and one that hides the card's end.
    @Test(
        arguments: [
            ([";4266841088889999=27121013942668412345?"], [";************9999=2712****************?"]),
            ([";4266842712108888=2712101?"], [";************8888=2712***?"]),
            (
                [track1, track2, ";5163499080020888=0000?"],
                [
                    "%B************9999^DOE/JOHN^2712***?", ";************9999=2712***?",
                    ";****************=****?",
                ]
            ),
            (
                [track1, track2, ";5163499999020446=0000?"],
                [
                    "%B************9999^DOE/JOHN^2712***?", ";************9999=2712***?",
                    ";****************=****?",
                ]
            ),
        ])
    func whatContradictsShowsLittle(texts: [String], shown: [String]) {
        let swipe = Self.swipe(texts)
        #expect(swipe.texts == shown)
        #expect(swipe.number?.hasPrefix("************") == true)
        #expect(swipe.brand == nil && swipe.serviceCode == nil && swipe.expiry?.yearMonth == "2712")
    }

    /// What a reader masked with zeros is passed on: they are no digits that could be hidden.
    @Test func fillersStay() {
        let texts = [
            "%B5452000000007189^HOGAN/PAUL      ^08040000000000000000000?",
            ";5452000000007189=080400000000000000?", ";5163000050000445=000000000000?",
        ]
        #expect(Self.swipe(texts, isEncrypted: true).texts == texts)
    }

    /// Seven digits in the place of expiry date and service code may begin a second number.
    @Test(arguments: [
        ("2712837", "2712***"), ("2712101", "2712101"), ("4112101", "4112***"), ("0804321", "0804321"),
    ])
    func aServiceCodeWithoutAMeaning(digits: String, shown: String) {
        let swipe = Self.swipe([";4266841088889999=\(digits)00000000?"])
        #expect(swipe.texts == [";426684******9999=\(shown)********?"])
    }
}
