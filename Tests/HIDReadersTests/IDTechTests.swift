import CardData
import FoundationEssentials
import ReaderKit
import ReaderPackets
import ReaderTesting
import Testing

@testable import HIDReaders

@Suite struct IDTechPacketTests {

    @Test(arguments: [(0, false), (1, false), (2, false), (2, true), (1, true), (0, true)])
    func originalFormatByItsLength(hashes: Int, session: Bool) throws {
        let cipher = Array(repeating: UInt8(3), count: 112)
        let packet = try IDTechPacket(
            IDTechFrame.binary(IDTechPackets.original(cipher: cipher, hashes: hashes, session: session)))
        #expect(packet.joinedCiphertext == cipher)
        #expect((packet.session != nil) == session)
        #expect(packet.tracks.count { $0.hash != nil } == (hashes == 2 ? 2 : 0))
        #expect(packet.keySerialNumber == Array(repeating: 9, count: 10))
        let track = try #require(packet.swipe().encryption?.tracks.first)
        #expect(track.joinedTracks == [1, 2])
        #expect(track.clearLength == 107)
        // One hash alone is of track 1 or of track 2: the packet does not say.
        #expect(track.hash == (hashes == 1 ? Array(repeating: 5, count: 20) : nil))
        #expect(track.joinedHashes.count == (hashes == 2 ? 2 : 0))
    }

    struct CipherCase: Sendable {
        var clear: Int
        var cipher: Int
        var session = 0
        var settings = IDTechSettings()
        var scheme: String
        var isAssumed = false
        /// Bytes that are told as ciphertext, where they are not those of `cipher`.
        var told: Int?
    }

    /// 81 characters are 88 bytes of TDES and 96 of AES; 107 are 112 of either.
    @Test(arguments: [
        CipherCase(clear: 81, cipher: 88, scheme: "dukpt-tdes"),
        CipherCase(clear: 81, cipher: 96, session: 16, scheme: "dukpt-aes"),
        CipherCase(clear: 107, cipher: 112, session: 8, scheme: "dukpt-tdes"),
        CipherCase(clear: 107, cipher: 112, session: 16, scheme: "dukpt-aes"),
        // The packet alone leaves it open, and nothing of the ciphertext is lost either way.
        CipherCase(clear: 81, cipher: 96, scheme: "dukpt-aes", isAssumed: true),
        CipherCase(clear: 81, cipher: 88, session: 8, scheme: "dukpt-aes", isAssumed: true, told: 96),
        CipherCase(clear: 107, cipher: 112, scheme: "dukpt-tdes", isAssumed: true),
        // The reader was asked.
        CipherCase(
            clear: 81, cipher: 96, settings: IDTechSettings(hasSessions: false), scheme: "dukpt-aes"),
        CipherCase(clear: 81, cipher: 96, settings: IDTechSettings(cipher: .aes), scheme: "dukpt-aes"),
        CipherCase(
            clear: 81, cipher: 88, session: 8, settings: IDTechSettings(cipher: .tdes), scheme: "dukpt-tdes"),
        CipherCase(clear: 107, cipher: 112, settings: IDTechSettings(cipher: .aes), scheme: "dukpt-aes"),
        CipherCase(clear: 107, cipher: 112, settings: IDTechSettings(cipher: .tdes), scheme: "dukpt-tdes"),
        // It was set to another cipher since: the packet is right.
        CipherCase(clear: 81, cipher: 88, settings: IDTechSettings(cipher: .aes), scheme: "dukpt-tdes"),
    ])
    func theCipherOfTheOriginalFormat(_ example: CipherCase) throws {
        let bytes = IDTechPackets.original(
            clear: example.clear, cipher: example.cipher, session: example.session)
        let packet = try IDTechPacket(IDTechFrame.binary(bytes), settings: example.settings)
        let encryption = try #require(packet.swipe().encryption)
        #expect(encryption.scheme == example.scheme)
        #expect(encryption.isSchemeAssumed == example.isAssumed)
        let ciphertext = try #require(encryption.tracks.first?.ciphertext)
        #expect(ciphertext.count == example.told ?? example.cipher)
        #expect(ciphertext.prefix(example.cipher).elementsEqual((0..<example.cipher).map { UInt8($0) }))
        let hasSession = example.session > 0 && example.told == nil
        #expect(
            encryption.session == (hasSession ? Array(repeating: 7, count: example.session) : nil))
        #expect(encryption.keySerialNumber == Array(repeating: 9, count: 10))
    }

    /// Keyed by hand: 28 characters are 32 bytes of either cipher, 22 are 24 of TDES and 32 of AES.
    @Test(
        arguments: [
            (28, 32, nil, IDTechPacket.Cipher.tdes, true), (28, 32, .aes, .aes, false),
            (28, 32, .tdes, .tdes, false), (22, 24, .aes, .tdes, false), (22, 32, nil, .aes, false),
        ] as [(UInt8, Int, IDTechPacket.Cipher?, IDTechPacket.Cipher, Bool)])
    func theCipherOfAKeyedPacket(
        clear: UInt8, bytes: Int, setting: IDTechPacket.Cipher?, cipher: IDTechPacket.Cipher, isAssumed: Bool
    ) throws {
        let data =
            [0x85, 0, 0, 0, 0, 0, clear] + Array(repeating: 1, count: bytes) + Array(repeating: 3, count: 20)
            + Array(repeating: 9, count: 10)
        let packet = try IDTechPacket(
            IDTechFrame.binary(IDTechPackets.frame(data)), settings: IDTechSettings(cipher: setting))
        #expect(packet.cipher == cipher)
        #expect(packet.isCipherAssumed == isAssumed)
    }

    /// A ciphertext that nobody could ever find the key of. A fixed key needs no number.
    @Test(arguments: [(0x03, 0x03, false), (0x03, 0x83, true), (0x0B, 0x03, true), (0x03, 0x00, true)])
    func aCiphertextNamesItsKey(sent: UInt8, encrypted: UInt8, isRight: Bool) throws {
        let masked = Array(repeating: UInt8(ascii: "*"), count: 8)
        var data = [0x80, 0x1F, 8, 8, 0, sent, encrypted] + masked + masked
        if encrypted & 3 != 0 { data += Array(repeating: 3, count: 16) }
        if encrypted & 0x80 != 0 { data += Array(repeating: 9, count: 10) }
        let frame = try IDTechFrame.binary(IDTechPackets.frame(data))
        if isRight {
            #expect(throws: Never.self) { try IDTechPacket(frame) }
        } else {
            #expect(throws: IDTechPacket.Refusal.noKeySerialNumber) { try IDTechPacket(frame) }
        }
    }

    @Test func clearTracksLoseTheirCheckCharacter() throws {
        let data =
            [0x00, 0x1F, UInt8(IDTechPackets.track1.count), UInt8(IDTechPackets.track2.count), 0]
            + IDTechPackets.track1 + IDTechPackets.track2
        let swipe = try IDTechPacket(IDTechFrame.binary(IDTechPackets.frame(data))).swipe()
        #expect(swipe.encryption == nil)
        #expect(
            swipe.tracks[0].text?.reveal() == String(decoding: IDTechPackets.track1.dropLast(), as: UTF8.self)
        )
        #expect(
            swipe.tracks[1].text?.reveal() == String(decoding: IDTechPackets.track2.dropLast(), as: UTF8.self)
        )
        #expect(swipe.card?.kind == "payment")
    }

    @Test func aWrongCheckCharacterRefusesTheTrack() throws {
        let broken = IDTechPackets.track2.dropLast() + [UInt8(ascii: "1")]
        let data = [0x00, 0x1F, 0, UInt8(broken.count), 0] + broken
        let swipe = try IDTechPacket(IDTechFrame.binary(IDTechPackets.frame(data))).swipe()
        #expect(swipe.tracks[1].outcome == .refused(.longitudinalRedundancy(atBit: 0)))
    }

    @Test(
        arguments: [
            ([0x00], IDTechPacket.Refusal.noStart), ([0x02], .truncated),
            ([0x02, 0x01, 0x00, 0x41, 0x41, 0x41], .truncated),
            ([0x02, 0x01, 0x00, 0x41, 0x41, 0x41, 0x04], .noEnd),
            ([0x02, 0x01, 0x00, 0x41, 0x40, 0x41, 0x03], .redundancy),
            ([0x02, 0x01, 0x00, 0x41, 0x41, 0x40, 0x03], .sum),
            ([0x02, 0x01, 0x00, 0x42, 0x42, 0x42, 0x03], .unknownType),
        ] as [([UInt8], IDTechPacket.Refusal)])
    func frameRefusals(bytes: [UInt8], refusal: IDTechPacket.Refusal) {
        #expect(throws: refusal) { try IDTechPacket(IDTechFrame.binary(bytes)) }
    }

    @Test(
        arguments: [
            ([0x80, 0x5F, 0, 0, 0, 0, 0, 1, 0x02], IDTechPacket.Refusal.unknownCipher),
            ([0x80, 0x1F, 9, 0, 0, 0x01, 0], .fieldOverrun), ([0x80, 0x1F, 0, 0, 0, 0, 0, 1], .leftOver),
            ([0x80, 0x1F, 0, 0, 0, 0, 0x80, 1], .fieldOverrun),
        ] as [([UInt8], IDTechPacket.Refusal)])
    func fieldRefusals(data: [UInt8], refusal: IDTechPacket.Refusal) {
        #expect(throws: refusal) { try IDTechPacket(IDTechFrame.binary(IDTechPackets.frame(data))) }
    }

    /// SREDKey 2: optional bytes behind field 9, SHA-256 and a MAC at the end.
    @Test func optionalBytesAreSkipped() throws {
        let masked = Array(";4111********1111=1912?*".utf8)
        var data: [UInt8] = [0xC0, 0x57, 0, UInt8(masked.count), 0, 0x82, 0x92, 2, 0x01, 0x00]
        data += masked
        data += Array(repeating: 3, count: 24)
        data += Array(repeating: 4, count: 32)
        data += Array("843U118792".utf8)
        data += Array(repeating: 9, count: 10)
        let packet = try IDTechPacket(IDTechFrame.binary(IDTechPackets.frame(data)))
        #expect(packet.isKeyed)
        #expect(packet.tracks[1].hash?.count == 32)
        #expect(packet.serial.map { String(decoding: $0, as: UTF8.self) } == "843U118792")
        #expect(packet.keySerialNumber == Array(repeating: 9, count: 10))
    }
}

@Suite struct IDTechCommandTests {
    struct Exchanges: Decodable {
        struct Pair: Decodable {
            var name: String
            var tx: String?
            var rx: String?
        }
        var pairs: [Pair]
    }

    @Test func exchangesOfTheManual() throws {
        let pairs = try PublishedVectors.load("IDTech/published/commands.json", as: Exchanges.self).pairs
        for pair in pairs {
            guard let text = pair.tx else { continue }
            let bytes = try PublishedVectors.bytes(text)
            let command: IDTechCommand =
                bytes[1] == 0x52 ? .read(bytes[2]) : .set(bytes[2], Array(bytes[4...].dropLast(2)))
            #expect(command.bytes == bytes, "\(pair.name)")
            guard let answer = pair.rx else { continue }
            let padded = try PublishedVectors.bytes(answer) + [0, 0, 0]
            #expect(throws: Never.self, "\(pair.name)") { _ = try IDTechResponse.data(padded, to: command) }
        }
        #expect(try IDTechResponse.data(PublishedVectors.bytes("06024C0130037C"), to: .read(0x4C)) == [0x30])
        #expect(try IDTechResponse.data([0x06, 0, 0, 0, 0, 0, 0, 0], to: .set(0x4C, [0x31])).isEmpty)
    }

    @Test func framesAreEightBytes() {
        let frames = IDTechCommand.set(0x54, Array(1...8)).frames(length: 8)
        #expect(frames.map(\.count) == [8, 8])
        #expect(frames[0] == [0x02, 0x53, 0x54, 0x08, 1, 2, 3, 4])
    }

    @Test(
        arguments: [
            ([0x15], IDTechResponse.Refusal.notAcknowledged), ([0xFD], .notAcknowledged),
            ([0x16], .unknownSetting),
            ([0x17], .pointOfSaleMode), ([0x18], .other), ([], .malformed), ([0x06, 0x02, 0x7E], .malformed),
            ([0x06, 0x02, 0x4C, 0x01, 0x33, 0x03, 0x7F], .malformed),
        ] as [([UInt8], IDTechResponse.Refusal)])
    func refusalsHaveNames(answer: [UInt8], refusal: IDTechResponse.Refusal) {
        #expect(throws: refusal) { try IDTechResponse.data(answer, to: .read(0x7E)) }
    }

    static func frame(_ bytes: [UInt8]) -> HIDReport {
        HIDReport(
            kind: .feature, bytes: bytes.isEmpty ? [] : bytes + Array(repeating: 0, count: 8 - bytes.count))
    }

    @Test func anAnswerIsPolledFor() {
        var driver = IDTechDrivers.driver()
        let first = IDTechDrivers.commands(driver.start())
        #expect(first == [.setFeature([0x02, 0x52, 0x7E, 0x03, 0x2D, 0, 0, 0]), .getFeature()])
        #expect(driver.receive(Self.frame([])) == [.startTimer(IDTechDialogue.pause)])
        #expect(IDTechDrivers.commands(driver.timerFired()) == [.getFeature()])
        #expect(
            IDTechDrivers.commands(driver.receive(Self.frame([0x06, 0x02, 0x7E, 0x01, 0x33, 0x03, 0x4D])))
                == [
                    .getFeature()
                ])
        let answered = driver.receive(Self.frame([]))
        #expect(MagTekReplies.identified(answered) == nil)
        #expect(
            IDTechDrivers.commands(answered).first == .setFeature([0x02, 0x52, 0x22, 0x03, 0x71, 0, 0, 0]))
        // Firmware in two frames, then a serial number that the reader does not have: all of it is told at once.
        _ = driver.receive(Self.frame([0x06, 0x02] + Array("ID TEC".utf8)))
        let text = Array("ID TECH".utf8)
        let check = text.reduce(0x02 ^ 0x03, ^)
        _ = driver.receive(Self.frame([UInt8(ascii: "H"), 0x03, check]))
        #expect(MagTekReplies.identified(driver.receive(Self.frame([]))) == nil)
        _ = driver.receive(Self.frame([0x16]))
        let told = MagTekReplies.identified(driver.receive(Self.frame([])))
        #expect(told?.encryption == .encrypted)
        #expect(told?.securityLevel == 3)
        #expect(told?.firmware == "ID TECH")
    }

    @Test func aReaderThatNeverAnswersIsGivenUp() {
        var driver = IDTechDrivers.driver()
        var actions = driver.start()
        var polls = 0
        while actions.contains(where: { if case .command(.getFeature) = $0 { true } else { false } }),
            polls < 1000
        {
            polls += 1
            _ = driver.receive(Self.frame([]))
            actions = driver.timerFired()
        }
        #expect(polls == IDTechDialogue.maximumPolls)
    }

    @Test(
        arguments: [
            ("encryption", PropertyValue.text("1"), [0x02, 0x53, 0x4C, 0x01, 0x31, 0x03, 0x2E, 0x00]),
            ("shown_digits_start", .number(6), [0x02, 0x53, 0x49, 0x01, 0x06, 0x03, 0x1C, 0x00]),
            ("track2_start_5bit", .text(";"), [0x02, 0x53, 0x65, 0x01, 0x3B, 0x03, 0x0D, 0x00]),
            ("terminator", .number(0), [0x02, 0x53, 0x21, 0x01, 0x00, 0x03, 0x72, 0x00]),
            ("defaults", .number(1), [0x02, 0x53, 0x18, 0x03, 0x4A, 0x00, 0x00, 0x00]),
            ("reset", .number(1), [0x02, 0x49, 0x03, 0x48, 0x00, 0x00, 0x00, 0x00]),
        ] as [(String, PropertyValue, [UInt8])])
    func settingAProperty(name: String, value: PropertyValue, bytes: [UInt8]) {
        var driver = IDTechDrivers.driver()
        let sent = driver.property(PropertyRequest(token: 1, name: name, newValue: value))
        #expect(IDTechDrivers.commands(sent) == [.setFeature(bytes), .getFeature()])
        _ = driver.receive(Self.frame([0x06]))
        #expect(MagTekReplies.reply(driver.receive(Self.frame([]))) == .success(value))
    }

    /// Clients write bytes as hex, for JSON has none; a text stands behind its length.
    @Test(
        arguments: [
            (
                "session_id", "0102030405060708",
                [[0x02, 0x53, 0x54, 0x08, 1, 2, 3, 4], [5, 6, 7, 8, 0x03, 0x06, 0, 0]]
            ),
            (
                "preamble", ">",
                [[0x02, 0x53, 0xD2, 0x02, 0x01, 0x3E, 0x03, 0xBD], [0, 0, 0, 0, 0, 0, 0, 0]]
            ),
        ] as [(String, String, [[UInt8]])])
    func longValuesAreSet(name: String, value: String, frames: [[UInt8]]) {
        var driver = IDTechDrivers.driver()
        let sent = driver.property(PropertyRequest(token: 1, name: name, newValue: .text(value)))
        #expect(
            IDTechDrivers.commands(sent).dropLast()
                == frames.filter { $0.contains { $0 != 0 } }.map { .setFeature($0) })
    }

    /// `02 52 D3` of a reader as it leaves the factory is answered `06 02 D3 01 00 03 D3`: a text of no characters.
    @Test(
        arguments: [
            ("postamble", [0x06, 0x02, 0xD3, 0x01, 0x00, 0x03, 0xD3, 0x00], PropertyValue.text("")),
            ("track1_end", [0x06, 0x02, 0x69, 0x01, 0x3F, 0x03, 0x56, 0x00], .text("?")),
            ("track1_end", [0x06, 0x02, 0x69, 0x01, 0x00, 0x03, 0x69, 0x00], .number(0)),
            ("encryption", [0x06, 0x02, 0x4C, 0x01, 0x30, 0x03, 0x7C, 0x00], .text("0")),
        ] as [(String, [UInt8], PropertyValue)])
    func readingAProperty(name: String, answer: [UInt8], value: PropertyValue) {
        var driver = IDTechDrivers.driver()
        _ = driver.property(PropertyRequest(token: 1, name: name))
        _ = driver.receive(Self.frame(answer))
        #expect(MagTekReplies.reply(driver.receive(Self.frame([]))) == .success(value))
    }

    @Test func everyPropertyHasANameAndANumberOfItsOwn() {
        let all = IDTechProperty.all
        #expect(Set(all.map(\.name)).count == all.count)
        // 38, 39 and 49 are settings, and the letters of commands.
        let commands: [IDTechCommand] = all.compactMap { try? $0.getCommand }
        #expect(Set(commands.map(\.bytes)).count == commands.count)
        #expect(Set(all.map(\.id)).count == all.count - 3)
    }

    /// `02 38 03 39` by the manual: a notice of 31 bytes.
    @Test(arguments: [("copyright", 0x38), ("version", 0x39)] as [(String, UInt8)])
    func aNoticeIsRead(name: String, letter: UInt8) {
        var driver = IDTechDrivers.driver()
        let sent = driver.property(PropertyRequest(token: 1, name: name))
        #expect(
            IDTechDrivers.commands(sent) == [
                .setFeature([0x02, letter, 0x03, letter ^ 1, 0, 0, 0, 0]), .getFeature(),
            ])
        let text = "COPYRIGHT 2010, A MAKER OF THEM"
        let body = [0x02] + Array(text.utf8) + [0x03]
        let answer = [0x06] + body + [body.reduce(0, ^)]
        for start in stride(from: 0, to: answer.count, by: 8) {
            _ = driver.receive(Self.frame(Array(answer[start...].prefix(8))))
        }
        #expect(MagTekReplies.reply(driver.receive(Self.frame([]))) == .success(.text(text)))
        let set = driver.property(PropertyRequest(token: 2, name: name, newValue: .text("A")))
        #expect(MagTekReplies.reply(set) == .failure(.readOnly))
    }

    @Test func badValuesAreRefusedByName() {
        var driver = IDTechDrivers.driver()
        for (name, value, error) in [
            ("encryption", PropertyValue.text("9"), PropertyError.badValue("one of the characters 012")),
            ("serial", .text("1"), .readOnly),
            ("preamble", .text("0123456789abcdef"), .badValue("a text of at most 15 ASCII characters")),
            ("session_id", .text("0102"), .badValue("8 bytes, as hex")),
            ("reset", .number(2), .badValue("1")), ("nothing", .number(1), .unknown),
        ] {
            let actions = driver.property(PropertyRequest(token: 1, name: name, newValue: value))
            #expect(MagTekReplies.reply(actions) == .failure(error))
        }
    }
}
