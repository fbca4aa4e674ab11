import CardData
import ReaderKit
import ReaderPackets
import ReaderTesting
import Testing

@testable import Captures
@testable import HIDReaders

/// Swipes that makers and processors publish as examples, in the forms in which they print them.
@Suite struct PublishedCaptureTests {

    static func only(_ text: String) throws -> HIDCapture.Found {
        let found = FoundCaptures.found(Array(text.utf8))
        #expect(found.count == 1)
        return try #require(found.first)
    }

    // MARK: MagTek

    @Test func levelThreeStream() throws {
        let found = try Self.only(PublishedLines.line("MagTek/published/stream_level3.txt"))
        #expect(found.model == .magTekStream)
        #expect(found.serial == nil)
        #expect(
            found.swipe.tracks.map(\.masked) == [
                "%B5452000000007189^HOGAN/PAUL      ^08040000000000000000000?",
                ";5452000000007189=080400000000000000?", ";5163000050000445=000000000000?",
            ])
        let encryption = try #require(found.swipe.encryption)
        #expect(encryption.scheme == "dukpt-tdes")
        #expect(encryption.keyVariant == .pin)
        #expect(Hex.text(encryption.keySerialNumber) == "FFFF9876543210E00008")
        #expect(encryption.magnePrint?.status == 0x5A1)
        #expect(Hex.text(encryption.session ?? []) == "21685F158B5C6BE0")
        let clear = try (1...3).map { try TestKeys.clear(encryption, track: $0, .pin) }
        #expect(clear[0] == MagTekReports.tracks[0] + "\0\0\0\0")
        #expect(clear[1] == MagTekReports.tracks[1] + "\0\0\0")
        #expect(clear[2] == "+" + MagTekReports.tracks[2].dropFirst() + "\0")
    }

    /// Manuals print a stream in lines of fifty characters with the place of each line before it. A table's blanks at the
    /// end of a line are nobody's to see.
    @Test(arguments: [50, 64, 37]) func aTableOfText(width: Int) throws {
        for path in ["MagTek/published/stream_level3.txt", "MagTek/published/stream_level2_v5.txt"] {
            let text = try PublishedLines.line(path)
            let rows = CaptureTexts.rows(Array(text.utf8), width).map { offset, row in
                CaptureText.trimmed(Array("\(offset) \(String(decoding: row, as: UTF8.self))".utf8)[...])
            }.map { String(decoding: $0, as: UTF8.self) }
            let table = "Raw Card Swipe Data:\nByte Content\n" + rows.joined(separator: "\n")
            #expect(try Self.only(table) == Self.only(text))
            #expect(
                try Self.only(table + "\n\nThe Card Swipe Data is broken down like this:\n")
                    == Self.only(text))
            // A line that is missing is not made up.
            guard width == 50 else { continue }
            let gap = rows.prefix(3) + rows.dropFirst(4)
            #expect(FoundCaptures.found(Array(gap.joined(separator: "\n").utf8)).isEmpty)
        }
    }

    /// Pages of the web show several blanks as one, in a line and in a table's first row.
    @Test(arguments: ["MagTek/published/stream_level3.txt", "MagTek/published/stream_level2_v5.txt"])
    func lostBlanksArePutBack(path: String) throws {
        let text = try PublishedLines.line(path)
        let shown = { (text: String) in text.split(separator: " ").joined(separator: " ") }
        #expect(try Self.only(shown(text)) == Self.only(text))
        let fields = shown(text).replacing("?;", with: "?\n;").replacing("?+", with: "?\n+")
        #expect(try Self.only(fields.replacing("|", with: "\n|")) == Self.only(text))
        #expect(FoundCaptures.found(Array(shown(text).replacing("7189", with: "7198").utf8)).isEmpty)
        guard path.hasSuffix("stream_level3.txt") else { return }
        let rows = CaptureTexts.rows(Array(text.utf8), 50).map { offset, row in
            "\(offset) \(shown(String(decoding: row, as: UTF8.self)))"
        }
        #expect(try Self.only(rows.joined(separator: "\n")) == Self.only(text))
    }

    /// What programs make of a report: the status in the report's order, and no CRC.
    @Test func aStreamMadeOfAReport() throws {
        let text = try PublishedLines.line("MagTek/published/stream_level3.txt")
        let made = text.replacing("|0600|", with: "|0006|").replacing("|B78F||0000", with: "|||")
        #expect(try Self.only(made).swipe == Self.only(text).swipe)
        let clear = try PublishedLines.line("MagTek/published/stream_level2_v5.txt")
        let fields = clear.replacing("|0200|", with: "|0002|").split(
            separator: "|", omittingEmptySubsequences: false
        ).dropLast(3)
        #expect(try Self.only(fields.joined(separator: "|") + "||||").swipe == Self.only(clear).swipe)
    }

    /// The page of the maker's demonstration program.
    @Test(arguments: ["\n", "\r\n\r\n"]) func namedFields(lineEnd: String) throws {
        let stream = try Self.only(PublishedLines.line("MagTek/published/stream_level3.txt")).swipe
        let encryption = try #require(stream.encryption)
        let hex = { (bytes: [UInt8]) in CaptureTexts.hex(bytes).joined(separator: " ").uppercased() }
        let lines =
            ["Card Encode Type = ISO", "DUKPT Key Serial Number = FFFF9876543210E00008"]
            + encryption.tracks.map { "Track \($0.track) Encrypted = \(hex($0.ciphertext)) " } + [
                "MagnePrint Status (hex) = 000005A1",
                "MagnePrint Data (hex) = \(hex(encryption.magnePrint?.ciphertext ?? [])) ",
                "Device Serial Number = B000795", "Track 1 Masked = \(stream.tracks[0].masked ?? "")",
                "Track 2 Masked = \(stream.tracks[1].masked ?? "")",
                "Track 3 Masked = \(stream.tracks[2].masked ?? "")",
                "Encrypted Session ID (Hex) = \(hex(encryption.session ?? []))",
            ]
        let found = try Self.only(lines.joined(separator: lineEnd))
        #expect(found.swipe == stream)
        #expect(found.serial == "B000795")
    }

    /// What the SDK's examples print of a swipe, in their three ways; whether a reader's own order or a number's is shown of the
    /// MagnePrint's status differs between them.
    @Test(arguments: [("%@=", ""), ("%@: ", "\n"), ("\"%@\" = \"", "\";")], ["A1050000", "000005A1"])
    func namedFieldsOfTheSDK(form: (String, String), magnePrintStatus: String) throws {
        let stream = try Self.only(PublishedLines.line("MagTek/published/stream_level3.txt")).swipe
        let encryption = try #require(stream.encryption)
        var values = [("SDK.Version", "106.12"), ("Response.Type", "C101"), ("Track.Status", "000000")]
        values += (1...3).map { ("Track\($0).Masked", stream.tracks[$0 - 1].masked ?? "") }
        values += encryption.tracks.map { ("Track\($0.track).Encrypted", Hex.text($0.ciphertext)) }
        values += [
            ("Encryption.Status", "0600"), ("Card.PANLength", "16"),
            ("MagnePrint.Encrypted", Hex.text(encryption.magnePrint?.ciphertext ?? [])),
            ("MagnePrint.Length", "56 bytes"), ("MagnePrint.Status", magnePrintStatus),
            ("SessionID", Hex.text(encryption.session ?? [])),
            ("KSN", Hex.text(encryption.keySerialNumber)), ("Device.SerialNumber", "B000795"),
        ]
        let lines = values.map { form.0.replacing("%@", with: $0.0) + $0.1 + form.1 }
        let found = try Self.only(lines.joined(separator: "\n"))
        #expect(found.swipe == stream)
        #expect(found.serial == "B000795")
        // Without the key's number nobody could open it.
        let without = lines.filter { !$0.contains("KSN") }
        #expect(FoundCaptures.found(Array(without.joined(separator: "\n").utf8)).isEmpty)
    }

    // MARK: ID TECH

    struct Example: Sendable, CustomTestStringConvertible {
        var path: String
        var serial: String?
        var keySerialNumber: String
        var masked: [String?]
        var ciphertexts: [Int]
        var testDescription: String { path }
    }

    static let examples = [
        Example(
            path: "IDTech/published/enhanced_kb_secured.txt", serial: "T134000064",
            keySerialNumber: "629949960E0000A00072",
            masked: [
                "%*4124********9990^TEST/BLUEFIN^****************?*",
                ";4124********9990=****************?*", nil,
            ], ciphertexts: [56, 40]),
        Example(
            path: "IDTech/published/enhanced_augusta.hex", serial: "716T494010",
            keySerialNumber: "6299490000000A000002",
            masked: [
                "%*5413********4111^DI TEST/CARD 04           ^" + String(repeating: "*", count: 31) + "?*",
                ";5413********4111=" + String(repeating: "*", count: 20) + "?*", nil,
            ], ciphertexts: [80, 40]),
        Example(
            path: "IDTech/published/tagged_vp3350.hex", serial: "310T061040",
            keySerialNumber: "FFFFFF0200110940000F",
            masked: [
                "%*4761********0043^UAT USA/TEST CARD 02      ^2412" + String(repeating: "*", count: 27)
                    + "?*",
                ";4761********0043=2412" + String(repeating: "*", count: 16) + "?*", nil,
            ], ciphertexts: [80, 40]),
        Example(
            path: "IDTech/published/enhanced_kb_moneris.txt", serial: nil,
            keySerialNumber: "FFFF3141594047A00095",
            masked: [
                "%*4924********3428^TESTCARD/MONERIS^" + String(repeating: "*", count: 41) + "?*",
                ";4924********3428=" + String(repeating: "*", count: 20) + "?*", nil,
            ], ciphertexts: [80, 40]),
    ]

    @Test(arguments: examples) func swipesOfIDTechReaders(example: Example) throws {
        let found = try Self.only(Vector(example.path).text)
        #expect(found.serial == example.serial)
        #expect(found.swipe.tracks.map(\.masked) == example.masked)
        let encryption = try #require(found.swipe.encryption)
        #expect(encryption.scheme == "dukpt-tdes")
        #expect(encryption.keyVariant == .data)
        #expect(Hex.text(encryption.keySerialNumber) == example.keySerialNumber)
        #expect(encryption.tracks.map(\.track) == [1, 2])
        #expect(encryption.tracks.map(\.ciphertext.count) == example.ciphertexts)
        #expect(found.swipe.card?.kind == "payment")
    }

    /// A chip on the card (bit 5 of field 8) is no other cipher.
    @Test func aCardWithAChip() throws {
        let bytes = try Vector("IDTech/published/enhanced_augusta.hex").bytes()
        let packet = try IDTechPacket(IDTechFrame.binary(bytes))
        #expect(packet.hasChip && packet.swipe().hasChip)
        #expect(packet.cipher == .tdes)
        #expect(!packet.hasFixedKey && !packet.usesPINKey)
    }

    @Test func tagsThroughTheDriver() throws {
        let bytes = try Vector("IDTech/published/tagged_vp3350.hex").bytes()
        var driver = IDTechDrivers.driver()
        let report = bytes + Array(repeating: 0, count: 512 - bytes.count)
        let swipe = try #require(MagTekReports.swipes(driver.receive(HIDReport(bytes: report))).first)
        #expect(swipe == (try Self.only(Vector("IDTech/published/tagged_vp3350.hex").text)).swipe)
    }

    /// Alone, several, in a frame that lost a byte, and with a packet that is not as long as its tag.
    @Test func tagsAreChecked() throws {
        let whole = try Vector("IDTech/published/tagged_vp3350.hex").bytes()
        let right = FoundCaptures.found(whole)
        let tag = try #require(IDTechTags.packets(in: whole).first)
        let alone = Array(whole[(tag.lowerBound - 6)..<tag.upperBound])
        #expect(FoundCaptures.found(alone) == right)
        #expect(FoundCaptures.found(alone + alone) == right + right)
        for place in whole.indices where !tag.contains(place) {
            var broken = whole
            broken[place] ^= 1
            // Without its name it is no frame, and the tag in it speaks for itself.
            let found = FoundCaptures.found(broken)
            #expect(found.isEmpty || (place < 10 && found == right), "byte \(place)")
        }
        for place in tag {
            var broken = alone
            broken[place - tag.lowerBound + 6] ^= 1
            #expect(FoundCaptures.found(broken).isEmpty, "byte \(place)")
        }
        #expect(FoundCaptures.found(Array(alone.dropLast())).isEmpty)
    }

    /// A program's page: masked tracks as text, the rest as hex, and the length of the binary packet.
    @Test(arguments: [false, true]) func packetsAsTheyAreShown(isLower: Bool) throws {
        for path in ["IDTech/published/enhanced_augusta.hex", "IDTech/generated/enhanced_binary_uat.hex"] {
            let bytes = try Vector(path).bytes()
            let lengths = bytes[5...7].reduce(0) { $0 + Int($1) }
            let text = String(decoding: bytes[10..<(10 + lengths)], as: UTF8.self)
            let (head, tail) = (Hex.text(bytes.prefix(10)), Hex.text(bytes.dropFirst(10 + lengths)))
            let shown = isLower ? head.lowercased() + text + tail.lowercased() : head + text + tail
            #expect(try Self.only(shown) == Self.only(Vector(path).text))
            #expect(FoundCaptures.found(Array(shown.replacing("*?", with: "1?").utf8)).isEmpty)
        }
    }

    @Test func aLostFirstCharacterIsPutBack() throws {
        let line = try PublishedLines.line("IDTech/published/enhanced_kb_uat.txt")
        #expect(try Self.only(String(line.dropFirst())) == Self.only(line))
        #expect(FoundCaptures.found(Array(line.dropFirst(2).utf8)).isEmpty)
    }

    /// Type 85: keyed by hand, with the expiry date in clear and nothing masked.
    @Test func keyedInTheOriginalFormat() throws {
        let lines = try Vector("IDTech/published/keyed_original_kb.txt").lines
        let expected = [("FFFF3141594047A0009B", 22), ("FFFF3141594047A0009E", 20)]
        #expect(lines.count == expected.count)
        for (line, (keySerialNumber, length)) in zip(lines, expected) {
            let packet = try IDTechPacket(IDTechFrame.typed(Array(line.utf8)))
            #expect(packet.isKeyed && !packet.isEnhanced && packet.session == nil)
            let swipe = try Self.only(line).swipe
            #expect(swipe.tracks.map(\.outcome) == [.empty, .encrypted(masked: ""), .empty])
            let encryption = try #require(swipe.encryption)
            #expect(Hex.text(encryption.keySerialNumber) == keySerialNumber)
            #expect(encryption.tracks.map(\.clearLength) == [length])
            #expect(encryption.tracks.map(\.ciphertext.count) == [24])
            #expect(encryption.tracks[0].hash?.count == 20)
        }
    }

    /// Every part of a keyed packet that its status may announce.
    @Test(arguments: 0..<16) func partsOfAKeyedPacket(status: Int) throws {
        let hasSession = status & 8 != 0
        for cipher in [IDTechPacket.Cipher.tdes, .aes] {
            let block = cipher.blockBytes
            var data: [UInt8] = [0x85, 0, 0, 0, 0, UInt8(status), 21]
            data += Array(repeating: 1, count: (21 + block - 1) / block * block)
            if hasSession { data += Array(repeating: 2, count: block) }
            data += Array(repeating: 3, count: 20)
            if status & 4 != 0 { data += [4] + Array("1905".utf8) }
            if status & 2 != 0 { data += [3] + Array("212".utf8) }
            if status & 1 != 0 { data += [5] + Array("90210".utf8) }
            data += Array(repeating: 9, count: 10)
            let packet = try IDTechPacket(IDTechFrame.binary(IDTechPackets.frame(data)))
            #expect(packet.cipher == cipher)
            #expect(packet.session == (hasSession ? Array(repeating: 2, count: block) : nil))
            #expect(packet.keySerialNumber == Array(repeating: 9, count: 10))
            #expect(throws: IDTechPacket.Refusal.self) {
                try IDTechPacket(IDTechFrame.binary(IDTechPackets.frame(data + [0])))
            }
        }
    }

    /// The upper half of a keyed packet's status is reserved: whatever it announces stands at nobody knows which place.
    @Test(arguments: [0x10, 0x20, 0x40, 0x80] as [UInt8]) func reservedBitsOfAKeyedPacket(bit: UInt8) throws {
        for status in [bit, bit | 0x04] {
            var data: [UInt8] = [0x85, 0, 0, 0, 0, status, 21] + Array(repeating: 1, count: 24)
            data += Array(repeating: 3, count: 20)
            if status & 4 != 0 { data += [4] + Array("1905".utf8) }
            data += Array(repeating: 9, count: 10)
            #expect(throws: IDTechPacket.Refusal.unknownStatus) {
                try IDTechPacket(IDTechFrame.binary(IDTechPackets.frame(data)))
            }
        }
    }
}
