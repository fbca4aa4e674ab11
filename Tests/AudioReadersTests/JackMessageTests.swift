import CardData
import ReaderKit
import ReaderPackets
import ReaderTesting
import Testing

@testable import AudioReaders

@Suite("What readers on a headset jack say")
struct JackMessageTests {
    private func message(_ bytes: [UInt8], damaged: Bool = false) -> BurstCollector.Message {
        BurstCollector.Message(bytes: bytes, isDamaged: damaged)
    }

    @Test("a UniMag packet becomes a swipe")
    func uniMagSwipe() throws {
        let bytes = try Vector("IDTech/generated/unimag2_binary.hex").bytes()
        guard case .swipe(let packet) = UniMagMessage(message(bytes + [0x00])) else {
            Issue.record("no swipe")
            return
        }
        let swipe = packet.swipe()
        #expect(swipe.card != nil)
        #expect(swipe.encryption?.scheme == "dukpt-tdes")
        #expect(packet.serial.map { String(decoding: $0, as: UTF8.self) } == "0000012345")
    }

    @Test(
        "each short message of a UniMag has its meaning",
        arguments: [
            ([0x06], .agreed), ([0x15], .refused(.notAcknowledged)), ([0x16], .refused(.unknownSetting)),
            ([0x06, 0x02, 0x41, 0x03, 0x40], .answer([0x41])),
            ([0x06, 0x02, 0x41, 0x03, 0x41], .malformed(.redundancy)),
            ([0x15, 0x02], .malformed(.leftOver)), ([0x77], .malformed(.noStart)), ([], .malformed(.noStart)),
            ([0x02, 0x01, 0x00, 0x41], .malformed(.truncated)),
        ] as [([UInt8], UniMagMessage)])
    func uniMagMessages(bytes: [UInt8], meaning: UniMagMessage) {
        #expect(UniMagMessage(message(bytes)) == meaning)
        #expect(UniMagMessage(message(bytes, damaged: true)) == .damaged)
    }

    @Test("commands end in the XOR of all before it", arguments: UniMagCommand.allCases)
    func commands(command: UniMagCommand) {
        #expect(command.bytes.reduce(0, ^) == 0)
        #expect(command.bytes.first == 0x02 && command.bytes.dropLast().last == 0x03)
    }

    @Test("an IPS packet becomes a swipe")
    func ipsSwipe() throws {
        let bytes = try Vector("IPS/generated/ms6xx_packet.hex").bytes()
        let packet = try IPSPacket(bytes)
        #expect(packet.mode == .fixedKey && packet.name == "TEST/IPS" && packet.expiry == "0809")
        #expect(packet.counter == 1 && packet.present == [true, true, false])
        let swipe = packet.swipe()
        #expect(
            swipe.tracks.map(\.outcome) == [
                .encrypted(masked: "%B426684******9999^TEST/IPS^0809***?"),
                .encrypted(masked: ";426684******9999=0809***?"), .empty,
            ])
        #expect(swipe.encryption?.scheme == "fixed-tdes")
        #expect(swipe.encryption?.tracks.first?.ciphertext.count == 80)
        #expect(swipe.encryption?.tracks.first?.joinedTracks == [2, 1])
        #expect(IPSMessage(message(bytes)) == .swipe(packet))
    }

    @Test("the ciphertext opens with the vector's key")
    func ipsCiphertext() throws {
        let packet = try IPSPacket(try Vector("IPS/generated/ms6xx_packet.hex").bytes())
        let key = try #require(Hex.bytes("0123456789ABCDEFFEDCBA9876543210"))
        let clear = stride(from: 0, to: 80, by: 8).flatMap { start in
            TripleDES(key: key).decrypt(Array(packet.tracks[start..<(start + 8)]))
        }
        let track2 = try #require(IPSTrackText.text(of: clear, track: 2))
        #expect(String(decoding: track2, as: UTF8.self) == ";4266841088889999=080910110000046?")
        let track1 = try #require(IPSTrackText.text(of: clear, track: 1))
        #expect(
            String(decoding: track1, as: UTF8.self)
                == "%B4266841088889999^TEST/IPS^0809101100001100000000046000000?")
    }

    @Test("a packet that is not encrypted is read")
    func ipsPlain() throws {
        var bytes = try Vector("IPS/generated/ms6xx_packet.hex").bytes()
        let key = try #require(Hex.bytes("0123456789ABCDEFFEDCBA9876543210"))
        for start in stride(from: 48, to: 128, by: 8) {
            bytes.replaceSubrange(
                start..<(start + 8), with: TripleDES(key: key).decrypt(Array(bytes[start..<(start + 8)])))
        }
        bytes[3] = 0xFD
        bytes[130] = 0
        bytes[130] = IPSChecksum.value(of: bytes.dropLast())
        let swipe = try IPSPacket(bytes).swipe()
        #expect(swipe.encryption == nil)
        #expect(
            swipe.tracks[1].outcome
                == .read(SensitiveText(utf8: Array(";4266841088889999=080910110000046?".utf8))))
    }

    /// A packet that lies: its ciphertext is the card's track, and its key serial number has digits of that.
    @Test("a key serial number with digits of the tracks is not for everybody", arguments: [true, false])
    func ipsLie(isLie: Bool) throws {
        var bytes = try Vector("IPS/generated/ms6xx_packet.hex").bytes()
        bytes.replaceSubrange(
            48..<128, with: Array("4761739001010010D24122011".utf8) + Array(repeating: 0, count: 55))
        let digits: [UInt8] = isLie ? [0x17, 0x39, 0x00, 0x10] : [0x98, 0x76, 0x54, 0x32]
        bytes.replaceSubrange(40..<44, with: digits)
        bytes[130] = 0
        bytes[130] = IPSChecksum.value(of: bytes.dropLast())
        #expect(try IPSPacket(bytes).swipe().encryption?.isOfCard == isLie)
    }

    @Test(
        "the mode names the scheme",
        arguments: [(0x00, "fixed-tdes"), (0x01, "fixed-tdes"), (0xFE, "dukpt-tdes")] as [(UInt8, String)])
    func ipsModes(mode: UInt8, scheme: String) throws {
        var bytes = try Vector("IPS/generated/ms6xx_packet.hex").bytes()
        bytes[3] = mode
        bytes[130] = IPSChecksum.value(of: bytes.dropLast())
        let packet = try IPSPacket(bytes)
        #expect(packet.mode.rawValue == mode)
        let swipe = packet.swipe()
        #expect(swipe.encryption?.scheme == scheme)
        #expect(swipe.encryption?.keySerialNumber == Array(bytes[38..<48]))
        #expect(swipe.encryption?.tracks.map(\.ciphertext) == [Array(bytes[48..<128])])
        // Nothing of an encrypted track is read as text.
        #expect(swipe.tracks.allSatisfy { $0.text == nil })
    }

    @Test(
        "a wrong field, a wrong CRC and a wrong length are refused",
        arguments: [
            (0, 0x61, IPSPacket.Refusal.unknownType), (3, 0x44, .unknownMode), (4, 0x03, .card),
            (5, 0xAA, .digits),
            (11, 0x13, .card), (12, 0x07, .card), (128, 0x00, .card), (128, 0x88, .card),
        ] as [(Int, UInt8, IPSPacket.Refusal)])
    func ipsRefusals(place: Int, value: UInt8, refusal: IPSPacket.Refusal) throws {
        var bytes = try Vector("IPS/generated/ms6xx_packet.hex").bytes()
        bytes[place] = value
        #expect(throws: IPSPacket.Refusal.redundancy) { try IPSPacket(bytes) }
        bytes[130] = IPSChecksum.value(of: bytes.dropLast())
        #expect(throws: refusal) { try IPSPacket(bytes) }
        #expect(throws: IPSPacket.Refusal.length) { try IPSPacket(bytes.dropLast()) }
    }

    @Test(
        "each short message of an IPS reader has its meaning",
        arguments: [
            ([0x4D, 0x06], .malformed(.redundancy)), ([], .malformed(.empty)),
            ([0x33], .malformed(.unknownType)),
            ([0x66, 0x00], .malformed(.length)), (SimulatedPackets.ipsBadSwipe, .badSwipe),
            ([0x4D, IPSChecksum.value(of: [0x4D])], .awake),
            ([0x00, 0x4D, IPSChecksum.value(of: [0x00, 0x4D])], .awake),
        ] as [([UInt8], IPSMessage)])
    func ipsMessages(bytes: [UInt8], meaning: IPSMessage) {
        #expect(IPSMessage(message(bytes)) == meaning)
        #expect(IPSMessage(message(bytes, damaged: true)) == .damaged)
    }
}
