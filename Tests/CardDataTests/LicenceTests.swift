import CardData
import Testing

/// Licences as jurisdictions and makers publish them for tests, and what must not be taken for one.
@Suite struct LicenceTests {
    /// A published swipe, and what is on it.
    struct Published: Sendable, CustomTestStringConvertible {
        var name: String
        var tracks: [String]
        var number: String
        var expiry: DrivingLicence.Expiry?
        var birthDate: String
        var city: String?
        var nameParts: [String] = []
        var address: [String] = []
        var postalCode: String?
        var eyes: String?

        var testDescription: String { name }
        var readings: [TrackReading] {
            tracks.enumerated().filter { !$0.element.isEmpty }.map {
                CardReadings.reading($0.offset + 1, $0.element)
            }
        }

        /// The same from a reader that covers with zeros: all of tracks 1 and 3; of track 2 the middle of the number, and what
        /// stands behind the date of birth.
        var coveredReadings: [TrackReading] {
            tracks.enumerated().filter { !$0.element.isEmpty }.map { index, text in
                let number = index == 1 ? text.dropFirst().prefix { $0 != "=" }.count : 0
                let places = text.dropFirst().dropLast().enumerated().map { place, character in
                    let isEnd = place < 4 || (number - 4...number + 12).contains(place)
                    return index == 1 && isEnd || character == "=" ? character : "0"
                }
                return LicenceTests.covered(index + 1, "\(text.prefix(1))\(String(places))?")
            }
        }
    }

    private static func month(_ yearMonth: String) -> DrivingLicence.Expiry? {
        CardExpiry(yearMonth: Array(yearMonth.utf8)).map { .month($0) }
    }

    /// Where each was published: docs/card-data.md.
    static let published = [
        Published(
            name: "Florida",
            tracks: [
                "%FLDELRAY BEACH^DOE$JOHN$^4818 S FEDERAL BLVD^           ?",
                ";6360100462172082009=2101198299090=?",
                "%! 33435      I               1600                                   ECCECC00000?",
            ],
            number: "04621720820090", expiry: month("2101"), birthDate: "19829909", city: "DELRAY BEACH",
            nameParts: ["DOE", "JOHN"], address: ["4818 S FEDERAL BLVD"], postalCode: "33435", eyes: ""),
        Published(
            name: "British Columbia",
            tracks: [
                "%BCVICTORIA^SPECIMEN,$TEST CARD^910 GOVERNMENT ST$VICTORIA BC  V8W 3Y8^?",
                ";6360282222222=240919700906=?",
                "%0AV8W3Y8                     M185 95BRNBLU9123456789                E$''C(R2S6L?",
            ],
            number: "2222222", expiry: month("2409"), birthDate: "19700906", city: "VICTORIA",
            nameParts: ["SPECIMEN,", "TEST CARD"], address: ["910 GOVERNMENT ST", "VICTORIA BC  V8W 3Y8"],
            postalCode: "V8W3Y8", eyes: "BLU"),
        Published(
            name: "Texas",
            tracks: [
                "%TXAUSTIN^DOE$JOHN^12345 SHERBOURNE ST^?", ";63601538774194=150819810101?",
                "%\" 78729      C               1505130BLKBLK?",
            ],
            number: "38774194", expiry: month("1508"), birthDate: "19810101", city: "AUSTIN",
            nameParts: ["DOE", "JOHN"], address: ["12345 SHERBOURNE ST"], postalCode: "78729", eyes: "BLK"),
        Published(
            name: "Minnesota",
            tracks: [
                "%MNANYTOWN^JOSEPH SMITH SAMPLE^123 MAIN STREET NORTHWEST^?",
                ";636038000005807310=08051987052201?", "",
            ],
            number: "00000580731001", expiry: month("0805"), birthDate: "19870522", city: "ANYTOWN",
            nameParts: ["JOSEPH SMITH SAMPLE"], address: ["123 MAIN STREET NORTHWEST"]),
        Published(
            name: "Michigan, data of its own behind the unused field",
            tracks: ["", ";636032626035300300=210519650501=11=?", ""], number: "626035300300",
            expiry: month("2105"), birthDate: "19650501"),
        Published(
            name: "a maker's test card, its name at its most",
            tracks: [
                "%NYNEW YORK^LEEABCDEFGHI$BRUCEABCDEFGHJRABCDEFG655 N. BERRY ST., #K^?",
                ";636014028898856=1011196399280123=?",
                "%##92821-00440AABBBBBBBBBBTTTTF507125BRWBLK0123456789                CCCCCCSSSS?",
            ],
            number: "0288988560123", expiry: month("1011"), birthDate: "19639928", city: "NEW YORK",
            nameParts: ["LEEABCDEFGHI", "BRUCEABCDEFGHJRABCDEFG"], address: ["655 N. BERRY ST., #K"],
            postalCode: "92821-00440", eyes: "BLK"),
    ]

    @Test(arguments: published) func aPublishedLicence(_ card: Published) throws {
        guard case .licence(let licence)? = Card.recognise(card.readings) else {
            Issue.record("no licence")
            return
        }
        #expect(licence.number?.reveal() == card.number)
        #expect(licence.expiry == card.expiry)
        #expect(licence.birthDate?.reveal() == card.birthDate)
        #expect(licence.city?.reveal() == card.city)
        #expect(licence.nameParts.map { $0.reveal() } == card.nameParts)
        #expect(licence.addressLines.map { $0.reveal() } == card.address)
        #expect(licence.details?.postalCode.reveal() == card.postalCode)
        #expect(licence.details?.eyes.reveal() == card.eyes)
    }

    /// A page that shows many blanks as one: fields in other places are none, and the other tracks are read.
    @Test(arguments: published.filter { $0.postalCode != nil }) func aTrackWithoutItsBlanks(_ card: Published)
    {
        var lost = card
        while lost.tracks[2].contains("  ") { lost.tracks[2].replace("  ", with: " ") }
        guard case .licence(let licence)? = Card.recognise(lost.readings) else {
            Issue.record("no licence")
            return
        }
        #expect(licence.number?.reveal() == card.number)
        // The maker's test card has its blanks behind all fields.
        #expect((licence.details == nil) == (card.name != "a maker's test card, its name at its most"))
    }

    /// Whatever of it is readable or covered, and whatever the reader calls it: it never becomes a payment card.
    @Test(arguments: published) func noPartOfALicenceIsAPaymentCard(_ card: Published) {
        for coding in [nil, CardCoding.aamva, .iso] {
            for whole in [card.readings, card.coveredReadings] {
                for missing in whole.indices {
                    var readings = whole
                    readings[missing].outcome = .refused(.malformed)
                    let kind = Card.recognise(readings, coding: coding)?.kind
                    #expect(kind != "payment", "without track \(missing + 1)")
                }
            }
        }
        // Digits of track 2 that are no licence's are nothing else either.
        for broken in [";6360100462172082009=2101199?", ";6360100462172082009=2101101123?"] {
            #expect(Card.recognise([CardReadings.reading(2, broken)]) == .other)
        }
    }

    /// California wrote a separator before the date of birth until it took AAMVA's layout.
    @Test func californiaOfOld() throws {
        guard
            case .licence(let licence)? = Card.recognise([
                CardReadings.reading(2, ";6360140112345679=9809=19601231?")
            ])
        else {
            Issue.record("no licence")
            return
        }
        #expect(licence.number?.reveal() == "0112345679")
        #expect(licence.birthDate?.reveal() == "19601231")
    }

    /// Of a track 2 that has other fields the issuer is known, where track 1 or 3 shows that it is a licence's.
    @Test func anIssuerAndATrackMakeALicence() {
        let second = CardReadings.reading(2, ";6360140123456789=??")
        let first = CardReadings.reading(1, "%CAANYTOWN^DOE$JOHN^1 MAIN ST^?")
        guard case .licence(let licence)? = Card.recognise([first, second]) else {
            Issue.record("no licence")
            return
        }
        #expect(licence.issuer == "636014" && licence.state == "CA" && licence.number == nil)
        #expect(Card.recognise([second]) == .other)
        // That issuer and the reader's word are no such track.
        #expect(Card.recognise([second], coding: .aamva) == .other)
    }

    /// What the reader says is one sign, and a track in a licence's form the other.
    @Test func aReaderSaysThatItIsALicence() {
        let first = CardReadings.reading(1, "%CAANYTOWN^DOE$JOHN^1 MAIN ST^?")
        #expect(Card.recognise([first]) == .other)
        #expect(Card.recognise([first], coding: .aamva)?.kind == "aamva")
        let unknown = CardReadings.reading(2, ";4761730000000011=24122011303130600000?")
        #expect(Card.recognise([unknown], coding: .aamva) == .other)
        // Readers go by the alphabet of track 3; a bank's first track says more.
        let bank = CardReadings.reading(1, "%B4761730000000011^UAT USA/TEST CARD 01^24122011143804400000?")
        #expect(Card.recognise([bank, unknown], coding: .aamva)?.kind == "payment")
    }

    /// The address has the room that the place and the name leave, up to AAMVA's 82 characters.
    @Test(arguments: [(40, true), (61, true), (62, false)]) func theAddressIsWhole(
        length: Int, isLicence: Bool
    ) {
        let address = String(repeating: "A", count: length - 5) + " ST 9"
        let first = CardReadings.reading(1, "%CAANYTOW^DOE$JOHN^\(address)?")
        let second = CardReadings.reading(2, ";6360140123456789=251219800131?")
        guard case .licence(let licence)? = Card.recognise([first, second]) else {
            Issue.record("no licence")
            return
        }
        #expect(licence.addressLines.map { $0.reveal() } == (isLicence ? [address] : []))
    }

    // MARK: Licences that a reader covered

    /// As drivers pass on what a reader covered.
    fileprivate static func covered(_ track: Int, _ text: String) -> TrackReading {
        TrackReading(
            track: track, outcome: .encrypted(masked: ReaderCover.checked(text.utf8, track: track)))
    }

    /// What a reader shows of a card whose coding it does not name, and what that makes. What is a licence only by what the
    /// reader shows, and we cover, needs the coding by that text.
    struct Covered: Sendable {
        var first: String
        var second: String
        var kind: String
        /// The number, where the reader says that the card is a bank's; nil where even then nobody knows what it is.
        var number: String?

        init(_ first: String, _ second: String, _ kind: String, _ number: String?) {
            (self.first, self.second, self.kind, self.number) = (first, second, kind, number)
        }
    }

    private static let zeros = "%00000000000000000000000000?"
    private static let stars = "%**************************?"
    /// No payment track, so that it is we who cover it.
    private static let unknown = "%B6360 DOE/JOHN?"

    /// Zeros all over track 1, and what is left of track 2, make a licence; a bank's track 1 makes a payment card of a number
    /// that begins as a licence's does; nothing else is known. A reader that says that it is a bank's card knows the whole
    /// number, and of 6044 only 604425.
    @Test(
        arguments: [
            Covered(zeros, ";6360000000006789=251219800131?", "aamva", nil),
            Covered(stars, ";6360********6789=2512********?", "aamva", "6360********6789"),
            Covered(zeros, ";6044000000006789=251200000000?", "aamva", nil),
            Covered("%0000000^00000000^000000000?", ";6044000000006789=251200000000?", "aamva", nil),
            Covered("", ";6360000000006789=251219800131?", "aamva", nil),
            Covered("", ";6360000000006789=251219829931?", "aamva", nil),
            Covered("", ";6360000000006789=251200000000?", "other", "6360********6789"),
            Covered("", ";6360000050001234=25120000000000000?", "other", "6360********1234"),
            Covered("", ";6044000040001234=25120000000000000?", "other", nil),
            Covered(unknown, ";6360000050001234=25120000000000000?", "other", "6360********1234"),
            Covered(unknown, ";6044000040001234=25120000000000000?", "other", nil),
            Covered("", ";636014******6789=251200000000?", "aamva", "636014**********"),
            Covered("", ";636070******6789=251200000000?", "payment", "636070******6789"),
            Covered(zeros, ";4761000000000011=241200000000?", "payment", "4761********0011"),
            Covered(
                "%B6360000000006789^DOE/JOHN^25120000000?", ";6360000000006789=251200000000?", "payment",
                "6360********6789"),
        ])
    func coveredTracks(_ row: Covered) {
        let tracks =
            [Self.covered(2, row.second)] + (row.first.isEmpty ? [] : [Self.covered(1, row.first)])
        let shown = CardCoding.shown(
            byTrack1: row.first.isEmpty ? nil : Array(row.first.utf8), track2: Array(row.second.utf8))
        let card = Card.recognise(tracks, coding: shown)
        #expect(card?.kind == row.kind)
        if case .payment(let payment)? = card { #expect(payment.pan.masked == row.number) }
        let banks = Card.recognise(tracks, coding: .iso)
        if case .payment(let payment)? = banks {
            #expect(payment.pan.masked == row.number)
        } else {
            #expect(row.number == nil)
        }
    }

    /// Zeros behind 6360 are no issuer's number, whatever else the reader shows.
    @Test(arguments: [
        (";6360000050001234=25120000000000000?", ";6360000050001234=25120000000000000?"),
        (";6360000050001234=25121011234567890?", ";****************=*****************?"),
        (";6360140000006789=251200000000?", ";636014**********=************?"),
    ])
    func zerosAreNoIssuer(text: String, shown: String) {
        #expect(ReaderCover.checked(text.utf8, track: 2) == shown)
    }
}
