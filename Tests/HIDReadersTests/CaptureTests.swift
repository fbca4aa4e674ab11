import CardData
import ReaderKit
import ReaderTesting
import Testing

@testable import Captures
@testable import HIDReaders

/// Captures in the forms in which people write them down.
@Suite struct CaptureTests {
    static let report = "MagTek/published/v5_hid856_level2.hex"

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
        let found = FoundCaptures.found(Array(try Vector(path).text.utf8))
        #expect(found.map(\.model) == [model])
        #expect(found.first?.swipe.readTracks == tracks)
        #expect(FoundCaptures.found(Array(try Vector(path).text.utf8), [model]) == found)
    }

    @Test(arguments: [0, 1]) func aReportIDInFrontIsSeen(identifier: UInt8) throws {
        for path in [Self.report, "MagTek/generated/sureswipe_hid337.hex"] {
            let bytes = [identifier] + (try Vector(path).bytes())
            #expect(
                FoundCaptures.found(bytes).first.map { MagTekReports.clearTexts($0.swipe) }
                    == MagTekReports.tracks)
        }
    }

    @Test func severalReportsInOneFile() throws {
        let one = try Vector(Self.report).bytes()
        let other = try Vector("MagTek/generated/sureswipe_hid337.hex").bytes()
        #expect(FoundCaptures.found(one + one).count == 2)
        let paragraphs = Hex.text(one) + "\n\n" + Hex.text(other) + "\n"
        #expect(FoundCaptures.found(Array(paragraphs.utf8)).map(\.model) == [.magneSafe, .sureSwipe])
        let packet = try Vector("IDTech/generated/unimag2_binary.hex").bytes()
        #expect(FoundCaptures.found(packet + packet).count == 2)
    }

    @Test func keyboardsTypeTracksOnLines() throws {
        let text = MagTekReports.tracks.joined(separator: "\r") + "\r"
        let found = FoundCaptures.found(Array(text.utf8))
        #expect(found.map { MagTekReports.clearTexts($0.swipe) } == [MagTekReports.tracks])
    }

    @Test(arguments: ["MagTek/published/stream_level2_v5.txt", "IDTech/published/enhanced_kb_uat.txt"])
    func brokenLinesAreMended(path: String) throws {
        let line = try #require(try Vector(path).lines.first)
        let folded = stride(from: 0, to: line.utf8.count, by: 60).map { start in
            String(decoding: Array(line.utf8)[start...].prefix(60), as: UTF8.self)
        }
        #expect(
            FoundCaptures.found(Array(folded.joined(separator: "\n").utf8))
                == FoundCaptures.found(Array(line.utf8)))
    }

    @Test func recordingsOfHIDRecorder() throws {
        let report = try Vector(Self.report).bytes()
        let text = """
            # hid-recorder
            R: 4 06 00 ff 09
            N: Mag-Tek USB Swipe Reader
            I: 3 0801 0011
            E: 000000.000000 \(report.count) \(CaptureTexts.hex(report).joined(separator: " "))
            E: 000002.104116 \(report.count) \(CaptureTexts.hex(report).joined(separator: " "))
            """
        #expect(FoundCaptures.found(Array(text.utf8)).map(\.model) == [.magneSafe, .magneSafe])
    }

    @Test func packetsOfGen3() {
        let bytes = Gen3Texts.packets(Gen3Texts.text).reduce(into: [UInt8]()) { $0 += [1] + $1 }
        #expect(FoundCaptures.found(bytes).map(\.model) == [.gen3])
        #expect(FoundCaptures.found(Array(Gen3Texts.text.utf8)).map(\.model) == [.gen3])
    }

    @Test(arguments: [
        ("", HIDCapture.Refusal.empty), (" \n", .empty), ("ABC", .oddHex),
        ("hello", .unrecognised(bytes: 5)),
        ("00112233", .unrecognised(bytes: 4)), ("02", .malformed(.idTechPacket, "packet is cut short")),
    ])
    func refusals(text: String, refusal: HIDCapture.Refusal) {
        #expect(FoundCaptures.read(Array(text.utf8)) == [.failure(refusal)])
    }

    /// Typed packets after a program, or a keyboard layout, that makes small letters.
    @Test(arguments: ["IDTech/published/enhanced_kb_uat.txt", "IDTech/published/keyed_entry_kb.txt"])
    func smallLettersAreRead(path: String) throws {
        let text = try #require(try Vector(path).lines.first)
        let right = FoundCaptures.found(Array(text.utf8))
        #expect(right.count == 1)
        #expect(FoundCaptures.found(Array(text.lowercased().utf8)) == right)
        #expect(FoundCaptures.found(Array(("swipe: \"" + text + "\"").utf8)) == right)
    }

    /// Streams behind words, in quotes, as hex, and with the separators that a site may set.
    @Test(arguments: ["|", "~", ",", "!", "\t", "_", "\\"]) func streamsInOtherForms(separator: String) throws
    {
        let stream = try #require(try Vector("MagTek/published/stream_level2_v5.txt").lines.first)
        let right = FoundCaptures.found(Array(stream.utf8)).map(\.swipe)
        #expect(right.first?.readTracks == 3)
        let changed = Self.withSeparator(separator, stream)
        let forms = [
            changed, "swipe: " + changed, "\t" + changed + "\r\n",
            CaptureTexts.hex(Array(changed.utf8)).joined(separator: " "),
        ]
        for form in forms {
            #expect(FoundCaptures.found(Array(form.utf8)).map(\.swipe) == right, "\(form.prefix(9))")
        }
        let literal = CaptureTexts.python(Array(changed.utf8))
        #expect(FoundCaptures.found(Array("b\(literal)".utf8)).map(\.swipe) == right)
    }

    /// A reader set to small letters (property 14), a form's value as browsers send it.
    @Test(arguments: ["stream_level2_sureswipe", "stream_level2_v5", "stream_level3"])
    func streamsThatWereChangedOnTheirWay(name: String) throws {
        let stream = try #require(try Vector("MagTek/published/\(name).txt").lines.first)
        let right = FoundCaptures.found(Array(stream.utf8)).map(\.swipe)
        #expect(right.count == 1)
        #expect(FoundCaptures.found(Array(stream.lowercased().utf8)).map(\.swipe) == right)
        for form in Self.formValues(stream) {
            #expect(FoundCaptures.found(Array(form.utf8)).map(\.swipe) == right)
        }
        #expect(FoundCaptures.found([0x02] + Array(stream.utf8) + [0x03]).map(\.swipe) == right)
        guard stream.contains("|") else { return }
        let small = Self.withSeparator("|", stream.lowercased())
        #expect(FoundCaptures.found(Array(small.utf8)).map(\.swipe) == right)
    }

    /// A text as browsers send it.
    static func formValues(_ text: String) -> [String] {
        let escaped = text.utf8.map { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A: String(UnicodeScalar(byte))
            case 0x20: "+"
            default: "%" + Hex.text([byte])
            }
        }.joined()
        return [
            escaped, escaped.replacing("+", with: "%20"),
            "amount=1.00&track=" + escaped + "&ok=1",
        ]
    }

    @Test func typedPacketsInOtherForms() throws {
        let line = try #require(try Vector("IDTech/published/enhanced_kb_uat.txt").lines.first)
        let right = FoundCaptures.found(Array(line.utf8))
        #expect(right.count == 1)
        let forms = Self.formValues(line) + ["2026-01-31 09:30:00 " + line, "   " + line + "   \n"]
        for form in forms { #expect(FoundCaptures.found(Array(form.utf8)) == right, "\(form.prefix(30))") }
        #expect(FoundCaptures.found([0x02] + Array(line.utf8) + [0x03, 0x0D]) == right)
    }

    /// A track a line, each behind its name.
    @Test(arguments: ["Track ", "T", "TRACK", "Tk"]) func tracksWithNames(name: String) {
        let tracks = MagTekReports.tracks.enumerated().map { "\(name)\($0.offset + 1): \($0.element)\n" }
        let found = FoundCaptures.found(Array((tracks + tracks).joined().utf8))
        #expect(
            found.map { MagTekReports.clearTexts($0.swipe) }
                == Array(repeating: MagTekReports.tracks, count: 2))
        // Times are no names: two swipes of a track each.
        let others = ["09:30:01 " + MagTekReports.tracks[0], "09:30:02 " + MagTekReports.tracks[1]]
        #expect(FoundCaptures.found(Array(others.joined(separator: "\n").utf8)).count == 2)
    }

    /// Nothing but the next start sentinel ends a swipe where the terminator is off.
    @Test func swipesWithoutLineEnds() throws {
        let swipe = MagTekReports.tracks.prefix(2).joined()
        let right = FoundCaptures.found(Array(swipe.utf8))
        #expect(right.count == 1)
        for count in 2...4 {
            let text = Array(repeating: swipe, count: count).joined()
            #expect(FoundCaptures.found(Array(text.utf8)) == Array(repeating: right[0], count: count))
        }
        #expect(FoundCaptures.found(Array((swipe + swipe + "|0600|").utf8)).isEmpty)
        #expect(FoundCaptures.found(Array((swipe + swipe.dropLast()).utf8)).isEmpty)
    }

    /// A typed packet with its first fields apart, as pages show them.
    @Test func gapsBetweenFields() throws {
        let line = try #require(try Vector("IDTech/published/enhanced_kb_uat.txt").lines.first)
        let right = FoundCaptures.found(Array(line.utf8))
        let gaps = line.replacing("02ED01801F4F2800839B", with: "02 ED01 80 1F 4F 28 00 83 9B ")
        #expect(right.count == 1 && FoundCaptures.found(Array(gaps.utf8)) == right)
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
        ("{length = 856, bytes = 0x0000003c 251f0025 ... 3c251f36 }", "who printed it left bytes out"),
        (
            "ffff888103fdc000 3575914555 C Ii:1:002:1 0:8 856 = 0000003c 251f0025 42353435 32333030",
            "usbmon's text keeps 32 bytes of a report"
        ),
    ])
    func whatIsCutShortIsSaid(text: String, why: String) {
        #expect(FoundCaptures.read(Array(text.utf8)) == [.failure(.cutShort(why))])
    }

    @Test func aRefusalSaysWhatWasTried() throws {
        let bytes = Array(try Vector(Self.report).bytes().dropLast())
        let reading = HIDCapture.read(Array(CaptureTexts.xxd(bytes).utf8))
        #expect(reading.outcomes == [.failure(.unrecognised(bytes: 855))])
        #expect(reading.triedSentence.hasPrefix("dump with offsets (855 bytes), "))
        #expect(
            reading.triedSentence.contains("; it is none of: recording of hid-recorder, usbmon text, hex, "))
        #expect(HIDCapture.read(bytes).triedSentence == "bytes (855 bytes)")
    }

    /// Of a dump with a line left out nothing is believed. Behind a `*`, which stands for any number of lines, the missing
    /// one cannot be told from padding: its track is refused, and no other card comes of it.
    @Test func aDumpWithAHoleIsRefused() throws {
        let bytes = try Vector(Self.report).bytes()
        let whole = HostileBytes.cards(bytes)
        for dump in [CaptureTexts.xxd(bytes), CaptureTexts.canonical(bytes)] {
            let lines = dump.split(separator: "\n")
            for hole in lines.indices.dropLast(2) where lines[hole] != "*" {
                let rest = lines[..<hole] + lines[(hole + 1)...]
                let found = FoundCaptures.found(Array(rest.joined(separator: "\n").utf8))
                guard hole > 0, lines[hole - 1] == "*" else {
                    #expect(found.isEmpty, "line \(hole)")
                    continue
                }
                for capture in found {
                    #expect(
                        capture.swipe.card.map { HostileBytes.agrees($0, whole) } ?? true, "line \(hole)")
                }
            }
        }
    }

    @Test func aNamedModelNamesItsSizes() throws {
        let bytes = Array(try Vector(Self.report).bytes().dropLast())
        #expect(
            FoundCaptures.read(bytes, [.magneSafe])
                == [.failure(.malformed(.magneSafe, "report of 855 bytes instead of 856, 887, 931"))])
        #expect(HIDCapture.Model.named("magtek").count == 4)
        #expect(HIDCapture.Model.named("MagTek-SureSwipe") == [.sureSwipe])
        #expect(HIDCapture.Model.named("nonsense").isEmpty)
        #expect(HIDCapture.Model.named("Dynamag") == [.magneSafe, .magTekStream])
        #expect(HIDCapture.Model.named("0801:0002") == [.sureSwipe, .magTekStream])
        #expect(HIDCapture.Model.named("securemag").contains(.idTechPacket))
        #expect(HIDCapture.Model.named("unimag") == [.idTechPacket])
        #expect(HIDCapture.Model.named("0x0801:0x0002") == [.sureSwipe, .magTekStream])
        #expect(HIDCapture.Model.named("0acd").contains(.idTechReport))
        #expect(HIDCapture.Model.named("080").isEmpty)
    }
}
