/// The forms in which captures are written down, in the order in which they are tried.
package enum CaptureForm: String, Sendable, Hashable, CaseIterable {
    case bytes, packetCapture, recording, usbTrace, dump, hex, numbers, literals, base64, labelled, keys, text

    /// What people call it.
    package var name: String {
        switch self {
        case .bytes: "bytes"
        case .packetCapture: "pcap"
        case .keys: "events of keys"
        case .recording: "recording of hid-recorder"
        case .usbTrace: "usbmon text"
        case .dump: "dump with offsets"
        case .hex: "hex"
        case .numbers: "list of numbers"
        case .literals: "string literal"
        case .base64: "base64"
        case .labelled: "hex after labels"
        case .text: "keyboard or serial text"
        }
    }

    static let ofText: [Self] = [
        .recording, .usbTrace, .dump, .hex, .numbers, .literals, .base64, .labelled, .keys, .text,
    ]
}

/// A text that may be a capture in any of the forms, and the parts it has in each.
struct CaptureForms: Sendable {
    /// As it was written.
    let text: [UInt8]
    /// Its lines without white space around them, in ASCII.
    let lines: [ArraySlice<UInt8>]
    /// A form that is not read, and looks like others that are: none is tried then.
    let unread: UnreadForm?

    init(_ text: [UInt8]) {
        self.text = USBHIDDump.withoutDescriptors(
            CaptureText.withUsualBlanks(CaptureText.withoutHeader(text)))
        lines = CaptureText.ascii(self.text).split(separator: 0x0A, omittingEmptySubsequences: false)
            .map(CaptureText.trimmed)
        unread = UnreadForm(self.text, lines)
    }

    /// Ways to read the text in this form, the likeliest first; each is a list of reports, packets or streams.
    func readings(_ form: CaptureForm) -> [[[UInt8]]] {
        switch form {
        case .bytes, .packetCapture: []
        case .keys: KeyEvents.text(lines).map { [[$0]] } ?? []
        case .recording: withJoined(HIDRecording.reports(lines).map { [$0] } ?? [])
        case .usbTrace: withJoined(USBTrace.read(lines).map { [$0.reports] } ?? [])
        case .dump: withJoined(OffsetDump.readings(lines)) + TextTable.readings(lines)
        case .hex: hex?.readings ?? []
        case .numbers:
            withJoined(NumberLists.readings(CaptureText.joined(withoutComments.map(Self.withoutBullet))))
        case .literals: withJoined(StringLiterals.readings(text))
        case .base64: Base64.readings(lines)
        case .labelled: withJoined(LabelledHex.readings(lines))
        case .text: []
        }
    }

    /// Why a text that is plainly of some form cannot be read in it.
    var obstacle: HIDCapture.Refusal? {
        if hex?.isOdd == true { return .oddHex }
        if USBTrace.read(lines)?.isCut == true {
            return .cutShort("usbmon's text keeps 32 bytes of a report")
        }
        let marks = ["more bytes", "more items", "truncated", " ... "]
        let isCut = lines.contains { line in marks.contains { CaptureText.contains(line, Array($0.utf8)) } }
        return isCut ? .cutShort("who printed it left bytes out") : nil
    }

    /// YAML's lists have an item a line.
    private static func withoutBullet(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        line.starts(with: "- ".utf8) ? line.dropFirst(2) : line
    }

    private var withoutComments: [ArraySlice<UInt8>] { CaptureText.withoutComments(lines) }
    private var hex: HexText? { HexText(withoutComments) }

    /// Parts may be the packets of one message, or one report on several lines.
    private func withJoined(_ readings: [[[UInt8]]]) -> [[[UInt8]]] {
        readings.filter { !$0.isEmpty }.flatMap { parts in
            parts.count > 1 ? [parts, [parts.flatMap(\.self)]] : [parts]
        }
    }
}
