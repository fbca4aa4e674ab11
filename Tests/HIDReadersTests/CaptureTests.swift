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

    static func hex(_ bytes: some Sequence<UInt8>) -> [String] { bytes.map { Hex.text([$0]) } }

    /// The same bytes in each of the forms.
    static func forms(_ bytes: [UInt8]) -> [(String, String)] {
        let rows = stride(from: 0, to: bytes.count, by: 16).map { ($0, Array(bytes[$0...].prefix(16))) }
        func offset(_ value: Int, _ radix: Int, _ width: Int) -> String {
            let digits = String(value, radix: radix)
            return String(repeating: "0", count: max(width - digits.count, 0)) + digits
        }
        func text(_ row: [UInt8]) -> String {
            String(decoding: row.map { (0x20..<0x7F).contains($0) ? $0 : 0x2E }, as: UTF8.self)
        }
        let pairs = hex(bytes)
        return [
            ("plain", pairs.joined()), ("lower", pairs.joined().lowercased()),
            ("spaced", pairs.joined(separator: " ")),
            ("colons", pairs.joined(separator: ":")),
            ("prefixed", pairs.map { "0x\($0)" }.joined(separator: ", ")),
            ("rows", rows.map { hex($1).joined(separator: " ") }.joined(separator: "\r\n") + "\n"),
            // Words of four digits: the first ones look like a dump's offset.
            (
                "words",
                rows.map { row in
                    stride(from: 0, to: row.1.count, by: 2).map { Hex.text(row.1[$0...].prefix(2)) }
                        .joined(separator: " ")
                }.joined(separator: "\n")
            ),
            ("array", "array('B', [\(bytes.map { String($0) }.joined(separator: ", "))])"),
            (
                "xxd",
                rows.map { "\(offset($0, 16, 8)): \(hex($1).joined(separator: " "))  \(text($1))" }.joined(
                    separator: "\n")
            ),
            (
                "hexdump",
                rows.map { "\(offset($0, 16, 8))  \(hex($1).joined(separator: " "))  |\(text($1))|" }
                    .joined(separator: "\n") + "\n" + offset(bytes.count, 16, 8) + "\n"
            ),
            (
                "octal",
                rows.map { "\(offset($0, 8, 7)) \(hex($1).joined(separator: " "))" }.joined(separator: "\n")
                    + "\n"
                    + offset(bytes.count, 8, 7)
            ),
            (
                "wireshark",
                rows.map { "\(offset($0, 16, 4))  \(hex($1).joined(separator: " "))   \(text($1))" }.joined(
                    separator: "\n")
            ),
        ]
    }

    @Test func everyFormOfHex() throws {
        let bytes = try Vector(Self.report).bytes()
        for (form, text) in Self.forms(bytes) + [("raw", "")] {
            let capture = form == "raw" ? bytes : Array(text.utf8)
            let found = Self.found(capture)
            #expect(found.map(\.model) == [.magneSafe], "\(form)")
            #expect(
                found.first.map { MagTekReportTests.clearTexts($0.swipe) } == MagTekReportTests.tracks,
                "\(form)")
        }
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
            E: 000000.000000 \(report.count) \(Self.hex(report).joined(separator: " ").lowercased())
            E: 000002.104116 \(report.count) \(Self.hex(report).joined(separator: " ").lowercased())
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
