import Glibc
import ReaderKit

/// Turns what is written to a virtual HID reader's FIFO into reports.
///
///     # comment                        ignored, as are empty lines
///     00 00 00 48 4c …                 one input report a line, in hexadecimal, blanks as you like
///
/// What has any other byte than text has, before its first line ends, is bytes: reports one after the other, each as long as the
/// report descriptor says, or all of it one report where there is no descriptor. A line of words is a wrong line of a text, and
/// makes no bytes of the others.
///
/// A FIFO does not tell where one writer ends where another has opened it already. So bytes are looked at anew behind each report,
/// and a whole line of hexadecimal behind them is the next writer's.
struct ReportScript: SourceScript {
    private enum Form {
        /// Nothing has come that tells.
        case unknown
        case text, binary
        /// More than any report has: passed by until the line ends, or until lines begin, or the writer ends.
        case endlessLine, endlessBytes
    }

    private let descriptor: ReportDescriptor
    private var form = Form.unknown
    private var pending: [UInt8] = []
    /// The number of the line that comes next, of this writer.
    private var lineNumber = 1
    /// Lines that were no hexadecimal, and what was longer than any report.
    private(set) var refused = 0
    private var refusals: [Refusal] = []

    /// What was refused, never what it held.
    enum Refusal: Hashable, Sendable {
        /// This line of what one writer wrote is not a report in hexadecimal.
        case line(Int)
        /// Neither a line's end nor a report's within the longest report.
        case endless
        /// Bytes that are no whole report, and a line behind them.
        case cutShort

        var sentence: String {
            switch self {
            case .line(let number): "line \(number) is not a report in hexadecimal"
            case .endless: "more bytes than any report has"
            case .cutShort: "bytes before a line that are not a whole report"
            }
        }
    }

    /// As many as one writer's refusals are told one by one; of what comes after, only the count grows.
    static let toldRefusals = 8
    private var told = 0

    init(descriptor: ReportDescriptor) { self.descriptor = descriptor }

    mutating func receive(_ bytes: some Sequence<UInt8>) -> [HIDReport] {
        pending += bytes
        var reports: [HIDReport] = []
        // Each turn takes something or learns the form, or is the last.
        while !pending.isEmpty {
            let (count, last) = (pending.count, form)
            reports += take()
            if pending.count == count, form == last { break }
        }
        if pending.count > ReportDescriptor.maximumReportBytes * 3 {
            form = form == .binary ? .endlessBytes : .endlessLine
            pending.removeAll()
            refuse(.endless)
        }
        // What was taken off it would stay behind it until the next report.
        if pending.isEmpty { pending = [] }
        return reports
    }

    private mutating func take() -> [HIDReport] {
        switch form {
        case .unknown:
            form = Self.form(of: pending)
            return []
        case .text: return takeLines()
        case .binary:
            let line = Self.lines(behindBytes: pending)
            if let report = takeWholeReport(upTo: line) { return [report] }
            guard let line else { return [] }
            // Without a descriptor, one writer's bytes are one report.
            let reports = reportBytes == nil ? [report(Array(pending[..<line]))] : []
            skip(to: line, reports.isEmpty ? .cutShort : nil)
            return reports
        case .endlessLine:
            if let end = pending.firstIndex(of: UInt8(ascii: "\n")) { skip(to: end + 1, nil) }
            return []
        case .endlessBytes:
            if let line = Self.lines(behindBytes: pending) { skip(to: line, nil) }
            if form == .endlessBytes, pending.count > Self.mostKept {
                pending.removeFirst(pending.count - Self.mostKept)
            }
            return []
        }
    }

    /// Lines begin here; what stands before them is lost.
    private mutating func skip(to line: Int, _ refusal: Refusal?) {
        pending.removeFirst(line)
        form = .text
        if let refusal { refuse(refusal) }
    }

    /// Of what is passed by, the end is kept, in which a line may have begun.
    private static let mostKept = ReportDescriptor.maximumReportBytes * 2
    /// Fewer bytes in a line behind other bytes may be theirs.
    private static let leastLine = 8

    /// Where text begins behind bytes, with a whole line of hexadecimal in it: nil where there is none.
    private static func lines(behindBytes bytes: [UInt8]) -> Int? {
        let start = bytes.lastIndex { !isText($0) }.map { $0 + 1 } ?? 0
        guard let end = bytes[start...].lastIndex(of: UInt8(ascii: "\n")) else { return nil }
        let isThere = bytes[start..<end].split(separator: UInt8(ascii: "\n")).contains { line in
            let digits = line.prefix { $0 != UInt8(ascii: "#") }.filter { !isBlank($0) }
            return digits.count >= 2 * leastLine && digits.allSatisfy { value($0) != nil }
        }
        return isThere ? start : nil
    }

    /// Bytes where something in the first line is no text; text where it has ended without. Blanks tell nothing.
    private static func form(of bytes: [UInt8]) -> Form {
        let first = bytes.drop(while: isBlank)
        let end = first.firstIndex(of: UInt8(ascii: "\n"))
        guard first[..<(end ?? first.endIndex)].allSatisfy(isText) else { return .binary }
        return end == nil ? .unknown : .text
    }

    /// Printable ASCII and blanks.
    private static func isText(_ byte: UInt8) -> Bool { (0x20..<0x7F).contains(byte) || isBlank(byte) }

    /// What was refused since the last call.
    mutating func takeRefusals() -> [Refusal] {
        defer { refusals = [] }
        return refusals
    }

    private mutating func refuse(_ refusal: Refusal) {
        refused += 1
        guard told < Self.toldRefusals else { return }
        told += 1
        refusals.append(refusal)
    }

    /// The writer has closed: what is left is the last line or the last report.
    mutating func end() -> [HIDReport] {
        defer {
            form = .unknown
            pending.removeAll()
            (lineNumber, told) = (1, 0)
        }
        guard !pending.isEmpty else { return [] }
        switch form {
        case .text: return line(pending[...]).map { [$0] } ?? []
        case .binary: return [report(pending)]
        // Characters without a line's end are a line, unless they are just as many as a report has.
        case .unknown where pending.count == reportBytes: return [report(pending)]
        case .unknown: return line(pending[...]).map { [$0] } ?? []
        case .endlessLine, .endlessBytes: return []
        }
    }

    /// How long a report is, its id included; nil without a descriptor.
    private var reportBytes: Int? {
        guard let size = descriptor.longestByteLength(.input), size > 0 else { return nil }
        return size + (descriptor.isNumbered ? 1 : 0)
    }

    /// By the library's search: a report has some two thousand characters.
    private var lineEnd: Int? {
        pending.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, let end = memchr(start, 0x0A, bytes.count) else {
                return nil
            }
            return UnsafeRawPointer(end) - start
        }
    }

    private mutating func takeLines() -> [HIDReport] {
        var reports: [HIDReport] = []
        while let end = lineEnd {
            if let report = line(pending[..<end]) { reports.append(report) }
            pending.removeFirst(end + 1)
        }
        return reports
    }

    /// A report of the descriptor's length, before a place. Behind it, another writer's text may begin.
    private mutating func takeWholeReport(upTo place: Int?) -> HIDReport? {
        guard let length = reportBytes, (place ?? pending.count) >= length else { return nil }
        defer {
            pending.removeFirst(length)
            form = .unknown
        }
        return report(Array(pending.prefix(length)))
    }

    private mutating func line(_ text: ArraySlice<UInt8>) -> HIDReport? {
        let number = lineNumber
        lineNumber += 1
        guard let bytes = text.withUnsafeBufferPointer(Self.bytes) else {
            refuse(.line(number))
            return nil
        }
        if bytes.isEmpty { return nil }
        return report(bytes)
    }

    /// What a line says, up to a comment; nil where that is not hexadecimal, or more than any report has.
    private static func bytes(of text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        let most = ReportDescriptor.maximumReportBytes
        var isWhole = true
        let bytes = [UInt8](unsafeUninitializedCapacity: min(text.count / 2, most)) { bytes, count in
            let meanings = meanings.span
            var place = 0
            while place < text.count {
                let high = meanings[Int(text[place])]
                place += 1
                guard high != blank else { continue }
                if high == comment { break }
                while place < text.count, meanings[Int(text[place])] == blank { place += 1 }
                guard place < text.count, count < most else { return isWhole = false }
                let low = meanings[Int(text[place])]
                guard high | low < 0x10 else { return isWhole = false }
                bytes[count] = high << 4 | low
                count += 1
                place += 1
            }
        }
        return isWhole ? bytes : nil
    }

    private func report(_ bytes: [UInt8]) -> HIDReport {
        guard descriptor.isNumbered, let id = bytes.first else { return HIDReport(bytes: bytes) }
        return HIDReport(id: id, bytes: Array(bytes.dropFirst()))
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A
    }

    /// What each character is: a digit's value, or one of those below.
    private static let meanings: [UInt8] = (UInt8.min...UInt8.max).map { byte in
        if let digit = value(byte) { return digit }
        if isBlank(byte) { return blank }
        return byte == UInt8(ascii: "#") ? comment : wrong
    }
    private static let blank: UInt8 = 0x10
    private static let comment: UInt8 = 0x20
    private static let wrong: UInt8 = 0x40

    private static func value(_ digit: UInt8) -> UInt8? {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "f")
        switch digit | 0x20 {
        case letters: return (digit | 0x20) - letters.lowerBound + 10
        case _:
            return (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) ? digit - UInt8(ascii: "0") : nil
        }
    }
}
