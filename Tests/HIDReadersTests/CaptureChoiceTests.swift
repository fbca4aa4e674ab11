import ReaderKit
import ReaderTesting
import Testing

@testable import Captures
@testable import HIDReaders

/// Of the ways in which a capture can be read, the right one.
@Suite struct CaptureChoiceTests {
    private static func found(_ text: String) -> [HIDCapture.Found] { FoundCaptures.found(Array(text.utf8)) }

    /// A report of which nothing was read is that report in every form, not some other that has fewer bad tracks.
    @Test func aReportWithoutATrack() throws {
        let bytes = try Vector("MagTek/generated/sureswipe_hid337_allbad.hex").bytes()
        let right = FoundCaptures.found(bytes)
        #expect(right.count == 1)
        let prefixed = CaptureTexts.hex(bytes).map { "0x" + $0 }
        let binary = CaptureTexts.rows(bytes, 6).map { offset, row in
            let words = row.map { CaptureTexts.digits(Int($0), 2, 8) }.joined(separator: " ")
            return "\(CaptureTexts.digits(offset, 16, 8)): \(words)  \(CaptureTexts.shown(row))"
        }
        for text in [
            prefixed.joined(separator: ", "), "[" + prefixed.joined(separator: ", ") + "]",
            prefixed.joined(separator: " "), binary.joined(separator: "\n"),
        ] { #expect(Self.found(text) == right) }
    }

    /// A byte behind a report, or in front of one, is not the status of another.
    @Test(arguments: [[0xA5], [2], [0xFF]] as [[UInt8]]) func aByteTooMany(extra: [UInt8]) throws {
        for path in HostileBytes.vectors where path.hasSuffix(".hex") && path.contains("hid") {
            let bytes = try Vector(path).bytes()
            #expect(FoundCaptures.found(bytes + extra).isEmpty, "\(path)")
            #expect(FoundCaptures.found(extra + bytes).isEmpty, "\(path)")
        }
    }

    /// Typed packets of nothing but hex: in a program, a log, a dump whose column of text is hex as well, and one behind the other.
    @Test func typedPacketsOfHex() throws {
        for line in try Vector("IDTech/published/keyed_original_kb.txt").lines {
            let right = Self.found(line)
            #expect(right.map(\.model) == [.idTechKeyboard])
            let texts = [
                "\"\(line)\"", "{\"swipe\": \"\(line)\"}", "s = '\(line)'",
                CaptureTexts.xxd(Array(line.utf8)),
            ]
            for text in texts { #expect(Self.found(text) == right, "\(text.prefix(12))") }
            #expect(Self.found(line + line) == right + right)
        }
    }

    @Test func framesOneAfterTheOther() throws {
        let frame = try Vector("IDTech/published/tagged_vp3350.hex").bytes()
        let right = FoundCaptures.found(frame)
        #expect(FoundCaptures.found(frame + frame + frame) == right + right + right)
        var broken = frame
        broken[broken.count - 1] ^= 1
        #expect(FoundCaptures.found(frame + broken) == right)
    }

    @Test func whatBrowsersAndLogsPutInFront() throws {
        let report = try Vector("MagTek/published/v5_hid856_level2.hex").bytes()
        let encoded = "data:application/octet-stream;base64," + CaptureTexts.base64(report)
        #expect(Self.found(encoded) == FoundCaptures.found(report))
        let stream = try PublishedLines.line("MagTek/published/stream_level2_custom.txt")
        for front in ["Swipe: ", "2026-01-31 09:30:00 "] {
            #expect(Self.found(front + stream).map(\.swipe) == Self.found(stream).map(\.swipe))
        }
    }
}
