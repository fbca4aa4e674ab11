import ReaderPackets

/// A dump whose lines begin with their offset, as xxd, hexdump, od and Wireshark write it.
///
///     00000000: 0000 003c 251f 0025  ...<%..%          xxd
///     00000000  00 00 00 3c 25 1f 00 25  |...<%..%|    hexdump -C; Wireshark has its text behind three spaces
///     *                                                the line before again, up to the next offset
///     0000020 00 00 00 3c                              od; the offset may be octal
///
/// Every offset must be right: that is what tells a dump from hex that merely begins with zeros.
enum OffsetDump {
    /// A dump cannot make more than this out of its repeated lines.
    static let maximumBytes = HIDCapture.maximumBytes

    /// The bytes of a dump; nil where these lines are none.
    static func bytes(_ lines: [ArraySlice<UInt8>]) -> [UInt8]? {
        let lines = lines.filter { !$0.isEmpty }
        for radix in [16, 8, 10] {
            if let bytes = bytes(lines, radix: radix) { return bytes }
        }
        return nil
    }

    private static func bytes(_ lines: [ArraySlice<UInt8>], radix: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var last: [UInt8] = []
        var isRepeating = false
        for line in lines {
            if line.elementsEqual("*".utf8) {
                guard !last.isEmpty else { return nil }
                isRepeating = true
                continue
            }
            guard let split = split(line, radix: radix, isOnlyLine: lines.count == 1) else { return nil }
            if isRepeating {
                guard split.offset <= maximumBytes else { return nil }
                while bytes.count + last.count <= split.offset { bytes += last }
                isRepeating = false
            }
            guard split.offset == bytes.count else { return nil }
            last = split.bytes
            bytes += last
        }
        return bytes.isEmpty || isRepeating ? nil : bytes
    }

    private static func split(
        _ line: ArraySlice<UInt8>, radix: Int, isOnlyLine: Bool
    ) -> (offset: Int, bytes: [UInt8])? {
        let end = line.firstIndex { HexField.value($0) == nil } ?? line.endIndex
        let field = line[..<end]
        guard (4...16).contains(field.count),
            let offset = Int(String(decoding: field, as: UTF8.self), radix: radix)
        else { return nil }
        // A dump's last line holds its length alone.
        guard end < line.endIndex else { return isOnlyLine ? nil : (offset, []) }
        guard let digits = hexColumn(line[end...], isOnlyLine: isOnlyLine).flatMap(HexDump.digits),
            let bytes = HexField.bytes(digits)
        else { return nil }
        return (offset, bytes)
    }

    /// The hex behind an offset, without the column of text.
    private static func hexColumn(_ rest: ArraySlice<UInt8>, isOnlyLine: Bool) -> ArraySlice<UInt8>? {
        if rest.first == UInt8(ascii: ":") { return column(HexDump.trimmed(rest.dropFirst()), gap: 2) }
        guard rest.first == 0x20, !isOnlyLine || rest.starts(with: [0x20, 0x20]) else { return nil }
        let hex = HexDump.trimmed(rest)
        if hex.last == UInt8(ascii: "|"), let text = hex.firstIndex(of: UInt8(ascii: "|")) {
            return hex[..<text]
        }
        return column(hex, gap: 3)
    }

    /// What stands before so many spaces.
    private static func column(_ line: ArraySlice<UInt8>, gap: Int) -> ArraySlice<UInt8> {
        let end = line.indices.first {
            line[$0...].prefix(gap).elementsEqual(repeatElement(0x20, count: gap))
        }
        return end.map { line[..<$0] } ?? line
    }
}
