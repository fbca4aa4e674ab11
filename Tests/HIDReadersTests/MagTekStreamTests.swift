import CardData
import ReaderKit
import ReaderTesting
import Testing

@testable import Captures
@testable import HIDReaders

@Suite struct MagTekStreamTests {

    @Test(arguments: ["stream_level2_sureswipe", "stream_level2_v5"]) func levelTwo(name: String) throws {
        let stream = try MagTekStream(MagTekStreams.stream(name))
        #expect(MagTekReports.clearTexts(stream.swipe) == MagTekReports.tracks)
        #expect(stream.swipe.encryption == nil)
        #expect(stream.swipe.card?.kind == "payment")
    }

    /// As the report of the same swipe.
    @Test func theMagnePrintStatusTellsTheDirection() throws {
        #expect(try MagTekStream(MagTekStreams.stream("stream_level3")).swipe.quality.direction == .forward)
    }

    /// With a separator too many, a copy of track 2 stands where the serial number should.
    @Test func aTrackIsNoSerialNumber() throws {
        let track = ";5452300551227189=080432100000007250?"
        let text = ";5452300000007189=080400000000000000?|0200||||\(track)||||||1000\r"
        let found = HIDCapture.outcomes(in: Array(text.utf8), models: [.magTekStream])
        #expect(found.allSatisfy { (try? $0.get().serial) == nil })
        #expect(MagTekText.serial(Array(track.utf8)) == nil)
        #expect(MagTekText.serial(Array("B000795\0\0".utf8)) == "B000795")
        for sign in "%;=?^+@#&|*" { #expect(MagTekText.serial(Array("12\(sign)34".utf8)) == nil) }
    }

    /// A report that lies has the card's number, or a piece of it, where the serial number should be.
    @Test func aCardsDigitsAreNoSerialNumber() throws {
        for number in ["4761730000000011", "4761-7300-0000-0011", "371449635398431"] {
            #expect(MagTekText.serial(Array(number.utf8)) == nil, "\(number)")
        }
        for number in ["806T449554", "21042812D01111", "0000000000000001", "123456789012", "B0795-1"] {
            #expect(MagTekText.serial(Array(number.utf8)) == number)
        }
        var report = try Vector("MagTek/generated/v5_hid887_datavariant.hex").bytes()
        let layout = MagTekLayout.magneSafe887
        let track = try #require(layout[.masked2])
        let place = try #require(layout[.serial])
        let text = Array(";5452300551227189=080432100000007250?".utf8)
        report.replaceSubrange(track.prefix(text.count), with: text)
        for (serial, isTold) in [("B005512271", false), ("5512-2718", false), ("B1122334", true)] {
            let field = Array(serial.utf8) + Array(repeating: 0, count: 16 - serial.utf8.count)
            report.replaceSubrange(place.prefix(16), with: field)
            #expect(try MagTekReport(report, layout: layout).serial == (isTold ? serial : nil))
            var driver = MagTekReports.magneSafe()
            let identified = MagTekReplies.identified(driver.receive(HIDReport(bytes: report)))
            #expect(identified?.serial == (isTold ? serial : nil))
        }
    }

    @Test func customTexts() throws {
        let stream = try MagTekStream(MagTekStreams.stream("stream_level2_custom"))
        #expect(MagTekReports.clearTexts(stream.swipe) == MagTekReports.tracks.dropLast() + [""])
        #expect(stream.serial == "B000795")
    }

    @Test func aChangedCharacterIsNoticed() throws {
        let stream = try MagTekStreams.stream("stream_level2_v5")
        let checked = try #require(stream.lastIndex(of: UInt8(ascii: "6")))
        for index in stream.indices where index < checked {
            var broken = stream
            broken[index] ^= 1
            #expect(throws: MagTekStream.Refusal.self, "character \(index)") { try MagTekStream(broken) }
        }
    }

    /// No level 3 stream is among the vectors: the published level 3 ciphertext in the form of a stream.
    @Test(arguments: [nil, "0007F1"]) func encryptedStream(counter: String?) throws {
        let report = try Vector("MagTek/generated/v5_hid887_datavariant.hex").bytes()
        let swipe = try MagTekReport(report, layout: .magneSafe887).swipe()
        let encryption = try #require(swipe.encryption)
        let stream = try MagTekStream(MagTekStreams.encryptedLine { if let counter { $0.append(counter) } })
        #expect(stream.isChecked)
        #expect(stream.serial == "B000795")
        #expect(stream.swipe.tracks == swipe.tracks)
        var expected = encryption
        expected.counter = counter == nil ? nil : 2033
        for index in expected.tracks.indices { expected.tracks[index].clearLength = nil }
        #expect(stream.swipe.encryption == expected)
        #expect(stream.swipe.card == swipe.card)
    }

    /// Bit 0: the reader refuses cards, and sends what is left of a swipe then.
    @Test func aStreamOfAnExhaustedReader() throws {
        let line = try MagTekStreams.encryptedLine { fields in
            fields[0] = ""
            fields[1] = "0700"
            for index in 2...6 { fields[index] = "" }
        }
        #expect(throws: MagTekStream.Refusal.fault(.keysExhausted)) { try MagTekStream(line) }
        let other = try MagTekStream(MagTekStreams.encryptedLine { $0[1] = "0632" })
        #expect(
            other.swipe.encryption?.readerStatus == [
                "secondary_key_injected", "magneprint_secondary_key", "magneprint_data_key",
            ])
    }

    /// What could not be decrypted, or be tied to its reader, is not passed on, even where the CRC is right.
    @Test(arguments: [
        (5, "A105", "MagnePrint status"), (8, "01020304", "session id"), (9, "FFFF98", "KSN"), (9, "", "KSN"),
        (10, "07F1", "counter"),
    ])
    func fieldsAreAsLongAsTheyMustBe(index: Int, text: String, field: String) throws {
        let line = try MagTekStreams.encryptedLine { fields in
            if index == fields.count { fields.append(text) } else { fields[index] = text }
        }
        #expect(throws: MagTekStream.Refusal.wrongLength(field: field)) { try MagTekStream(line) }
    }

    @Test func decodeErrorsAreNamed() throws {
        let stream = try MagTekStream(Array("%E?;5452300551227189=080432100000007250?+E?".utf8))
        #expect(stream.swipe.tracks[0].outcome == .refused(.malformed))
        #expect(stream.swipe.tracks[1].text?.reveal() == MagTekReports.tracks[1])
        #expect(stream.swipe.tracks[2].outcome == .refused(.malformed))
    }

    @Test(arguments: [
        ("", MagTekStream.Refusal.noTracks), ("hello", .noTracks), ("%B123", .tracks(.noEndSentinel)),
        ("|", .fieldCount(2)), (";1?;2?;3?", .tracks(.twice)),
    ])
    func refusals(text: String, refusal: MagTekStream.Refusal) {
        #expect(throws: refusal) { try MagTekStream(Array(text.utf8)) }
    }
}

@Suite struct Gen3Tests {

    @Test func packetsMakeASwipe() throws {
        var driver = Gen3Driver(
            DeviceIdentity(
                readerID: "magtek", bus: .usb, vendorID: 0x0801, productID: 0x0020, node: "/dev/hidraw0"))
        let actions = Gen3Texts.packets(Gen3Texts.text).flatMap {
            driver.receive(HIDReport(id: 1, bytes: $0))
        }
        let swipe = try #require(MagTekReports.swipes(actions).first)
        #expect(swipe.encryption?.keyVariant == .data)
        #expect(swipe.encryption?.tracks.map(\.track) == [1, 2])
        #expect(swipe.encryption?.magnePrint?.status == 0x5A1)
        #expect(swipe.tracks[2].outcome == .empty)
        #expect(MagTekReplies.identified(actions)?.serial == "B000795")
    }

    /// The packets on both sides of a gap fit each other, and are of two cards.
    @Test func packetsOfTwoCardsAreNoMessage() {
        var driver = Gen3Driver(
            DeviceIdentity(
                readerID: "magtek", bus: .usb, vendorID: 0x0801, productID: 0x0020, node: "/dev/hidraw0"))
        let parts = Gen3Texts.packets(Gen3Texts.text)
        let text = Gen3Texts.text.replacing("HOGAN/PAUL", with: "TEST/CARDS")
        let other = Gen3Texts.packets(text.replacing("0102030405060708", with: "0807060504030201"))
        #expect(other.count == parts.count)
        #expect(driver.receive(HIDReport(id: 1, bytes: parts[0])) == [])
        #expect(driver.inputsLost() == [])
        let rest = other.dropFirst().flatMap { driver.receive(HIDReport(id: 1, bytes: $0)) }
        #expect(MagTekReports.swipes(rest).isEmpty)
        #expect(rest.first == .signal(.malformed("packet out of order")))
        let next = other.flatMap { driver.receive(HIDReport(id: 1, bytes: $0)) }
        #expect(MagTekReports.swipes(next).count == 1)
    }

    @Test func aLostPacketIsNoticed() {
        var packets = Gen3Packets()
        let parts = Gen3Texts.packets(Gen3Texts.text)
        #expect(throws: Never.self) { _ = try packets.take(parts[0]) }
        #expect(throws: Gen3Packets.Refusal.outOfOrder) { _ = try packets.take(parts[2]) }
        #expect(throws: Gen3Packets.Refusal.truncated) { _ = try packets.take([60, 0, 0]) }
    }
}
