import CardData
import ReaderKit
import ReaderPackets
import ReaderTesting
import Testing

@testable import Captures
@testable import HIDReaders

/// What the drivers pass on must be what the published key opens. The daemon itself never does this.
@Suite struct DecryptionTests {

    @Test func magneSafeWithDataVariant() throws {
        let report = try Vector("MagTek/generated/v5_hid887_datavariant.hex").bytes()
        var driver = MagTekReports.magneSafe()
        let swipe = try #require(MagTekReports.swipes(driver.receive(HIDReport(bytes: report))).first)
        let encryption = try #require(swipe.encryption)
        for track in 1...3 {
            #expect(
                try TestKeys.clear(encryption, track: track, .dataRequest) == MagTekReports.tracks[track - 1])
        }
    }

    /// The same swipe as the published stream, as a report.
    @Test func magneSafeWithPINVariant() throws {
        let report = try Vector("MagTek/generated/v5_hid856_level3.hex").bytes()
        var driver = MagTekReports.magneSafe()
        let swipe = try #require(MagTekReports.swipes(driver.receive(HIDReport(bytes: report))).first)
        let encryption = try #require(swipe.encryption)
        for track in 1...3 {
            #expect(try TestKeys.clear(encryption, track: track, .pin) == MagTekReports.tracks[track - 1])
        }
        let line = try #require(try Vector("MagTek/published/stream_level3.txt").lines.first)
        let stream = try MagTekStream(Array(line.utf8)).swipe
        #expect(swipe.tracks == stream.tracks && swipe.card == stream.card)
        #expect(encryption.magnePrint == stream.encryption?.magnePrint)
        #expect(encryption.session == stream.encryption?.session)
        #expect(encryption.keySerialNumber == stream.encryption?.keySerialNumber)
    }

    @Test(arguments: [
        "IDTech/generated/enhanced_binary_uat.hex", "IDTech/generated/enhanced_binary_sha1.hex",
    ])
    func idTechBinary(path: String) throws {
        let packet = try IDTechPacket(IDTechFrame.binary(try Vector(path).bytes()))
        try Self.expectTestSwipe(packet.swipe())
    }

    @Test func idTechTyped() throws {
        let line = try #require(try Vector("IDTech/published/enhanced_kb_uat.txt").lines.first)
        let packet = try IDTechPacket(IDTechFrame.typed(Array(line.utf8)))
        #expect(packet.serial.map { String(decoding: $0, as: UTF8.self) } == "806T449554")
        #expect(!packet.isKeyed)
        try Self.expectTestSwipe(packet.swipe())
    }

    @Test func idTechReport() throws {
        let report = try Vector("IDTech/assumed/hid509_enhanced.hex").bytes()
        var driver = IDTechDriver(
            DeviceIdentity(
                readerID: "idtech", bus: .usb, vendorID: 0x0ACD, productID: 0x2010, node: "/dev/hidraw1"))
        let swipe = try #require(MagTekReports.swipes(driver.receive(HIDReport(bytes: report))).first)
        try Self.expectTestSwipe(swipe)
    }

    static func expectTestSwipe(_ swipe: Swipe) throws {
        #expect(
            swipe.tracks.map(\.masked) == [
                "%*4761********0011^UAT USA/TEST CARD 01      ^2412***************************?*",
                ";4761********0011=2412****************?*", nil,
            ])
        let encryption = try #require(swipe.encryption)
        #expect(encryption.scheme == "dukpt-tdes")
        #expect(encryption.keyVariant == .data)
        #expect(Hex.text(encryption.keySerialNumber) == "FFFF9876540042E0011C")
        #expect(
            try TestKeys.clear(encryption, track: 1, .dataRequest)
                == "%B4761730000000011^UAT USA/TEST CARD 01      ^2412201114380440000000000000000?J")
        #expect(
            try TestKeys.clear(encryption, track: 2, .dataRequest)
                == ";4761730000000011=24122011303130600000?:")
        guard case .payment(let card)? = swipe.card else {
            Issue.record("no payment card")
            return
        }
        #expect(card.pan.masked == "4761********0011")
        #expect(card.pan.brand == .visa)
        #expect(card.expiry?.yearMonth == "2412")
        #expect(card.name?.text.reveal() == "UAT USA/TEST CARD 01")
    }

    /// The original format: tracks 1 and 2 in one run of the cipher, track 3 in clear.
    @Test func idTechOriginal() throws {
        let found = FoundCaptures.found(
            Array(try Vector("IDTech/published/original_securemag.hex").text.utf8))
        #expect(found.map(\.model) == [.idTechPacket])
        let swipe = try #require(found.first).swipe
        let track3 = String(repeating: "3333333333767676070707767676", count: 4).prefix(104)
        #expect(
            swipe.tracks.map(\.masked).prefix(2) == [
                "%*4266********9999^BUSH JR/GEORGE W.MR^*******************************?*",
                ";4266********9999=***************?*",
            ])
        #expect(swipe.tracks[2].text?.reveal() == ";\(track3)?")
        let encryption = try #require(swipe.encryption)
        #expect(encryption.scheme == "dukpt-tdes" && encryption.keyVariant == .data)
        #expect(Hex.text(encryption.keySerialNumber) == "62994901190000000001")
        #expect(encryption.tracks.map(\.joinedTracks) == [[1, 2]])
        let clear =
            "%B4266841088889999^BUSH JR/GEORGE W.MR^0809101100001100000000046000000?!"
            + ";4266841088889999=080910110000046?0"
        #expect(try TestKeys.clear(encryption, track: 1, .dataRequest) == clear)
    }

    @Test func uniMagTwoTracks() throws {
        let packet = try IDTechPacket(
            IDTechFrame.binary(try Vector("IDTech/generated/unimag2_binary.hex").bytes()))
        let encryption = try #require(packet.swipe().encryption)
        #expect(
            try TestKeys.clear(encryption, track: 1, .dataRequest)
                == "%B4266841088889999^TEST/UNIMAG^0809101000000460000000?P")
        #expect(
            try TestKeys.clear(encryption, track: 2, .dataRequest) == ";4266841088889999=080910110000046?0")
        #expect(packet.swipe().tracks[2].outcome == .empty)
    }

    @Test func keyedEntry() throws {
        let lines = try Vector("IDTech/published/keyed_entry_kb.txt").lines
        #expect(lines.count == 2)
        for (line, serial) in zip(lines, ["629949960E004A800003", "629949960E004A800006"]) {
            let packet = try IDTechPacket(IDTechFrame.typed(Array(line.utf8)))
            #expect(packet.isKeyed)
            let swipe = packet.swipe()
            #expect(swipe.tracks.map(\.outcome)[0] == .empty)
            #expect(Hex.text(swipe.encryption?.keySerialNumber ?? []) == serial)
            #expect(swipe.encryption?.tracks.map(\.ciphertext.count) == [24])
            #expect(swipe.card?.kind == "payment")
        }
    }

    /// A published ciphertext of one track on its own.
    @Test func secureMagExample() throws {
        struct Example: Decodable {
            var bdk: String
            var ksn: String
            var ipek: String
            var ciphertext: String
            var clear: String
        }
        let example = try PublishedVectors.load(
            "IDTech/published/enhanced_track1_ctr2.json", as: Example.self)
        let keys = DUKPT(
            baseKey: try PublishedVectors.bytes(example.bdk),
            keySerialNumber: try PublishedVectors.bytes(example.ksn))
        #expect(Hex.text(keys.initialKey) == example.ipek)
        let clear = TripleDES(key: keys.key(.dataRequest)).decryptCBC(
            try PublishedVectors.bytes(example.ciphertext))
        #expect(String(decoding: clear, as: UTF8.self) == example.clear)
    }
}
