import CardData
import ReaderKit
import ReaderTesting
import Testing

@testable import Captures
@testable import HIDReaders

/// A capture is read whole, or what is wrong with it is told: nothing in it may vanish, nothing around it may be taken for it.
@Suite struct WholeCaptureTests {
    private let report: [UInt8]
    private let stream: String
    private let clear: String
    private let typed: String

    init() throws {
        report = try Vector("MagTek/published/v5_hid856_level2.hex").bytes()
        stream = try #require(try Vector("MagTek/published/stream_level3.txt").lines.first)
        clear = try #require(try Vector("MagTek/published/stream_level2_sureswipe.txt").lines.first)
        typed = try #require(try Vector("IDTech/published/enhanced_kb_uat.txt").lines.first)
    }

    /// The models that were read, and how many parts were told to be wrong.
    private func read(_ text: String) -> (models: [HIDCapture.Model], refused: Int) {
        let outcomes = FoundCaptures.read(Array(text.utf8))
        return (
            outcomes.compactMap { try? $0.get().model },
            outcomes.count { if case .failure = $0 { true } else { false } }
        )
    }

    private func flipped(_ text: String, _ place: Int) -> String {
        var bytes = Array(text.utf8)
        bytes[place] = bytes[place] == UInt8(ascii: "1") ? UInt8(ascii: "2") : UInt8(ascii: "1")
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The CRC of a stream says nothing of what stands behind it.
    @Test(arguments: ["\r\n", "\n", " ", ""]) func nothingBehindAStreamVanishes(joint: String) {
        for other in [flipped(typed, 60), clear.dropLast(3) + "", "%B4111111111111111^DOE/JOHN^2512"] {
            let found = read(stream + joint + other)
            #expect(found.models == [.magTekStream] && found.refused == 1, "\(other.prefix(8))")
        }
        let whole = read(stream + joint + typed)
        #expect(whole.models == [.magTekStream, .idTechKeyboard] && whole.refused == 0)
    }

    /// The end of a page or of a buffer: too few characters for any card's track.
    @Test(arguments: [("%E", 0), (" %", 0), ("%B41111111111", 1), (" ;12345", 0)])
    func aFragmentBehindAStream(fragment: String, refused: Int) {
        let found = read(stream + fragment)
        #expect(found.models.first == .magTekStream && found.refused == refused)
    }

    @Test func aBrokenStreamTakesNothingElseWithIt() {
        let place = stream.index(stream.startIndex, offsetBy: 200)
        let broken = stream[..<place] + "\n" + stream[place...]
        #expect(read(String(broken)).models == [.magTekStream])
        let found = read(broken + "\n" + flipped(typed, 60))
        #expect(found.models == [] && found.refused == 3)
    }

    /// A third track with a sentinel that comments have as well.
    @Test(arguments: ["+", ";", "&"]) func aTrackALine(sentinel: String) throws {
        let third = sentinel + MagTekReports.tracks[2].dropFirst()
        let lines = Array(MagTekReports.tracks.prefix(2)) + [third]
        let found = FoundCaptures.found(Array(lines.joined(separator: "\r\n").utf8))
        #expect(found.map(\.swipe.readTracks) == [3])
        let commented = FoundCaptures.found(Array("\(clear)\n# is that so?\n\(Hex.text(report))\n".utf8))
        #expect(commented.map(\.model) == [.magTekStream, .magneSafe])
    }

    @Test func linesOfTextAndOfBytesAreBothRead() throws {
        let hex = Hex.text(report)
        let packet = Hex.text(try Vector("IDTech/generated/enhanced_binary_uat.hex").bytes())
        let mixed = read([hex, stream, typed, packet].joined(separator: "\n"))
        #expect(mixed.models == [.magneSafe, .magTekStream, .idTechKeyboard, .idTechPacket])
        #expect(mixed.refused == 0)
        let titled = read("Swipe 1:\n\(stream)\n\nSwipe 2:\n\(hex)\n")
        #expect(titled.models == [.magTekStream, .magneSafe] && titled.refused == 0)
        let damaged = read("\(flipped(stream, 300))\n\(hex)\n")
        #expect(damaged.models == [.magneSafe] && damaged.refused == 1)
        let cut = read("\(stream)\n\(hex.dropLast(2))\n")
        #expect(cut.models == [.magTekStream] && cut.refused == 1)
    }

    @Test(arguments: [
        ("<pre>", "</pre>"), ("<Swipe><Data>", "</Data></Swipe>"), ("", "^M"), ("", "<CR>"), ("", "\\r\\n"),
        ("data: \"", "\","),
    ])
    func whatStandsAroundATypedPacket(front: String, behind: String) {
        for text in [typed, stream] { #expect(read(front + text + behind).models == read(text).models) }
    }

    /// Two more digits may be a packet's that is damaged.
    @Test(arguments: ["", "<pre>", "<Swipe><Data>"]) func moreBehindATypedPacket(front: String) {
        #expect(read(front + typed + "1F").models == [])
    }

    /// As pages of the web have them.
    @Test func blanksThatDoNotBreak() {
        for text in [typed, stream, clear] {
            let copied = text.replacing("  ", with: "\u{A0} ")
            #expect(copied != text)
            #expect(FoundCaptures.found(Array(copied.utf8)) == FoundCaptures.found(Array(text.utf8)))
        }
        // Whatever else: not the other tracks alone.
        #expect(read(clear.replacing("HOGAN", with: "HÖGAN")).models == [])
    }

    @Test(arguments: [
        "MagTek/published/v5_hid856_level2.hex", "MagTek/generated/v5_hid887_datavariant.hex",
        "MagTek/generated/v5_hid856_level3.hex", "MagTek/generated/sureswipe_hid337.hex",
    ])
    func reportsThatAreFilledUp(path: String) throws {
        let report = try Vector(path).bytes()
        let packets = report + Array(repeating: 0, count: (64 - report.count % 64) % 64)
        let buffer = report + Array(repeating: 0, count: (512 - report.count % 512) % 512)
        let right = FoundCaptures.found(report)
        for bytes in [packets, buffer] {
            #expect(FoundCaptures.found(bytes) == right)
            #expect(FoundCaptures.found(bytes, [try #require(right.first).model]) == right)
        }
        // Packets of eight bytes, and whatever else a program has room for.
        let short = report + Array(repeating: 0, count: (8 - report.count % 8) % 8)
        #expect(FoundCaptures.found(short + short) == right + right)
        for size in [340, report.count + 8, 888, 936, 1000, 4096] where size > report.count {
            #expect(
                FoundCaptures.found(report + Array(repeating: 0, count: size - report.count)) == right,
                "\(size)")
        }
        #expect(FoundCaptures.found(packets + packets) == right + right)
        #expect(FoundCaptures.found(packets.dropLast() + [1]) == [])
        // A report that was cut off, in a buffer.
        #expect(FoundCaptures.found(report.prefix(200) + Array(repeating: 0, count: 312)) == [])
    }

    /// hidapi has the report's id, which is 0, in front of each.
    @Test(arguments: CaptureTexts.vectors) func packetsWithTheirID(path: String) throws {
        let bytes = try Vector(path).bytes()
        let filled = bytes + Array(repeating: 0, count: (64 - bytes.count % 64) % 64)
        let packets = CaptureTexts.rows(filled, 64).map { [0] + $0.row }
        let lines = packets.map { Hex.text($0) }.joined(separator: "\n")
        let right = FoundCaptures.found(bytes).map(\.swipe)
        #expect(FoundCaptures.found(packets.flatMap(\.self)).map(\.swipe) == right)
        #expect(FoundCaptures.found(Array(lines.utf8)).map(\.swipe) == right)
    }

    /// usbhid-dump can print the report descriptor in front of the reports, which are in parts where packets are small.
    @Test(arguments: CaptureTexts.vectors, [8, 64, 4096]) func aDescriptorInFront(
        path: String, width: Int
    ) throws {
        let bytes = try Vector(path).bytes()
        let parts = CaptureTexts.rows(bytes, width).map { Self.block("STREAM", $0.row) }
        let text = Self.block("DESCRIPTOR", Self.descriptor) + parts.joined()
        #expect(FoundCaptures.found(Array(text.utf8)) == FoundCaptures.found(bytes))
    }

    /// A block ends with a blank line, or with one that is not of its bytes: what stands behind it is another capture.
    @Test(arguments: ["\n", ""], ["\n", "\r\n"]) func aDescriptorBetween(blank: String, lineEnd: String) {
        let block = Self.block("DESCRIPTOR", Self.descriptor).dropLast() + blank
        for other in [clear, stream, Self.block("STREAM", report)] {
            let text = "\(clear)\n\n\(block)\(other)\n".replacing("\n", with: lineEnd)
            let found = FoundCaptures.found(Array(text.utf8)).map(\.swipe)
            let right = [clear, other].flatMap { FoundCaptures.found(Array($0.utf8)).map(\.swipe) }
            #expect(right.count == 2 && found == right, "\(other.prefix(12))")
        }
        #expect(read("\(clear)\n\n\(block)\(flipped(typed, 60))\n").refused == 1)
    }

    private static let descriptor = TestDescriptors.vendor(TestDescriptors.sureSwipe, featureBytes: 24)

    private static func block(_ kind: String, _ bytes: [UInt8]) -> String {
        let rows = CaptureTexts.rows(bytes, 16).map {
            " \(CaptureTexts.hex($0.row).joined(separator: " ").uppercased())\n"
        }
        return "001:004:000:\(kind)         1317036411.500011\n\(rows.joined())\n"
    }

    @Test func dumpsWithAHoleAreRefused() {
        for dump in [
            CaptureTexts.prefixed(report, "raw_event: "),
            CaptureTexts.prefixed(report, "[  1.0] hid: "),
            CaptureTexts.intelHex(report),
        ] {
            let lines = dump.split(separator: "\n")
            for index in lines.indices.dropFirst(3).dropLast(3) {
                let holed = (lines[..<index] + lines[(index + 1)...]).joined(separator: "\n")
                #expect(read(holed).models == [], "\(index)")
            }
        }
    }

    @Test func whatLooksLikeAnotherFormIsRefusedInItsOwn() {
        let records = CaptureTexts.intelHex(report)
        #expect(read(records.replacing(":10002000", with: ":10002100")).models == [])
        #expect(read(records.split(separator: "\n").dropLast().joined(separator: "\n")).models == [])
        let printed = CaptureTexts.gdb(report)
        #expect(read(printed.replacing(" times>", with: "1 times>", maxReplacements: 1)).models == [])
        #expect(read(printed.dropLast() + "...\n").models == [])
    }
}
