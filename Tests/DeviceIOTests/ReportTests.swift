import ReaderKit
import Testing

@testable import DeviceIO

/// A reader's descriptor without report ids.
private enum Descriptors {
    /// Vendor page, one collection: 7 + 2×272 … bytes in, 24 bytes feature; no report ids.
    static let sureSwipe: [UInt8] = [
        0x06, 0x00, 0xFF, 0x09, 0x01, 0xA1, 0x01, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08,
        0x09, 0x20, 0x09, 0x21, 0x09, 0x22, 0x09, 0x28, 0x09, 0x29, 0x09, 0x2A, 0x09, 0x38, 0x95, 0x07, 0x81,
        0x02,
        0x09, 0x30, 0x95, 0x6E, 0x82, 0x02, 0x01, 0x09, 0x31, 0x95, 0x6E, 0x82, 0x02, 0x01,
        0x09, 0x32, 0x95, 0x6E, 0x82, 0x02, 0x01, 0x09, 0x20, 0x95, 0x18, 0xB2, 0x02, 0x01, 0xC0,
    ]
}

@Suite("What is written to a virtual HID reader")
struct ReportScriptTests {
    @Test("lines of hexadecimal, comments, blanks, in any pieces", arguments: 1...9)
    func text(piece: Int) {
        let text = Array("# a swipe\n00 01 fF\r\n\n0a0B # again\nzz\n123\n7F".utf8)
        var script = ReportScript(descriptor: .empty)
        var reports: [HIDReport] = []
        for start in stride(from: 0, to: text.count, by: piece) {
            reports += script.receive(text[start..<min(text.count, start + piece)])
        }
        reports += script.end()
        #expect(reports.map(\.bytes) == [[0, 1, 0xFF], [0x0A, 0x0B], [0x7F]])
        #expect(script.refused == 2)
        #expect(script.takeRefusals() == [.line(5), .line(6)])
        #expect(script.takeRefusals() == [])
    }

    @Test("lines are counted anew for each writer, and a flood of bad ones is told of in part")
    func manyBadLines() {
        var script = ReportScript(descriptor: .empty)
        for _ in 0..<2 {
            // What looks like text in its first line is text.
            _ = script.receive(
                Array("00\n".utf8) + Array(repeating: Array("zz\n".utf8), count: 20).flatMap(\.self))
            #expect(script.takeRefusals() == (2...9).map { .line($0) })
            _ = script.end()
        }
        #expect(script.refused == 40)
    }

    @Test("bytes, as long as the descriptor says")
    func binary() throws {
        var script = try ReportScript(descriptor: ReportDescriptor(Descriptors.sureSwipe))
        let reports = script.receive([UInt8](repeating: 0, count: 700)) + script.end()
        #expect(reports.map(\.bytes.count) == [337, 337, 26])
    }

    @Test("bytes without a descriptor are one report")
    func binaryWhole() {
        var script = ReportScript(descriptor: .empty)
        #expect(script.receive([0, 1]) + script.receive([2]) == [])
        #expect(script.end().map(\.bytes) == [[0, 1, 2]])
    }

    @Test("numbered reports lose their id")
    func numbered() throws {
        var script = try ReportScript(
            descriptor: ReportDescriptor([0x85, 0x01, 0x75, 0x08, 0x95, 0x02, 0x81, 0x02]))
        #expect(script.receive(Array("01 AA BB\n".utf8)) == [HIDReport(id: 1, bytes: [0xAA, 0xBB])])
    }

    @Test("an endless line is dropped")
    func endless() {
        var script = ReportScript(descriptor: .empty)
        for _ in 0..<100 { #expect(script.receive([UInt8](repeating: 0x30, count: 1_000)) == []) }
        #expect(script.refused > 0)
        #expect(script.takeRefusals().allSatisfy { $0 == .endless })
    }

    @Test("a first line of words is a wrong line, and makes no bytes of the next", arguments: [1, 7, 4_096])
    func wordsFirst(piece: Int) throws {
        let text = Array("swipe 1\n00 01 FF\n".utf8)
        var script = try ReportScript(descriptor: ReportDescriptor(Descriptors.sureSwipe))
        var reports: [HIDReport] = []
        for start in stride(from: 0, to: text.count, by: piece) {
            reports += script.receive(text[start..<min(text.count, start + piece)])
        }
        #expect(reports.map(\.bytes) == [[0, 1, 0xFF]])
        #expect(script.takeRefusals() == [.line(1)])
        #expect(script.receive(Array("words".utf8)) + script.end() == [])
    }

    private static let line = Array("# next\n".utf8) + Array("00 01 02 03 04 05 06 07 08\n".utf8)

    @Test(
        "a writer that opened before the last one closed loses nothing to it",
        arguments: [0, 26, 337, 700, 100_000], [true, false])
    func noEndBetween(count: Int, isDescribed: Bool) throws {
        var script = try ReportScript(
            descriptor: isDescribed ? ReportDescriptor(Descriptors.sureSwipe) : .empty)
        let bytes = [UInt8](repeating: 0, count: count) + Self.line + Self.line
        var reports: [HIDReport] = []
        for start in stride(from: 0, to: bytes.count, by: 4_096) {
            reports += script.receive(bytes[start..<min(bytes.count, start + 4_096)])
        }
        let lines = reports.filter { $0.bytes == Array(0...8) }
        #expect(lines.count == 2)
        let isReport = count > 0 && count <= ReportDescriptor.maximumReportBytes
        #expect(reports.count - lines.count == (isDescribed ? count / 337 : isReport ? 1 : 0))
        #expect((script.refused > 0) == (isDescribed ? count % 337 > 0 : count > 0 && !isReport))
    }

    @Test("the end of an endless line is no report")
    func endOfAnEndlessLine() {
        var script = ReportScript(descriptor: .empty)
        let bytes = [UInt8](repeating: 0x30, count: 60_000) + Array("\n0A0B\n".utf8)
        var reports: [HIDReport] = []
        for start in stride(from: 0, to: bytes.count, by: 4_096) {
            reports += script.receive(bytes[start..<min(bytes.count, start + 4_096)])
        }
        #expect(reports.map(\.bytes) == [[0x0A, 0x0B]])
    }
}
