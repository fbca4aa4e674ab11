import CardData
import Testing

@Suite struct AccountNumberTests {
    @Test(
        arguments: [
            ("6011000990139424", "601100******9424", true, CardBrand.discover),
            ("371449635398431", "371449*****8431", true, .amex),
            ("4111111111111111", "411111******1111", true, .visa),
            ("4111111111111112", "411111******1112", false, .visa),
            ("4222222222222", "42222****2222", true, .visa),
            ("30569309025904", "305693****5904", true, .diners),
            ("3530111333300000", "353011******0000", true, .jcb),
            ("2223000048400011", "222300******0011", true, .mastercard),
            ("6200000000000005", "620000******0005", true, .unionpay),
            ("2200000000000004", "220000******0004", true, .mir),
            ("6759649826438453", "675964******8453", true, .maestro),
            ("6221260000000000", "622126******0000", true, .discover),
        ] as [(String, String, Bool, CardBrand)])
    func showsItsEnds(digits: String, masked: String, luhn: Bool, brand: CardBrand) throws {
        let number = try #require(AccountNumber(digits: Array(digits.utf8)))
        #expect(number.masked == masked)
        #expect(number.passesLuhn == luhn)
        #expect(number.brand == brand)
        #expect("\(number)" == masked)
        #expect(String(reflecting: number) == masked)
    }

    @Test(arguments: ["", "12345678901234567890", "4111-1111", "４１"]) func refusesWhatIsNoNumber(text: String)
    {
        #expect(AccountNumber(digits: Array(text.utf8)) == nil)
    }

    @Test(arguments: 1...19) func neverShowsAll(length: Int) throws {
        let number = try #require(AccountNumber(digits: Array(repeating: UInt8(ascii: "7"), count: length)))
        let covered = number.masked.utf8.count { $0 == UInt8(ascii: "*") }
        #expect(covered >= min(length, 4))
        #expect(number.length == length)
    }

    @Test func aBrandThatCouldStillChangeIsNotNamed() {
        #expect(CardBrand.of(leadingDigits: Array("6221".utf8), length: 16) == nil)
        #expect(CardBrand.of(leadingDigits: Array("6222".utf8), length: 16) == .discover)
        #expect(CardBrand.of(leadingDigits: Array("411".utf8), length: 16) == nil)
    }
}

@Suite struct CardFieldTests {
    @Test(
        arguments: [
            ("101", ["international", "normal authorisation", "no restrictions"], false),
            (
                "221", ["international, with chip", "authorisation by the issuer online", "no restrictions"],
                true
            ),
            ("888", [], nil),
        ] as [(String, [String], Bool?)])
    func serviceCodeMeaning(digits: String, meaning: [String], hasChip: Bool?) throws {
        let code = try #require(ServiceCode(digits: Array(digits.utf8)))
        #expect(code.meaning == meaning)
        #expect(code.hasChip == hasChip)
    }

    @Test func nameParts() throws {
        let name = try #require(CardholderName(field: Array("BUSH JR/GEORGE W.MR   ".utf8)))
        #expect(name.text.reveal() == "BUSH JR/GEORGE W.MR")
        #expect(name.surname.reveal() == "BUSH JR")
        #expect(name.givenNames?.reveal() == "GEORGE W")
        #expect(name.title?.reveal() == "MR")
        #expect(CardholderName(field: Array(" /  ".utf8)) == nil)
    }

    @Test(arguments: [
        (
            1, "%B4266841088889999^BUSH JR/GEORGE W.MR^0809101100001100000000046000000?",
            "%B426684******9999^BUSH JR/GEORGE W.MR^0809101************************?"
        ),
        (2, ";6011000990131117=27121010000000000?", ";601100******1117=2712101**********?"),
        (3, ";5163499080020445=000000000000?", ";516349******0445=************?"),
        (3, ";005163499080020445=7241234?", ";**516349******0445=*******?"),
        (3, ";994111111111111111=1561234?", ";**411111******1111=*******?"),
        (2, ";6360140123456789=251219800101?", ";636014**********=************?"),
        (1, "%CAANYTOWN^DOE$JOHN^1 MAIN ST^?", "%*********^********^*********^?"),
        (2, ";12345=67?", ";*****=**?"), (1, "", ""), (1, "?", "*"),
        (2, "4111111111111111", "****************"),
    ])
    func masks(track: Int, text: String, masked: String) {
        let reading = TrackReading(track: track, outcome: .read(SensitiveText(text)))
        #expect(reading.masked == masked)
    }

    @Test func licence() throws {
        let readings = [
            CardReadings.reading(1, "%CAANYTOWN^DOE$JOHN$Q^1 MAIN ST$APT 2^?"),
            CardReadings.reading(2, ";6360140123456789=251219800131?"),
            CardReadings.reading(3, "%1090210      C               M511180BROBLU?"),
        ]
        guard case .licence(let licence)? = Card.recognise(readings) else {
            Issue.record("not recognised as a licence")
            return
        }
        #expect(licence.issuer == "636014")
        #expect(licence.number?.reveal() == "0123456789")
        #expect(licence.expiry == CardExpiry(yearMonth: Array("2512".utf8)).map { .month($0) })
        #expect(licence.birthDate?.reveal() == "19800131")
        #expect(licence.state == "CA")
        #expect(licence.city?.reveal() == "ANYTOWN")
        #expect(licence.nameParts.map { $0.reveal() } == ["DOE", "JOHN", "Q"])
        #expect(licence.addressLines.map { $0.reveal() } == ["1 MAIN ST", "APT 2"])
        let details = try #require(licence.details)
        #expect(details.templateVersion == "1")
        #expect(details.postalCode.reveal() == "90210")
        #expect(details.vehicleClass == "C")
        #expect(details.sex.reveal() == "M")
        #expect(details.height.reveal() == "511")
        #expect(details.weight.reveal() == "180")
        #expect(details.hair.reveal() == "BRO")
        #expect(details.eyes.reveal() == "BLU")
    }

    @Test func japaneseCard() {
        guard case .jis2(let card)? = Card.recognise([CardReadings.reading(1, "\u{7F}aABC123\u{7F}")]) else {
            Issue.record("not recognised as a JIS II card")
            return
        }
        #expect(card.identifier.reveal() == "a")
        #expect(card.data.reveal() == "ABC123")
    }

    @Test func thriftTrack() throws {
        let card = try CardReadings.payment([
            CardReadings.reading(2, CardReadings.track2),
            CardReadings.reading(3, ";005452300551227189=7249782000000000000003=100000027121===1=?"),
        ])
        let thrift = try #require(card.thrift)
        #expect(thrift.formatCode == "00")
        #expect(thrift.pan.masked == "545230******7189")
        #expect(thrift.country == "724")
        #expect(thrift.currency == "978")
        #expect(thrift.expiry?.yearMonth == "2712")
        #expect(thrift.sequenceNumber == "1")
    }
}
