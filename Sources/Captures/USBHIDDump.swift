import ReaderPackets

/// The text of usbhid-dump, which can print a device's report descriptor in front of what the device sends.
///
///     001:004:000:DESCRIPTOR         1317036411.500011
///      06 00 FF 09 01 …
///
///     001:004:000:STREAM             1317036415.123456
///      00 00 00 …
///
/// A block ends with a blank line.
enum USBHIDDump {
    /// The text without its descriptors, whose bytes are no report's; any other text as it is.
    static func withoutDescriptors(_ text: [UInt8]) -> [UInt8] {
        guard CaptureText.contains(text[...], descriptor) else { return text }
        var kept: [UInt8] = []
        var isDescriptor = false
        for line in text.split(separator: 0x0A, omittingEmptySubsequences: false) {
            if let head = head(line) {
                isDescriptor = head.elementsEqual(descriptor)
            } else if !isBytes(line) {
                isDescriptor = false
            }
            if !isDescriptor { kept += line + [0x0A] }
        }
        return kept
    }

    private static let descriptor = Array(":DESCRIPTOR".utf8)
    private static let stream = Array(":STREAM".utf8)
    /// Bus, device and interface, three digits each.
    private static let placeCharacters = 11

    /// Whether a line is one of a block's, which are pairs of hex digits.
    private static func isBytes(_ line: ArraySlice<UInt8>) -> Bool {
        let pairs = line.split(whereSeparator: CaptureText.isSpace)
        return !pairs.isEmpty && pairs.allSatisfy { $0.count == 2 && HexField.bytes($0) != nil }
    }

    /// What stands behind the place in a block's first line; nil for any other line.
    private static func head(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let place = line.prefix(placeCharacters)
        let rest = line.dropFirst(placeCharacters)
        let isPlace = place.allSatisfy { $0 == UInt8(ascii: ":") || (0x30...0x39).contains($0) }
        guard isPlace, place.count(where: { $0 == UInt8(ascii: ":") }) == 2 else { return nil }
        return [descriptor, stream].first { rest.starts(with: $0) }?[...]
    }
}
