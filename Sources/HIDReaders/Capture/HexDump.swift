import ReaderPackets

/// Hex as people write it down: plain, with separators and prefixes, as an array, or as a dump with offsets.
///
///     0000003C 25 1F    0x00, 0x3C    00:3C:25    array('B', [0, 60, 37])
///     00000000: 0000 003c 251f  ...<%.            00000000  00 00 00 3c 25 1f  |...<%.|
enum HexDump {
    enum Reading: Sendable, Hashable {
        /// Parts that empty lines keep apart, where each of them is whole; else everything in one.
        case bytes([[UInt8]])
        case odd
        case notHex
    }

    static func read(_ text: [UInt8]) -> Reading {
        let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false).map(trimmed)
        if let numbers = decimals(text) { return .bytes([numbers]) }
        if let dumped = OffsetDump.bytes(lines) { return .bytes([dumped]) }
        var blocks: [[UInt8]] = [[]]
        for line in lines {
            if line.isEmpty {
                if blocks.last?.isEmpty == false { blocks.append([]) }
            } else if let digits = digits(of: line) {
                blocks[blocks.count - 1] += digits
            } else {
                return .notHex
            }
        }
        if blocks.last?.isEmpty == true { blocks.removeLast() }
        guard !blocks.isEmpty else { return .notHex }
        // A report that somebody broke into paragraphs is still one.
        let parts = blocks.allSatisfy { $0.count.isMultiple(of: 2) } ? blocks : [blocks.flatMap(\.self)]
        let bytes = parts.compactMap { HexField.bytes($0) }
        return bytes.count == parts.count ? .bytes(bytes) : .odd
    }

    /// The hex digits of a line; nil where it holds anything else but separators.
    static func digits(of line: ArraySlice<UInt8>) -> [UInt8]? {
        var digits: [UInt8] = []
        var previous: UInt8 = 0
        for byte in line {
            if HexField.value(byte) != nil {
                digits.append(byte)
            } else if byte == UInt8(ascii: "x") || byte == UInt8(ascii: "X") {
                guard previous == UInt8(ascii: "0") else { return nil }
                digits.removeLast()
            } else if !separators.contains(byte) {
                return nil
            }
            previous = byte
        }
        return digits
    }

    private static let separators = Set(" ,;:-\t\r{}[]()\"'".utf8)

    /// Numbers in brackets, as some tools print arrays of bytes; nil unless at least one cannot be hex.
    private static func decimals(_ text: [UInt8]) -> [UInt8]? {
        guard let open = text.firstIndex(of: UInt8(ascii: "[")),
            let close = text.lastIndex(of: UInt8(ascii: "]")),
            open < close
        else { return nil }
        let fields = text[(open + 1)..<close].split { CaptureText.isSpace($0) || $0 == UInt8(ascii: ",") }
        guard fields.count > 1, fields.contains(where: { $0.count != 2 }) else { return nil }
        let numbers = fields.compactMap { UInt8(String(decoding: $0, as: UTF8.self)) }
        return numbers.count == fields.count ? numbers : nil
    }

    static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let start = line.drop { CaptureText.isSpace($0) }
        guard let end = start.lastIndex(where: { !CaptureText.isSpace($0) }) else { return [] }
        return start[...end]
    }
}
