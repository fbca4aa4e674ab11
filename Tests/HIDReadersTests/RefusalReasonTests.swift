import CardData
import ReaderKit
import ReaderPackets
import ReaderTesting
import Testing

@testable import Captures
@testable import HIDReaders

/// The reason that reaches a person is the true one.
@Suite struct RefusalReasonTests {
    private static func reasons(_ bytes: [UInt8]) -> [String] {
        FoundCaptures.read(bytes).compactMap { outcome in
            if case .failure(.malformed(_, let reason)) = outcome { reason } else { nil }
        }
    }

    private static let masked = Array(";4266********9999=****************?*".utf8)

    /// An enhanced packet with one ciphertext.
    private static var packet: [UInt8] {
        var data: [UInt8] = [0x80, 0x1F, 0, UInt8(masked.count), 0, 0x02, 0x82] + masked
        data += Array(repeating: 3, count: 40) + Array(repeating: 9, count: 10)
        return IDTechPackets.frame(data)
    }

    private static func report(_ packet: [UInt8], at start: Int = 9, size: Int = 509) -> [UInt8] {
        let bytes = Array(repeating: UInt8(0), count: start) + packet
        return bytes + Array(repeating: 0, count: size - bytes.count)
    }

    /// A broken packet in a report, in the usual place, elsewhere, in a tag, and with the report's id in front.
    @Test func packetsInReports() {
        var broken = Self.packet
        broken[20] ^= 1
        let tag = [0xDF, 0xEE, 0x23, 0x81, UInt8(broken.count)] + broken
        let reports = [
            Self.report(broken), Self.report(broken, at: 0), Self.report(broken, at: 12, size: 512),
            Self.report(tag, at: 9), [0] + Self.report(broken),
        ]
        for report in reports {
            #expect(Self.reasons(report) == ["packet's LRC is wrong"])
        }
        var driver = IDTechDrivers.driver()
        for report in reports where report.count != 510 {
            #expect(
                driver.receive(HIDReport(bytes: report)) == [.signal(.malformed("packet's LRC is wrong"))])
        }
        // A 02 that merely stands in the header is no packet's start.
        #expect(Self.reasons(Self.report([2], at: 6)) == ["report without a packet or a track"])
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> [UInt8] { Array(Hex.text(bytes).utf8) }

    /// A typed packet without masked tracks is nothing but hex: the typed form's own check bytes tell what is wrong.
    @Test func typedPacketsOfHexAlone() throws {
        let line = Array(try #require(try Vector("IDTech/published/keyed_original_kb.txt").lines.first).utf8)
        var broken = line
        broken[40] = broken[40] == UInt8(ascii: "1") ? UInt8(ascii: "2") : UInt8(ascii: "1")
        #expect(Self.reasons(broken) == ["packet's LRC is wrong"])
        #expect(Self.reasons(Array(line.dropLast(4))) == ["packet is cut short"])
    }

    @Test func typedLengthsAreHex() {
        let typed = Array("02ZZ00".utf8) + Self.hex([0x80, 0x1F])
        #expect(throws: IDTechPacket.Refusal.notHex) { try IDTechFrame.typed(typed) }
        #expect(throws: IDTechPacket.Refusal.noStart) { try IDTechFrame.typed(Array("03ZZ00".utf8)) }
    }

    private static func refusal(_ data: [UInt8]) -> IDTechPacket.Refusal? {
        do throws(IDTechPacket.Refusal) {
            _ = try IDTechPacket(IDTechFrame.binary(IDTechPackets.frame(data)))
            return nil
        } catch {
            return error
        }
    }

    @Test func fieldsOfPackets() {
        let keyed: [UInt8] = [0x85, 0, 0, 0, 0, 0, 21] + Array(repeating: 1, count: 24)
        let end = Array(repeating: UInt8(3), count: 20) + Array(repeating: 9, count: 10)
        #expect(Self.refusal(keyed + end) == nil)
        #expect(Self.refusal([0x85, 1] + keyed[2...] + end) == .contradiction)
        #expect(Self.refusal([0x85, 0, 0, 40] + keyed[4...] + end) == .contradiction)
        #expect(Self.refusal(keyed[..<5] + [0x10, 21] + keyed[7...] + end) == .unknownStatus)
        #expect(Self.refusal(keyed + end.dropLast()) == .fieldOverrun)
        #expect(Self.refusal([0x02, 0]) == .unknownType)
        // The original format: too little for a ciphertext and a key's number, and too much.
        let original: [UInt8] = [0x00, 0x1F, 0, UInt8(Self.masked.count), 0] + Self.masked
        #expect(Self.refusal(original + Array(repeating: 1, count: 49)) == .fieldOverrun)
        #expect(Self.refusal(original + Array(repeating: 1, count: 50)) == nil)
        #expect(Self.refusal(original + Array(repeating: 1, count: 51)) == .leftOver)
        #expect(Self.refusal([0x00, 0x1F, 0, 0, 0] + [1]) == .leftOver)
    }

    /// The SREDKey 2 encrypts all three tracks of the original format, and sends a hash for each.
    @Test func threeJoinedTracks() throws {
        let track3 = Array(";5163****0445=000000000000?*".utf8)
        var data: [UInt8] =
            [0x00, 0x3F, 0, UInt8(Self.masked.count), UInt8(track3.count)] + Self.masked + track3
        data +=
            Array(repeating: 3, count: 64) + Array(repeating: 0, count: 20) + Array(repeating: 7, count: 20)
        data += Array(repeating: 9, count: 10)
        let swipe = try IDTechFields.packet(data).swipe()
        #expect(swipe.encryption?.tracks.map(\.joinedTracks) == [[2, 3]])
        #expect(swipe.encryption?.tracks.map(\.joinedHashes) == [[[], Array(repeating: 7, count: 20)]])
        #expect(swipe.tracks[2].outcome != .empty && swipe.tracks[2].text == nil)
    }

    /// A track that the reader says it did not decode is refused, whatever stands in its place.
    @Test(arguments: [0x80, 0x81, 0x83, 0x00] as [UInt8]) func aTrackThatWasNotDecoded(type: UInt8) throws {
        let isEnhanced = type & 0x80 != 0
        let clear = IDTechPackets.track2
        for (status, isRead) in [(0x12, true), (0x10, false), (0x00, false), (0x15, false)] as [(UInt8, Bool)]
        {
            let head: [UInt8] = [type, status, 0, UInt8(clear.count), 0] + (isEnhanced ? [0x02, 0x00] : [])
            let swipe = try IDTechFields.packet(head + clear).swipe()
            #expect((swipe.tracks[1].outcome == .refused(.malformed)) == !isRead, "\(status)")
            #expect((swipe.card != nil) == isRead)
        }
    }

    @Test func fragments() {
        var packets = Gen3Packets()
        #expect(throws: Gen3Packets.Refusal.noData) { try packets.take([5, 0, 0, 0, 1, 0, 4, 1, 2]) }
        #expect(throws: Gen3Packets.Refusal.overrun) { try packets.take([9, 0, 0, 0, 1, 0, 2, 1, 2, 3]) }
        #expect(throws: Gen3Packets.Refusal.truncated) { try packets.take([9, 0, 0, 0, 1, 0, 2, 1, 2]) }
        var notifications = MagTekNotification()
        #expect(throws: MagTekNotification.Refusal.overrun) {
            try notifications.take([0, 3, 0, 0, 0, 7, 0, 2, 1, 2, 3])
        }
    }

    @Test func aMessageWithoutAKeysNumber() {
        let text = Gen3Texts.text.replacing("FFFF9876543210E00008", with: "")
        #expect(throws: Gen3Message.Refusal.noKeySerialNumber) { try Gen3Message(Array(text.utf8)) }
        #expect(throws: Gen3Message.Refusal.notHex(field: "KSN")) {
            try Gen3Message(Array(Gen3Texts.text.replacing("E00008", with: "E0000").utf8))
        }
    }

    @Test func fieldsOfStreams() throws {
        let line = try PublishedLines.line("MagTek/published/stream_level3.txt")
        for (old, new, refusal) in [
            ("|0600|", "|06|", MagTekStream.Refusal.wrongLength(field: "status")),
            ("|0600|", "|06G0|", .notHex(field: "status")), ("|0600|", "|060|", .notHex(field: "status")),
            ("|B78F|", "|B7|", .wrongLength(field: "CRC")), ("|B78F|", "|B78G|", .notHex(field: "CRC")),
            ("|B78F|", "|B78E|", .checkSum),
        ] {
            #expect(line.contains(old))
            #expect(throws: refusal) { try MagTekStream(Array(line.replacing(old, with: new).utf8)) }
        }
    }

    /// Of the frame around a tag: cut, with a wrong CRC, and with something behind it.
    @Test func framesOfTags() throws {
        let whole = try Vector("IDTech/published/tagged_vp3350.hex").bytes()
        #expect(Self.reasons(Array(whole.dropLast(1))) == ["frame is cut short"])
        #expect(Self.reasons(whole.dropLast(1) + [whole[whole.count - 1] ^ 1]) == ["frame's CRC is wrong"])
        #expect(Self.reasons(whole + [1]) == ["more after the frame"])
    }

    /// A reader whose feature report is too short for a command, and one that is never done.
    @Test func exchangesOfMagTek() throws {
        let device = DeviceIdentity(
            readerID: "magtek", bus: .usb, vendorID: 0x0801, productID: 0x0019, node: "/dev/hidraw0",
            reportDescriptor: TestDescriptors.vendor(
                TestDescriptors.magneSafe, reportID: 1, featureBytes: 8))
        var driver = MagneSafeDriver(device)
        let clock = driver.property(
            PropertyRequest(token: 1, name: "clock", newValue: .text("2026-01-31 09:30:00")))
        #expect(
            MagTekReplies.reply(clock)
                == .failure(.refused(reason: "its feature report of 8 bytes has no room for it")))
        let serial = driver.property(PropertyRequest(token: 2, name: "usb_serial", newValue: .text("123456")))
        #expect(MagTekReplies.reply(serial) == .failure(.badValue("at most 5 bytes")))
        var dialogue = MagTekExtendedDialogue(MagTekExtendedCommand(number: 1, data: []))
        var refusal: MagTekResponse.Refusal?
        for _ in 0...MagTekExtendedDialogue.maximumFetches where refusal == nil {
            do throws(MagTekResponse.Refusal) { _ = try dialogue.answered([0x0B, 0]) } catch {
                refusal = error
            }
        }
        #expect(refusal == .stillBusy)
    }

    /// A reader by the USB-IF's page whose tracks do not begin with a byte.
    @Test func aStripePageThatCannotBeRead() {
        var driver = StripePageDriver(
            DeviceIdentity(readerID: "hid", bus: .usb, vendorID: 1, productID: 1, node: "/dev/hidraw0"))
        let why = driver.start().compactMap { action -> String? in
            if case .signal(.activationFailed(.failed, let why)) = action { why } else { nil }
        }
        #expect(why == ["its report descriptor names no track's data that begins and ends with a byte"])
    }
}
