import ReaderPackets

/// A recording of hid-recorder (hid-tools, hid-replay), the usual bug report about a HID device on Linux.
///
///     N: name      I: bus vendor product      R: length descriptor…      E: time length report…
///
/// A report begins with its id where the device has ids. Only E lines matter here; `#` begins a comment.
enum HIDRecording {
    /// The recorded reports; nil where the text is no recording, or one of its lines is broken.
    static func reports(_ lines: [ArraySlice<UInt8>]) -> [[UInt8]]? {
        var reports: [[UInt8]] = []
        for line in lines where line.starts(with: "E:".utf8) {
            let words = line.dropFirst(2).split(whereSeparator: CaptureText.isSpace)
            guard words.count >= 2, let length = Int(String(decoding: words[1], as: UTF8.self)),
                let report = HexField.bytes(words.dropFirst(2).joined()), report.count == length
            else { return nil }
            reports.append(report)
        }
        return reports.isEmpty ? nil : reports
    }
}
