import ReaderKit
import Testing

@testable import DeviceIO

@Suite("Report sizes from a report descriptor")
struct ReportSizesTests {
    /// Vendor page, one collection: 7 + 2×272 … bytes in, 24 bytes feature; no report ids.
    static let sureSwipe: [UInt8] = [
        0x06, 0x00, 0xFF, 0x09, 0x01, 0xA1, 0x01, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08,
        0x09, 0x20, 0x09, 0x21, 0x09, 0x22, 0x09, 0x28, 0x09, 0x29, 0x09, 0x2A, 0x09, 0x38, 0x95, 0x07, 0x81,
        0x02,
        0x09, 0x30, 0x95, 0x6E, 0x82, 0x02, 0x01, 0x09, 0x31, 0x95, 0x6E, 0x82, 0x02, 0x01,
        0x09, 0x32, 0x95, 0x6E, 0x82, 0x02, 0x01, 0x09, 0x20, 0x95, 0x18, 0xB2, 0x02, 0x01, 0xC0,
    ]

    @Test("a descriptor without report ids")
    func plain() {
        let sizes = ReportSizes(descriptor: Self.sureSwipe)
        #expect(!sizes.isNumbered)
        #expect(sizes.longest(.input) == 337)
        #expect(sizes.bytes(.feature, id: 0) == 24)
        #expect(sizes.longest(.output) == nil)
    }

    @Test("a descriptor with report ids, and push and pop")
    func numbered() {
        let sizes = ReportSizes(descriptor: [
            0x75, 0x08, 0x95, 0x04, 0x85, 0x01, 0x81, 0x02, 0xA4, 0x85, 0x02, 0x95, 0x09, 0x81, 0x02, 0xB4,
            0xB1, 0x02,
            0xFE, 0x02, 0x00, 0xAA, 0xBB, 0x75, 0x01, 0x95, 0x03, 0x91, 0x02,
        ])
        #expect(sizes.isNumbered)
        #expect(sizes.bytes(.input, id: 1) == 4)
        #expect(sizes.bytes(.input, id: 2) == 9)
        #expect(sizes.longest(.input) == 9)
        #expect(sizes.bytes(.feature, id: 1) == 4)
        #expect(sizes.bytes(.output, id: 1) == 1)
    }

    @Test("neither cut-off nor mad descriptors trap, and no report is longer than the kernel's limit")
    func hostile() {
        for length in 0..<Self.sureSwipe.count {
            _ = ReportSizes(descriptor: Array(Self.sureSwipe.prefix(length)))
        }
        let mad: [UInt8] = [
            0x77, 0xFF, 0xFF, 0xFF, 0xFF, 0x97, 0xFF, 0xFF, 0xFF, 0xFF, 0x81, 0x02, 0x81, 0x02, 0xFE,
        ]
        #expect(ReportSizes(descriptor: mad).longest(.input) == ReportSizes.maximumBytes)
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let noise = (0..<64).map { _ in UInt8.random(in: 0...255, using: &generator) }
            #expect(ReportSizes(descriptor: noise).longest(.input) ?? 0 <= ReportSizes.maximumBytes)
        }
    }
}

@Suite("What is written to a virtual HID reader")
struct ReportScriptTests {
    @Test("lines of hexadecimal, comments, blanks, in any pieces", arguments: 1...9)
    func text(piece: Int) {
        let text = Array("# a swipe\n00 01 fF\r\n\n0a0B # again\nzz\n123\n7F".utf8)
        var script = ReportScript(sizes: ReportSizes(descriptor: []))
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
        var script = ReportScript(sizes: ReportSizes(descriptor: []))
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
    func binary() {
        var script = ReportScript(sizes: ReportSizes(descriptor: ReportSizesTests.sureSwipe))
        let reports = script.receive([UInt8](repeating: 0, count: 700)) + script.end()
        #expect(reports.map(\.bytes.count) == [337, 337, 26])
    }

    @Test("bytes without a descriptor are one report")
    func binaryWhole() {
        var script = ReportScript(sizes: ReportSizes(descriptor: []))
        #expect(script.receive([0, 1]) + script.receive([2]) == [])
        #expect(script.end().map(\.bytes) == [[0, 1, 2]])
    }

    @Test("numbered reports lose their id")
    func numbered() {
        var script = ReportScript(
            sizes: ReportSizes(descriptor: [0x85, 0x01, 0x75, 0x08, 0x95, 0x02, 0x81, 0x02]))
        #expect(script.receive(Array("01 AA BB\n".utf8)) == [HIDReport(id: 1, bytes: [0xAA, 0xBB])])
    }

    @Test("an endless line is dropped")
    func endless() {
        var script = ReportScript(sizes: ReportSizes(descriptor: []))
        for _ in 0..<100 { #expect(script.receive([UInt8](repeating: 0x30, count: 1_000)) == []) }
        #expect(script.refused > 0)
        #expect(script.takeRefusals().allSatisfy { $0 == .endless })
    }
}
