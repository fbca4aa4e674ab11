import CardData
import ReaderKit
import ReaderTesting
import Testing

@testable import Captures
@testable import HIDReaders

/// What parts one report, fragment or text from the next: each rule broken alone.
@Suite struct FrameFieldTests {
    /// A fragment of another message in the middle of one.
    @Test func fragmentsOfTwoMessagesAreNone() throws {
        var packets = Gen3Packets()
        func fragment(_ offset: UInt8, _ message: UInt8, _ data: [UInt8]) -> [UInt8] {
            [UInt8(6 + data.count), 0, offset, 0, message, 0, 4] + data
        }
        #expect(try packets.take(fragment(0, 1, [1, 2])) == nil)
        #expect(throws: Gen3Packets.Refusal.outOfOrder) { try packets.take(fragment(2, 2, [3, 4])) }
        #expect(try packets.take(fragment(0, 2, [1, 2])) == nil)
        #expect(try packets.take(fragment(2, 2, [3, 4])) == [1, 2, 3, 4])
    }

    @Test func aLostPartOfANotificationIsNoticed() throws {
        var notification = MagTekNotification()
        #expect(try notification.take([0, 1, 0, 0, 0, 7, 0, 3, 0xA1]) == nil)
        #expect(throws: MagTekNotification.Refusal.outOfOrder) {
            try notification.take([0, 1, 0, 2, 0, 7, 0, 3, 0xA3])
        }
    }

    private static func gen3(_ ciphertextBytes: Int, keyInfo: String) throws -> Swipe {
        let ciphertext = String(repeating: "A5", count: ciphertextBytes)
        let fields = [
            "M001", "", ";5452000000007189=080400000000000000?", "", "", ciphertext, "", "", "", "",
            "FFFF9876543210E00008", keyInfo, "", "", "B05A9C4",
        ]
        return try Gen3Message(Array(fields.joined(separator: "|").utf8)).swipe
    }

    @Test(arguments: [(40, true), (39, false), (41, false)]) func ciphertextsOfGen3(bytes: Int, isRight: Bool)
        throws
    {
        let swipe = try Self.gen3(bytes, keyInfo: "FF00")
        #expect((swipe.tracks[1].outcome == .refused(.malformed)) == !isRight)
        #expect(swipe.encryption?.tracks.count == (isRight ? 1 : 0))
    }

    /// Covered text whose ciphertext is missing is not taken for text in clear.
    @Test func coveredTextOfGen3WithoutCiphertext() throws {
        let swipe = try Self.gen3(0, keyInfo: "FF00")
        #expect(swipe.tracks[1].outcome == .refused(.malformed))
        #expect(swipe.card == nil)
    }

    @Test(arguments: [
        ("FF00", SwipeEncryption.KeyVariant.pin, false), ("FF02", .data, false), ("3002", .data, false),
        ("FF01", .data, true), ("", .data, true),
    ])
    func keysOfGen3(keyInfo: String, variant: SwipeEncryption.KeyVariant, isAssumed: Bool) throws {
        let encryption = try #require(Self.gen3(40, keyInfo: keyInfo).encryption)
        #expect(encryption.keyVariant == variant && encryption.isKeyVariantAssumed == isAssumed)
    }

    /// The check sum is right, and the track that stands there twice says two things.
    @Test func aStreamThatContradictsItself() throws {
        let line = String(decoding: try MagTekStreams.stream("stream_level2_v5"), as: UTF8.self)
        let end = try #require(line.firstRange(of: "6F36")?.lowerBound)
        let clear = try #require(line.firstRange(of: "|%B5452300551227189^HOGAN")?.upperBound)
        let text = String(line[..<clear].dropLast(5)) + "HAGEN" + String(line[clear..<end])
        let sum = CRC16.of(Array(text.utf8))
        let stream = text + "\(Hex.text([UInt8(sum & 0xFF), UInt8(sum >> 8)]))||1000"
        #expect(throws: MagTekStream.Refusal.contradiction) { try MagTekStream(Array(stream.utf8)) }
    }

    /// A row that is missing would be read as blanks: no field has so many.
    @Test(arguments: [(0, true), (1, true), (26, true), (27, false)]) func aRowThatIsMissing(
        blanks: Int, isRead: Bool
    ) {
        let rows = ["0 " + String(repeating: "A", count: 40 - blanks), "40 B", ""]
        let lines = rows.map { Array($0.utf8)[...] }
        let text =
            Array(repeating: UInt8(ascii: "A"), count: 40 - blanks) + Array(repeating: 0x20, count: blanks)
            + [0x42]
        #expect(TextTable.readings(lines) == (isRead ? [[text]] : []))
    }

    @Test func aFourthTrackIsNoTrack() {
        #expect(throws: TrackScan.Refusal.tooManyTracks) {
            try TrackScan.tracks(in: Array("%A?;1?+2?;3?".utf8))
        }
    }

    /// A field of another size, or one that is missing, would shift what is read.
    @Test(arguments: [0x46, 0x42, 0x50, 0x23] as [UInt8]) func fieldsHaveTheirSize(usage: UInt8) throws {
        let fields = TestDescriptors.magneSafe.map { field in
            field.usage == usage ? (usage: usage, bits: UInt8(8), count: UInt8(1)) : field
        }
        let descriptor = try ReportDescriptor(TestDescriptors.vendor(fields))
        #expect(MagTekLayout(descriptor, reportID: 0) == nil)
    }

    @Test(arguments: [0x20, 0x2A, 0x30, 0x32, 0x38] as [UInt8]) func fieldsThatEveryReaderHas(usage: UInt8)
        throws
    {
        let fields = TestDescriptors.magneSafe.filter { $0.usage != usage }
        let descriptor = try ReportDescriptor(TestDescriptors.vendor(fields))
        #expect(MagTekLayout(descriptor, reportID: 0) == nil)
    }

    @Test(
        arguments: [
            (";1234567?", true), (";1230067?", true), (";1230097?", true), (";1230098?", false),
            (";1234568?", false), (";123456?", false), (";12***67?", true), (";12***68?", true),
        ])
    func clearAndMasked(masked: String, agree: Bool) {
        #expect(MaskAgreement.agree(clear: Array(";1234567?".utf8), masked: Array(masked.utf8)) == agree)
    }

    @Test func aTextThatIsTooLongIsNotSent() throws {
        let property = try #require(MagTekProperty.magneSafe.first { $0.name == "usb_serial" })
        #expect(throws: Never.self) { try property.setCommand(.text(String(repeating: "A", count: 15))) }
        #expect(throws: PropertyError.self) {
            try property.setCommand(.text(String(repeating: "A", count: 16)))
        }
    }
}
