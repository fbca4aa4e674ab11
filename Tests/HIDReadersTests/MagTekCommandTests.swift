import FoundationEssentials
import ReaderKit
import ReaderTesting
import Testing

@testable import HIDReaders

/// The exchanges printed in MagTek's manual, byte for byte.
@Suite struct MagTekCommandTests {
    struct Exchanges: Decodable {
        var plain: [[String]]
        var maced: [[String: String]]
    }

    /// Our command for a request of the manual; nil for commands that the driver does not use.
    static func command(_ bytes: [UInt8]) -> MagTekCommand? {
        switch bytes[0] {
        case 0x00: .getProperty(bytes[2])
        case 0x01: .setProperty(bytes[2], Array(bytes[3...]))
        case 0x02: .reset
        case 0x09: .getKeySerialNumber
        case 0x0A: .setSessionID(Array(bytes[2...]))
        case 0x14: .getReaderState
        case 0x15: .getSecurityLevel
        case 0x1C: .getEncryptionCounter
        default: nil
        }
    }

    @Test func requestsAndAnswersOfTheManual() throws {
        let exchanges = try PublishedVectors.load("MagTek/published/commands.json", as: Exchanges.self).plain
        var compared = 0
        for exchange in exchanges {
            let request = try PublishedVectors.bytes(exchange[1])
            let answer = try PublishedVectors.bytes(exchange[2])
            let data = try MagTekResponse.data(answer + Array(repeating: 0, count: 24 - answer.count))
            #expect(data == Array(answer.dropFirst(2)), "\(exchange[0])")
            guard let command = Self.command(request) else { continue }
            #expect(command.bytes == request, "\(exchange[0])")
            compared += 1
        }
        #expect(compared == 21)
    }

    /// The daemon holds no key; that these MACs come out right proves the test support's variants.
    @Test func macsOfTheManual() throws {
        let baseKey = try PublishedVectors.bytes(TestKeys.baseKey)
        let exchanges = try PublishedVectors.load("MagTek/published/commands.json", as: Exchanges.self).maced
        #expect(exchanges.count == 10)
        for exchange in exchanges {
            let serial = try PublishedVectors.bytes(#require(exchange["ksn"]))
            let keys = DUKPT(baseKey: baseKey, keySerialNumber: serial)
            #expect(Hex.text(keys.key(.macRequest)) == exchange["mac_key"])
            let message = try PublishedVectors.bytes(#require(exchange["message_without_mac"]))
            let mac = TripleDES(key: keys.key(.macRequest)).retailMAC(message).prefix(4)
            #expect(Hex.text(message + mac) == exchange["full_command"])
        }
    }

    @Test(
        arguments: [
            ([0x07, 0x00], MagTekResponse.Refusal.result(.invalidOperation)),
            ([0x05, 0x00], .result(.delayed)),
            ([0x80, 0x00], .result(.counterExpired)), ([0x66, 0x00], .result(.unknown(0x66))),
            ([0x01, 0x00], .result(.failed)), ([0x02, 0x00], .result(.badParameter)),
            ([0x03, 0x00], .result(.redundant)), ([0x04, 0x00], .result(.badData)),
            ([0x0A, 0x00], .result(.moreData)), ([0x0B, 0x00], .result(.buffering)),
            ([0x00], .malformed),
            ([], .malformed), ([0x00, 0x03, 0x01], .malformed),
        ] as [([UInt8], MagTekResponse.Refusal)])
    func refusalsHaveNames(answer: [UInt8], refusal: MagTekResponse.Refusal) {
        #expect(throws: refusal) { try MagTekResponse.data(answer) }
    }
}

/// The talk of a driver with its reader, answer by answer.
@Suite struct MagTekDialogueTests {

    @Test func theReaderIntroducesItself() throws {
        var driver = MagTekReports.magneSafe()
        var commands = [MagTekReplies.command(driver.start())?.prefix(3).map(Int.init)]
        var told: [ReaderDetails] = []
        for text in [
            "000103", "0700", "000B3231303432383132443031", "000742303030373935", "0006303630343059", "0200",
        ] {
            let actions = driver.receive(try MagTekReplies.answer(text))
            if let details = MagTekReplies.identified(actions) { told.append(details) }
            commands.append(MagTekReplies.command(actions)?.prefix(3).map(Int.init))
        }
        #expect(
            commands == [
                [0x15, 0, 0], [0x1C, 0, 0], [0x00, 1, 0x00], [0x00, 1, 0x03], [0x00, 1, 0x07],
                [0x00, 1, 0x54], nil,
            ])
        // Once, with all of it: `connect` is made of this.
        let model = try #require(MagneSafeDriver.descriptor.matches.first).model
        #expect(
            told == [
                ReaderDetails(
                    model: model, serial: "B000795", firmware: "21042812D01", encryption: .encrypted,
                    securityLevel: 3)
            ])
    }

    @Test func whatAMuteReaderSaidBeforeIsTold() throws {
        var driver = MagTekReports.magneSafe()
        _ = driver.start()
        #expect(MagTekReplies.identified(driver.receive(try MagTekReplies.answer("000103"))) == nil)
        #expect(MagTekReplies.identified(driver.commandFailed(.timedOut))?.encryption == .encrypted)
    }

    /// A change that is refused with 07 wants a MAC, unless the reader is below level 3; a question that is refused so does
    /// not.
    @Test(arguments: [
        ("1500FF", PropertyError.needsAuthentication),
        ("150002", .refused(reason: "invalid operation or MAC missing")),
    ])
    func aRefusedChangeNamesTheMAC(level: String, error: PropertyError) throws {
        var driver =
            try level == "150002" ? MagTekReplies.introduced(level: level) : MagTekReports.magneSafe()
        _ = driver.property(PropertyRequest(token: 1, name: "polling_interval", newValue: .number(5)))
        #expect(MagTekReplies.reply(driver.receive(try MagTekReplies.answer("0700"))) == .failure(error))
        _ = driver.property(PropertyRequest(token: 2, name: "polling_interval"))
        #expect(
            MagTekReplies.reply(driver.receive(try MagTekReplies.answer("0700")))
                == .failure(.refused(reason: "invalid operation or MAC missing")))
    }

    @Test(
        arguments: [
            (
                "key_serial_number", "0900", "000AFFFF9876543210E00001",
                .bytes([255, 255, 0x98, 0x76, 0x54, 0x32, 0x10, 0xE0, 0, 1])
            ),
            ("reader_state", "1400", "00020200", .text("waits for a swipe, after power up")),
            ("security_level", "1500", "000103", .number(3)), ("battery", "2900", "000101", .number(1)),
            (
                "encryption_counter", "1C00", "0013" + String(repeating: "30", count: 16) + "0000FF",
                .number(255)
            ),
            ("separator", "000123", "00017C", .text("|")), ("track1_end", "00012D", "0001FF", .number(255)),
            ("magnesafe_version", "000104", "0003563035", .text("V05")),
        ] as [(String, String, String, PropertyValue)])
    func reading(name: String, request: String, answer: String, value: PropertyValue) throws {
        var driver = try MagTekReplies.introduced()
        let sent = MagTekReplies.command(driver.property(PropertyRequest(token: 7, name: name)))
        let expected = try PublishedVectors.bytes(request)
        #expect(sent == expected + Array(repeating: 0, count: 60 - expected.count))
        #expect(MagTekReplies.reply(driver.receive(try MagTekReplies.answer(answer))) == .success(value))
    }

    @Test func aMuteReaderIsAskedOnceAndStillReads() throws {
        var driver = MagTekReports.magneSafe()
        _ = driver.start()
        #expect(MagTekReplies.command(driver.commandFailed(.timedOut)) == nil)
        let report = try Vector("MagTek/published/v5_hid856_level2.hex").bytes()
        #expect(MagTekReports.swipes(driver.receive(HIDReport(bytes: report))).count == 1)
    }

    @Test func anAnswerThatComesTooLateIsNotTheNextOnes() throws {
        var driver = MagTekReports.magneSafe()
        _ = driver.start()
        _ = driver.timerFired()
        let asked = driver.property(PropertyRequest(token: 1, name: "polling_interval"))
        #expect(MagTekReplies.command(asked)?.prefix(3) == [0x00, 0x01, 0x02])
        #expect(driver.receive(try MagTekReplies.answer("000103")).isEmpty)
        #expect(
            MagTekReplies.reply(driver.receive(try MagTekReplies.answer("00010A"))) == .success(.number(10)))
    }

    @Test(arguments: [
        ("polling_interval", PropertyValue.number(10), "0102020A"),
        ("usb_serial", .text("123"), "010401313233"),
        ("iso_mask", .text("0404*N"), "010707303430342A4E"), ("interface_type", .number(1), "01021001"),
        ("session_id", .bytes(Array("TESTTEST".utf8)), "0A085445535454455354"), ("reset", .number(1), "0200"),
    ])
    func settingSendsTheManualsBytes(name: String, value: PropertyValue, request: String) throws {
        var driver = try MagTekReplies.introduced(level: "150002")
        let sent = MagTekReplies.command(
            driver.property(PropertyRequest(token: 7, name: name, newValue: value)))
        let expected = try PublishedVectors.bytes(request)
        #expect(sent == expected + Array(repeating: 0, count: 60 - expected.count))
        #expect(MagTekReplies.reply(driver.receive(try MagTekReplies.answer("0000"))) == .success(value))
    }

    @Test(
        arguments: [
            ("no_such_property", nil, PropertyError.unknown), ("software_id", .text("x"), .readOnly),
            ("polling_interval", .number(0), .badValue("1 to 255")),
            ("polling_interval", .text("1"), .badValue("a number, 1 to 255")),
            ("polling_interval", .number(5), .needsAuthentication),
            ("session_id", .bytes([1]), .badValue("8 bytes, as hex")),
            ("separator", .text("||"), .badValue("one ASCII character, or its number")),
            ("clock", .text("2026-13-01 00:00:00"), .badValue("a date and time like 2026-01-31 09:30:00")),
        ] as [(String, PropertyValue?, PropertyError)])
    func refusedWithoutAskingTheReader(name: String, value: PropertyValue?, error: PropertyError) throws {
        var driver = try MagTekReplies.introduced()
        let actions = driver.property(PropertyRequest(token: 7, name: name, newValue: value))
        #expect(MagTekReplies.command(actions) == nil)
        #expect(MagTekReplies.reply(actions) == .failure(error))
    }

    @Test func tooManyRequestsAreRefused() throws {
        var driver = try MagTekReplies.introduced()
        var replies: [Result<PropertyValue, PropertyError>] = []
        for token in 0..<20 {
            let actions = driver.property(PropertyRequest(token: UInt64(token), name: "key_serial_number"))
            if let reply = MagTekReplies.reply(actions) { replies.append(reply) }
        }
        #expect(replies == Array(repeating: .failure(.busy), count: 3))
    }
}
