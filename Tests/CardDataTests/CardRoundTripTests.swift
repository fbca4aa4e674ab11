import CardData
import ReaderTesting
import Testing

/// Tracks put together from random fields give those fields back; with one bit of their order broken, never others.
@Suite struct CardRoundTripTests {
    /// Random pieces of cards.
    struct Seeded: RandomNumberGenerator {
        private var generator: SeededGenerator

        init(state: UInt64) { generator = SeededGenerator(state: state) }

        mutating func next() -> UInt64 { generator.next() }

        mutating func digits(_ count: Int) -> String {
            String((0..<count).map { _ in Character("\(Int.random(in: 0...9, using: &self))") })
        }

        mutating func letters(_ range: ClosedRange<Int>) -> String {
            let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
            return String(
                (0..<Int.random(in: range, using: &self)).map { _ in
                    alphabet[Int.random(in: 0..<26, using: &self)]
                })
        }

        mutating func month() -> String {
            let month = Int.random(in: 1...12, using: &self)
            return digits(2) + (month < 10 ? "0\(month)" : "\(month)")
        }

        mutating func chance() -> Bool { Bool.random(using: &self) }
    }

    static let seeds = (0..<8).map { UInt64($0) }

    @Test(arguments: seeds) func paymentCards(seed: UInt64) throws {
        var random = Seeded(state: seed)
        for _ in 0..<200 {
            let pan = "4" + random.digits(Int.random(in: 11...18, using: &random))
            let (surname, given) = (random.letters(1...12), random.letters(1...12))
            let expiry = random.chance() ? random.month() : nil
            let service = random.chance() ? random.digits(3) : nil
            let kept = random.digits(Int.random(in: 0...8, using: &random))
            let code = random.chance() ? "B" : "A"
            let tail = { (separator: String) in (expiry ?? separator) + (service ?? separator) + kept + "?" }
            let first = "%\(code)\(pan)^\(surname)/\(given)^\(tail("^"))"
            let second = ";\(pan)=\(tail("="))"
            let card = try CardReadings.payment([
                CardReadings.reading(1, first), CardReadings.reading(2, second),
            ])
            #expect(card.pan.reveal() == pan)
            #expect(card.formatCode == code)
            #expect(card.name?.surname.reveal() == surname)
            #expect(card.name?.givenNames?.reveal() == given)
            #expect(card.expiry?.yearMonth == expiry)
            #expect(card.serviceCode?.digits == service)
            // Shown is what was there, at its place, and of the number no more than its ends.
            for (track, text) in [(1, first), (2, second)] {
                let masked = try #require(CardReadings.reading(track, text).masked)
                #expect(masked.count == text.count)
                #expect(zip(masked, text).allSatisfy { $0 == "*" || $0 == $1 })
                #expect(!masked.contains(pan))
                #expect(kept.isEmpty || masked.hasSuffix(String(repeating: "*", count: kept.count) + "?"))
            }
        }
    }

    @Test(arguments: seeds) func licences(seed: UInt64) throws {
        var random = Seeded(state: seed)
        for _ in 0..<200 {
            let state = random.letters(2...2)
            let city = random.letters(1...13)
            let names = (0..<Int.random(in: 1...3, using: &random)).map { _ in random.letters(1...10) }
            let address = (0..<Int.random(in: 1...2, using: &random)).map { _ in random.letters(1...13) }
            let (name, lines) = (names.joined(separator: "$"), address.joined(separator: "$"))
            // A field at its most has no separator behind it.
            let end = { (text: String, most: Int) in text.count < most ? text + "^" : text }
            let first = "%\(state)\(end(city, 13))\(end(name, 35))\(end(lines, 29))?"
            let issuer = "\(636_000 + Int.random(in: 0...62, using: &random))"
            let number = random.digits(Int.random(in: 1...13, using: &random))
            let overflow = random.digits(Int.random(in: 0...5, using: &random))
            let (expiry, birth) = (random.month(), "19" + random.digits(6))
            let second = ";\(issuer)\(number)=\(expiry)\(birth)\(overflow)?"
            let fields = Self.fields(using: &random)
            let third = "%" + zip(fields, Self.widths).map(Self.padded).joined() + "?"
            let readings = [
                CardReadings.reading(1, first), CardReadings.reading(2, second),
                CardReadings.reading(3, third),
            ]
            guard case .licence(let licence)? = Card.recognise(readings) else {
                Issue.record("no licence: \(first) \(second) \(third)")
                continue
            }
            #expect(licence.state == state)
            #expect(licence.city?.reveal() == city)
            #expect(licence.nameParts.map { $0.reveal() } == names)
            #expect(licence.addressLines.map { $0.reveal() } == address)
            #expect(licence.issuer == issuer)
            #expect(licence.number?.reveal() == number + overflow)
            #expect(licence.expiry == CardExpiry(yearMonth: Array(expiry.utf8)).map { .month($0) })
            #expect(licence.birthDate?.reveal() == birth)
            let details = try #require(licence.details)
            #expect(Self.fields(of: details) == fields)
        }
    }

    private static let widths = [1, 1, 11, 2, 10, 4, 1, 3, 3, 3, 3, 10]

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: width - text.count)
    }

    private static func fields(using random: inout Seeded) -> [String] {
        widths.enumerated().map { index, width in
            switch index {
            case 0, 1: random.digits(1)
            case 6: ["M", "F", "X", "1", "2", ""].randomElement(using: &random) ?? ""
            case 7, 8: random.digits(Int.random(in: 0...width, using: &random))
            default: random.letters(0...width)
            }
        }
    }

    private static func fields(of details: LicenceDetails) -> [String] {
        [
            details.templateVersion, details.securityVersion, details.postalCode.reveal(),
            details.vehicleClass, details.restrictions, details.endorsements, details.sex.reveal(),
            details.height.reveal(), details.weight.reveal(), details.hair.reveal(), details.eyes.reveal(),
            details.idNumber.reveal(),
        ]
    }

    /// Months that mean something else, and fields that are too long.
    @Test(
        arguments: [
            ("2577", .never), ("2588", .birthMonth(year: 2025)), ("2599", .birthday(year: 2025)),
            ("2500", nil), ("2513", nil),
        ] as [(String, DrivingLicence.Expiry?)])
    func expiryOfALicence(digits: String, expiry: DrivingLicence.Expiry?) {
        let card = Card.recognise([CardReadings.reading(2, ";6360140123456789=\(digits)19800131?")])
        if let expiry, case .licence(let licence)? = card {
            #expect(licence.expiry == expiry)
        } else {
            #expect(expiry == nil && card == .other)
        }
    }

    @Test(arguments: [
        ";636014012345678901234=251219800131?", ";6360140123456789=251219800131123450?",
        ";6360140123456789=25121980013?", ";6360630123456789=251219800131?", ";636014A=251219800131?",
    ])
    func noLicences(text: String) {
        if case .licence? = Card.recognise([CardReadings.reading(2, text)]) { Issue.record("a licence") }
    }

    /// ISO 4909, with a separator in the place of whatever may be missing.
    @Test(arguments: seeds) func thriftTracks(seed: UInt64) throws {
        var random = Seeded(state: seed)
        for _ in 0..<200 {
            let format = "0\(Int.random(in: 0...2, using: &random))"
            let pan = "5" + random.digits(Int.random(in: 11...18, using: &random))
            let country = random.chance() ? random.digits(3) : nil
            let currency = random.chance() ? random.digits(3) : nil
            let control = random.chance() ? random.digits(6) : nil
            let expiry = random.chance() ? random.month() : nil
            let sequence = random.digits(1)
            let text =
                ";\(format)\(pan)=\(country ?? "=")\(currency ?? "=")\(random.digits(16))"
                + "\(control ?? "=")\(random.digits(7))\(expiry ?? "=")\(sequence)===1=?"
            guard text.count <= 106 else { continue }
            let card = try CardReadings.payment([
                CardReadings.reading(2, CardReadings.track2), CardReadings.reading(3, text),
            ])
            let thrift = try #require(card.thrift)
            #expect(thrift.formatCode == format)
            #expect(thrift.pan.reveal() == pan)
            #expect(thrift.country == country)
            #expect(thrift.currency == currency)
            #expect(thrift.expiry?.yearMonth == expiry)
            #expect(thrift.sequenceNumber == sequence)
        }
    }

    @Test(arguments: seeds) func japaneseCards(seed: UInt64) throws {
        var random = Seeded(state: seed)
        for _ in 0..<100 {
            let count = Int.random(in: 1...JISCard.longestData, using: &random)
            let content = (0..<count).map { _ in UInt8.random(in: 0x20...0x7E, using: &random) }
            let text = String(decoding: [0x7F] + content + [0x7F], as: UTF8.self)
            guard case .jis2(let card)? = Card.recognise([CardReadings.reading(1, text)]) else {
                Issue.record("no JIS II card")
                continue
            }
            #expect(card.identifier.reveal() + card.data.reveal() == String(text.dropFirst().dropLast()))
            // On the stripe: every character's parity is even, and so is every column's.
            let bits = try TrackFormat.jis2.bits(of: text.utf8)
            let rows = stride(from: 0, to: bits.count, by: 8).map { Array(bits[$0..<$0 + 8]) }
            #expect(rows.allSatisfy { $0.count { $0 == 1 }.isMultiple(of: 2) })
            #expect((0..<7).allSatisfy { column in rows.reduce(0) { $0 ^ $1[column] } == 0 })
        }
        let long = "\u{7F}" + String(repeating: "A", count: JISCard.longestData + 1) + "\u{7F}"
        #expect(Card.recognise([CardReadings.reading(1, long)]) == .other)
    }
}
