import ReaderKit

/// Turns what is written to a virtual HID reader's FIFO into reports.
///
///     # comment                        ignored, as are empty lines
///     00 00 00 48 4c …                 one input report a line, in hexadecimal, blanks as you like
///
/// Anything that does not start like text is bytes: reports one after the other, each as long as the report
/// descriptor says, or all of it one report where there is no descriptor.
struct ReportScript {
    private enum Form { case unknown, text, binary }

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
        /// This line of what one writer wrote is no report in hexadecimal.
        case line(Int)
        /// Neither a line's end nor a report's within the longest report.
        case endless

        var sentence: String {
            switch self {
            case .line(let number): "line \(number) is no report in hexadecimal"
            case .endless: "more bytes than any report has"
            }
        }
    }

    /// As many as one writer's refusals are told one by one; of what comes after, only the count grows.
    static let toldRefusals = 8
    private var told = 0

    init(descriptor: ReportDescriptor) { self.descriptor = descriptor }

    mutating func receive(_ bytes: some Sequence<UInt8>) -> [HIDReport] {
        pending += bytes
        if form == .unknown && !pending.isEmpty { form = Self.looksLikeText(pending) ? .text : .binary }
        let reports = form == .text ? takeLines() : takeWholeReports()
        if pending.count > ReportDescriptor.maximumReportBytes * 3 {
            pending.removeAll()
            refuse(.endless)
        }
        return reports
    }

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
        case .binary, .unknown: return [report(pending)]
        }
    }

    private mutating func takeLines() -> [HIDReport] {
        var reports: [HIDReport] = []
        while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
            if let report = line(pending[..<end]) { reports.append(report) }
            pending.removeFirst(end + 1)
        }
        return reports
    }

    private mutating func takeWholeReports() -> [HIDReport] {
        guard let size = descriptor.longestByteLength(.input), size > 0 else { return [] }
        let length = size + (descriptor.isNumbered ? 1 : 0)
        var reports: [HIDReport] = []
        while pending.count >= length {
            reports.append(report(Array(pending.prefix(length))))
            pending.removeFirst(length)
        }
        return reports
    }

    private mutating func line(_ text: ArraySlice<UInt8>) -> HIDReport? {
        let number = lineNumber
        lineNumber += 1
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        var high: UInt8?
        for byte in text.prefix(while: { $0 != UInt8(ascii: "#") }) where !Self.isBlank(byte) {
            guard let digit = Self.value(byte), bytes.count < ReportDescriptor.maximumReportBytes else {
                refuse(.line(number))
                return nil
            }
            if let upper = high {
                bytes.append(upper << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        guard high == nil else {
            refuse(.line(number))
            return nil
        }
        if bytes.isEmpty { return nil }
        return report(bytes)
    }

    private func report(_ bytes: [UInt8]) -> HIDReport {
        guard descriptor.isNumbered, let id = bytes.first else { return HIDReport(bytes: bytes) }
        return HIDReport(id: id, bytes: Array(bytes.dropFirst()))
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A
    }

    /// A report may well start with a byte that is a digit or a blank; its first line is then still no text.
    private static func looksLikeText(_ bytes: [UInt8]) -> Bool {
        let first = bytes.drop(while: isBlank).prefix { $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: "\n") }
        return first.allSatisfy { isBlank($0) || value($0) != nil }
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case _: nil
        }
    }
}
