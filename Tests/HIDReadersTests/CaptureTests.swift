import CardData
import ReaderKit
import ReaderTesting
import Testing

@testable import HIDReaders

/// Captures in the forms in which people write them down.
@Suite struct CaptureTests {
    static let report = "MagTek/published/v5_hid856_level2.hex"

    static func read(_ bytes: [UInt8], _ models: [HIDCapture.Model] = []) -> [HIDCapture.Outcome] {
        HIDCapture.outcomes(in: bytes, models: models)
    }

    static func found(_ bytes: [UInt8], _ models: [HIDCapture.Model] = []) -> [HIDCapture.Found] {
        read(bytes, models).compactMap { try? $0.get() }
    }

    @Test(arguments: [
        ("MagTek/published/v5_hid856_level2.hex", HIDCapture.Model.magneSafe, 3),
        ("MagTek/generated/v5_hid887_datavariant.hex", .magneSafe, 3),
        ("MagTek/generated/sureswipe_hid337.hex", .sureSwipe, 3),
        ("MagTek/generated/sureswipe_hid337_t1error.hex", .sureSwipe, 1),
        ("MagTek/published/stream_level2_sureswipe.txt", .magTekStream, 3),
        ("MagTek/published/stream_level2_v5.txt", .magTekStream, 3),
        ("MagTek/published/stream_level2_custom.txt", .magTekStream, 2),
        ("IDTech/published/enhanced_kb_uat.txt", .idTechKeyboard, 2),
        ("IDTech/generated/enhanced_binary_uat.hex", .idTechPacket, 2),
        ("IDTech/generated/unimag2_binary.hex", .idTechPacket, 2),
        ("IDTech/assumed/hid509_enhanced.hex", .idTechReport, 2),
    ])
    func modelsAreGuessed(path: String, model: HIDCapture.Model, tracks: Int) throws {
        let found = Self.found(Array(try Vector(path).text.utf8))
        #expect(found.map(\.model) == [model])
        #expect(found.first?.swipe.readTracks == tracks)
        #expect(Self.found(Array(try Vector(path).text.utf8), [model]) == found)
    }

    @Test(arguments: [0, 1]) func aReportIDInFrontIsSeen(identifier: UInt8) throws {
        for path in [Self.report, "MagTek/generated/sureswipe_hid337.hex"] {
            let bytes = [identifier] + (try Vector(path).bytes())
            #expect(
                Self.found(bytes).first.map { MagTekReportTests.clearTexts($0.swipe) }
                    == MagTekReportTests.tracks)
        }
    }

    @Test func severalReportsInOneFile() throws {
        let one = try Vector(Self.report).bytes()
        let other = try Vector("MagTek/generated/sureswipe_hid337.hex").bytes()
        #expect(Self.found(one + one).count == 2)
        let paragraphs = Hex.text(one) + "\n\n" + Hex.text(other) + "\n"
        #expect(Self.found(Array(paragraphs.utf8)).map(\.model) == [.magneSafe, .sureSwipe])
        let packet = try Vector("IDTech/generated/unimag2_binary.hex").bytes()
        #expect(Self.found(packet + packet).count == 2)
    }

    @Test func keyboardsTypeTracksOnLines() throws {
        let text = MagTekReportTests.tracks.joined(separator: "\r") + "\r"
        let found = Self.found(Array(text.utf8))
        #expect(found.map { MagTekReportTests.clearTexts($0.swipe) } == [MagTekReportTests.tracks])
    }

    @Test(arguments: ["MagTek/published/stream_level2_v5.txt", "IDTech/published/enhanced_kb_uat.txt"])
    func brokenLinesAreMended(path: String) throws {
        let line = try #require(try Vector(path).lines.first)
        let folded = stride(from: 0, to: line.utf8.count, by: 60).map { start in
            String(decoding: Array(line.utf8)[start...].prefix(60), as: UTF8.self)
        }
        #expect(Self.found(Array(folded.joined(separator: "\n").utf8)) == Self.found(Array(line.utf8)))
    }

    @Test func recordingsOfHIDRecorder() throws {
        let report = try Vector(Self.report).bytes()
        let text = """
            # hid-recorder
            R: 4 06 00 ff 09
            N: Mag-Tek USB Swipe Reader
            I: 3 0801 0011
            E: 000000.000000 \(report.count) \(CaptureFormTests.hex(report).joined(separator: " "))
            E: 000002.104116 \(report.count) \(CaptureFormTests.hex(report).joined(separator: " "))
            """
        #expect(Self.found(Array(text.utf8)).map(\.model) == [.magneSafe, .magneSafe])
    }

    @Test func packetsOfGen3() {
        let bytes = Gen3Tests.packets(Gen3Tests.text).reduce(into: [UInt8]()) { $0 += [1] + $1 }
        #expect(Self.found(bytes).map(\.model) == [.gen3])
        #expect(Self.found(Array(Gen3Tests.text.utf8)).map(\.model) == [.gen3])
    }

    @Test(arguments: [
        ("", HIDCapture.Refusal.empty), (" \n", .empty), ("ABC", .oddHex),
        ("hello", .unrecognised(bytes: 5)),
        ("00112233", .unrecognised(bytes: 4)), ("02", .malformed(.idTechPacket, "packet is cut short")),
    ])
    func refusals(text: String, refusal: HIDCapture.Refusal) {
        #expect(Self.read(Array(text.utf8)) == [.failure(refusal)])
    }

    /// Typed packets after a program, or a keyboard layout, that makes small letters.
    @Test(arguments: ["IDTech/published/enhanced_kb_uat.txt", "IDTech/published/keyed_entry_kb.txt"])
    func smallLettersAreRead(path: String) throws {
        let text = try #require(try Vector(path).lines.first)
        let right = Self.found(Array(text.utf8))
        #expect(right.count == 1)
        #expect(Self.found(Array(text.lowercased().utf8)) == right)
        #expect(Self.found(Array(("swipe: \"" + text + "\"").utf8)) == right)
    }

    /// Streams behind words, in quotes, as hex, and with the separators that a site may set.
    @Test(arguments: ["|", "~", ",", "!", "\t", "_", "\\"]) func streamsInOtherForms(separator: String) throws
    {
        let stream = try #require(try Vector("MagTek/published/stream_level2_v5.txt").lines.first)
        let right = Self.found(Array(stream.utf8)).map(\.swipe)
        #expect(right.first?.readTracks == 3)
        let changed = Self.withSeparator(separator, stream)
        let forms = [
            changed, "swipe: " + changed, "\t" + changed + "\r\n",
            CaptureFormTests.hex(Array(changed.utf8)).joined(separator: " "),
        ]
        for form in forms { #expect(Self.found(Array(form.utf8)).map(\.swipe) == right, "\(form.prefix(9))") }
        let literal = CaptureFormTests.python(Array(changed.utf8))
        #expect(Self.found(Array("b\(literal)".utf8)).map(\.swipe) == right)
    }

    /// The stream with another separator, and its CRC made right.
    static func withSeparator(_ separator: String, _ stream: String) -> String {
        var fields = stream.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        let place = fields.count - 3
        let checked = fields[..<place].joined(separator: separator) + separator
        let sum = CRC16.of(Array(checked.utf8)[...])
        fields[place] = Hex.text([UInt8(sum & 0xFF), UInt8(sum >> 8)])
        return fields.joined(separator: separator)
    }

    /// What somebody's tool left out is not guessed.
    @Test(arguments: [
        ("<Buffer 00 00 00 3c 25 1f 00 25 42 35 ... 846 more bytes>", "who printed it left bytes out"),
        (
            "ffff888103fdc000 3575914555 C Ii:1:002:1 0:8 856 = 0000003c 251f0025 42353435 32333030",
            "usbmon's text keeps 32 bytes of a report"
        ),
    ])
    func whatIsCutShortIsSaid(text: String, why: String) {
        #expect(Self.read(Array(text.utf8)) == [.failure(.cutShort(why))])
    }

    @Test func aRefusalSaysWhatWasTried() throws {
        let bytes = Array(try Vector(Self.report).bytes().dropLast())
        let reading = HIDCapture.read(Array(CaptureFormTests.xxd(bytes).utf8))
        #expect(reading.outcomes == [.failure(.unrecognised(bytes: 855))])
        #expect(reading.triedSentence.hasPrefix("dump with offsets (855 bytes), "))
        #expect(reading.triedSentence.contains("; it is no recording of hid-recorder, usbmon text, hex, "))
        #expect(HIDCapture.read(bytes).triedSentence == "bytes (855 bytes)")
    }

    /// Of a dump with a line left out nothing is believed. Behind a `*`, which stands for any number of lines, the missing
    /// one cannot be told from padding: its track is refused, and no other card comes of it.
    @Test func aDumpWithAHoleIsRefused() throws {
        let bytes = try Vector(Self.report).bytes()
        let whole = RobustnessTests.cards(bytes)
        for dump in [CaptureFormTests.xxd(bytes), CaptureFormTests.canonical(bytes)] {
            let lines = dump.split(separator: "\n")
            for hole in lines.indices.dropLast(2) where lines[hole] != "*" {
                let rest = lines[..<hole] + lines[(hole + 1)...]
                let found = Self.found(Array(rest.joined(separator: "\n").utf8))
                guard hole > 0, lines[hole - 1] == "*" else {
                    #expect(found.isEmpty, "line \(hole)")
                    continue
                }
                for capture in found {
                    #expect(
                        capture.swipe.card.map { RobustnessTests.agrees($0, whole) } ?? true, "line \(hole)")
                }
            }
        }
    }

    @Test func aNamedModelNamesItsSizes() throws {
        let bytes = Array(try Vector(Self.report).bytes().dropLast())
        #expect(
            Self.read(bytes, [.magneSafe])
                == [.failure(.malformed(.magneSafe, "report of 855 bytes instead of 856, 887, 931"))])
        #expect(HIDCapture.Model.named("magtek").count == 4)
        #expect(HIDCapture.Model.named("MagTek-SureSwipe") == [.sureSwipe])
        #expect(HIDCapture.Model.named("nonsense").isEmpty)
        #expect(HIDCapture.Model.named("Dynamag") == [.magneSafe, .magTekStream])
        #expect(HIDCapture.Model.named("0801:0002") == [.sureSwipe, .magTekStream])
        #expect(HIDCapture.Model.named("securemag").contains(.idTechPacket))
        #expect(HIDCapture.Model.named("unimag") == [.idTechPacket])
    }
}
