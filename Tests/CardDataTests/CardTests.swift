import CardData
import Testing

/// Cards from published test tracks (`docs/card-data.md` names the sources).
@Suite struct CardTests {
    static let track1 = "%B5452300551227189^HOGAN/PAUL      ^08043210000000725000000?"

    @Test func readsAPaymentCardFromBothTracks() throws {
        let card = try CardReadings.payment([
            CardReadings.reading(1, Self.track1), CardReadings.reading(2, CardReadings.track2),
        ])
        #expect(card.pan.masked == "545230******7189")
        #expect(card.pan.reveal() == "5452300551227189")
        #expect(card.pan.length == 16)
        #expect(card.pan.passesLuhn == false)
        #expect(card.pan.brand == .mastercard)
        #expect(card.expiry?.yearMonth == "0804")
        #expect(card.serviceCode?.digits == "321")
        #expect(card.name?.text.reveal() == "HOGAN/PAUL")
        #expect(card.formatCode == "B")
    }

    @Test(arguments: [1, 2]) func oneTrackIsEnough(track: Int) throws {
        let card = try CardReadings.payment([
            CardReadings.reading(track, track == 1 ? Self.track1 : CardReadings.track2),
            TrackReading(track: 3 - track, outcome: .refused(.parity(atBit: 7))),
        ])
        #expect(card.pan.masked == "545230******7189")
        #expect(card.expiry?.yearMonth == "0804")
        #expect((card.name == nil) == (track == 2))
    }

    @Test func nothingReadableIsNoCard() {
        let refused = (1...3).map { TrackReading(track: $0, outcome: .refused(.malformed)) }
        #expect(Card.recognise(refused) == nil)
        #expect(Card.recognise([]) == nil)
        #expect(Card.recognise([TrackReading(track: 1, outcome: .empty)]) == nil)
    }

    @Test func twoAccountsMakeNoPaymentCard() {
        let other = CardReadings.reading(2, ";4761730000000011=24122011303130600000?")
        #expect(Card.recognise([CardReadings.reading(1, Self.track1), other]) == .other)
    }

    @Test func aContradictedFieldIsLeftOut() throws {
        let card = try CardReadings.payment([
            CardReadings.reading(1, Self.track1),
            CardReadings.reading(2, ";5452300551227189=090432100000007250?"),
        ])
        #expect(card.expiry == nil)
        #expect(card.serviceCode?.digits == "321")
    }

    @Test(
        arguments: [
            (";4111111111111111==?", nil, nil), (";4111111111111111=2712=?", "2712", nil),
            (";4111111111111111==101?", nil, "101"), (";4111111111111111=2712101?", "2712", "101"),
            ("%B4111111111111111^DOE/JOHN^^101?", nil, "101"),
        ] as [(String, String?, String?)])
    func missingFields(text: String, expiry: String?, service: String?) throws {
        let card = try CardReadings.payment([CardReadings.reading(text.hasPrefix("%") ? 1 : 2, text)])
        #expect(card.expiry?.yearMonth == expiry)
        #expect(card.serviceCode?.digits == service)
    }

    @Test(arguments: [
        ";12345=67?", ";1234567890123?", ";4111111111111111=2713101?", "%C4111111111111111^A^2712?", "%B^^?",
        ";?",
        "%?", "?", "", ";;;;", ";41111111111111111111=2712101?",
    ])
    func otherTracksAreNoPaymentCards(text: String) {
        #expect(Card.recognise([CardReadings.reading(2, text)]) == .other)
    }

    @Test(arguments: [
        ("%B5452000000007189^HOGAN/PAUL      ^08040000000000000000000?", 1),
        (";5452000000007189=080400000000000000?", 2),
        ("%*4761********0011^UAT USA/TEST CARD 01      ^2412***************************?*", 1),
        (";4761********0011=2412****************?*", 2), (";5163000050000445=000000000000?", 3),
        (";4111********1111=1912?*", 2),
    ])
    func whatAReaderCoveredStaysAsItIs(text: String, track: Int) {
        #expect(TrackReading(track: track, outcome: .encrypted(masked: text)).masked == text)
    }

    @Test func aCoveredNumberClaimsNothing() throws {
        let card = try CardReadings.payment([
            TrackReading(
                track: 1,
                outcome: .encrypted(masked: "%B5452000000007189^HOGAN/PAUL      ^08040000000000000000000?")),
            TrackReading(track: 2, outcome: .encrypted(masked: ";5452000000007189=080400000000000000?")),
        ])
        #expect(card.pan.masked == "5452********7189")
        #expect(card.pan.reveal() == nil)
        #expect(card.pan.passesLuhn == nil)
        #expect(card.pan.brand == .mastercard)
        #expect(card.expiry?.yearMonth == "0804")
        #expect(card.serviceCode == nil)
        #expect(card.name?.text.reveal() == "HOGAN/PAUL")
    }

    /// One `*` that is not the account number's does not make digits of the zeros that cover it.
    @Test(arguments: [
        "%B5452000000007189^HOGAN*PAUL      ^08040000000000000000000?",
        "%B5452000000007189^HOGAN/PAUL^0804000*000?",
    ])
    func aStarElsewhereUncoversNothing(text: String) throws {
        let card = try CardReadings.payment([TrackReading(track: 1, outcome: .encrypted(masked: text))])
        #expect(card.pan.masked == "5452********7189")
    }

    /// Zeros with a broken one among them are no digits either.
    @Test func aStarAmongZerosMakesNoCard() {
        let track = TrackReading(
            track: 2, outcome: .encrypted(masked: ";54520000*0007189=080400000000000000?"))
        #expect(Card.recognise([track]) == .other)
    }

    /// A track in clear beside one that a reader covered: one card, or none.
    @Test(arguments: [
        (";4266********9999=0809*************?", true), (";5555********1111=0809*************?", false),
    ])
    func aClearAndACoveredTrackAreOfOneCard(covered: String, isOne: Bool) {
        let text = SensitiveText("%B4266841088889999^HOGAN/PAUL^080910110000046?")
        let card = Card.recognise([
            TrackReading(track: 1, outcome: .read(text)),
            TrackReading(track: 2, outcome: .encrypted(masked: covered)),
        ])
        if case .payment(let payment)? = card {
            #expect(isOne && payment.pan.masked == "426684******9999")
        } else {
            #expect(!isOne && card == .other)
        }
    }

    /// A text of which a reader covered everything is of no known kind.
    @Test func nothingButCoversIsNoPaymentCard() {
        let track = TrackReading(
            track: 2, outcome: .encrypted(masked: ";****************=*****************?"))
        #expect(Card.recognise([track]) == .other)
    }

    /// What follows a missing expiry is at no known place: it may be a card verification value, and is not shown.
    @Test(arguments: [
        (2, ";4266841088889999=123?", ";426684******9999=***?"),
        (2, ";4266841088889999=1?", ";426684******9999=*?"),
        (1, "%B4266841088889999^HOGAN/PAUL^123A4567?", "%B426684******9999^HOGAN/PAUL^********?"),
    ])
    func noServiceCodeWithoutAnExpiry(_ track: Int, _ text: String, _ masked: String) throws {
        let reading = TrackReading(track: track, outcome: .read(SensitiveText(text)))
        #expect(reading.masked == masked)
        #expect(try CardReadings.payment([reading]).serviceCode == nil)
    }

    /// Readers can be set to any filler; the name may hold the same letter.
    @Test(arguments: ["X", "#", "A"]) func anotherFillerIsPassedOnAsTheUsualOne(filler: String) throws {
        let texts = [
            "%B5452????????7189^HOXAN/PAUL      ^0804???????????????????",
            ";5452????????7189=0804??????????????",
        ]
        let tracks = texts.enumerated().map { index, text in
            let shown = text.replacing("?", with: filler) + "?"
            return TrackReading(
                track: index + 1,
                outcome: .encrypted(masked: ReaderCover.checked(shown.utf8, track: index + 1)))
        }
        #expect(tracks.map(\.masked) == texts.map { $0.replacing("?", with: "*") + "?" })
        let card = try CardReadings.payment(tracks)
        #expect(card.pan.masked == "5452********7189")
        #expect(card.name?.text.reveal() == "HOXAN/PAUL")
        // Too few to be a filler, and a letter among zeros: nothing is shown.
        #expect(ReaderCover.checked(";54523005XXX7189=0804?".utf8, track: 2) == ";***************=****?")
        #expect(ReaderCover.checked(";5452000X00007189=0804?".utf8, track: 2) == ";****************=****?")
    }

    /// The format code is covered as well (ID TECH), whatever of the number is left.
    @Test(arguments: ["4761********0011", "476173******0011", "476173**********", "************0011"])
    func aCoveredFormatCode(number: String) {
        let text = "%*" + number + "^UAT USA/TEST CARD 01      ^2412***************************?*"
        #expect(ReaderCover.checked(text.utf8, track: 1) == text)
    }

    /// Zeros of the number itself, which the reader did not cover.
    @Test(arguments: ["4761730000000011", "38520000023237"])
    func zerosBesideAnotherCoverAreDigits(number: String) {
        let text = ";" + number + "=2412****************?*"
        let covered = ";" + String(repeating: "*", count: number.count) + "=********************?*"
        #expect(ReaderCover.checked(text.utf8, track: 2) == covered)
    }

    /// MagTek's property 0x07 with `V`: the number covered with zeros, and all behind it in clear. Zeros are no digits of it, nor is
    /// the one that keeps the check sum true.
    @Test(arguments: [
        (
            1, "%B5452000000007189^HOGAN/PAUL      ^08043210000000725000000?",
            "%B5452********7189^HOGAN/PAUL      ^0804*******************?"
        ),
        (2, ";5452000000007189=080432100000007250?", ";5452********7189=0804**************?"),
        (2, ";4761000005000011=24122011303130600000?", ";4761********0011=2412****************?"),
        (3, ";5163000050000445=000000000000123?", ";5163********0445=***************?"),
        (3, ";015163000050000445=724724000000000003=1=?", ";**5163********0445=******************=*=?"),
    ])
    func zerosInFrontOfATextInClear(track: Int, text: String, shown: String) throws {
        let covered = ReaderCover.checked(text.utf8, track: track)
        #expect(covered == shown)
        let reading = TrackReading(track: track, outcome: .encrypted(masked: covered))
        #expect(reading.masked == shown)
        guard track < 3 else { return }
        let pan = try CardReadings.payment([reading]).pan
        #expect(pan.masked == String(shown.drop { !$0.isNumber }.prefix(16)) && pan.isCoveredByReader)
    }

    /// A reader that has told that it leaves six digits, or two.
    @Test(arguments: [
        (6, ";545230******7189=0804**************?"), (2, ";54************89=0804**************?"),
    ])
    func digitsThatAReaderLeaves(count: Int, shown: String) {
        let text = ";5452300000007189=080432100000007250?"
        let setting = AccountNumber.Shown(leading: count, trailing: count)
        #expect(ReaderCover.checked(text.utf8, track: 2, readerShows: setting) == shown)
    }

    @Test func aReaderThatCoversTooLittleIsCorrected() {
        let reading = TrackReading(track: 2, outcome: .encrypted(masked: CardReadings.track2))
        #expect(reading.masked == ";545230******7189=0804**************?")
    }
}
