import ReaderPackets

/// Hex as people write it down, without offsets.
///
///     0000003C 25 1F      0x00, 0x3C      00:3C:25      <00003c25 1f00>      0 0 3c 25      3c00 1f25
struct HexText: Sendable {
    /// The likeliest first: parts between empty lines, each line a part, all of it one; then the same in words of two
    /// bytes that a little-endian machine printed; then a number for each byte, leading zeros left out.
    let readings: [[[UInt8]]]
    /// A digit is missing, or one too many.
    let isOdd: Bool

    /// Nil where any line holds something else.
    init?(_ lines: [ArraySlice<UInt8>]) {
        var blocks: [[UInt8]] = [[]]
        var rows: [[UInt8]] = []
        for line in lines {
            if line.isEmpty {
                if blocks.last?.isEmpty == false { blocks.append([]) }
                continue
            }
            guard let digits = Self.digits(of: line) else { return nil }
            // A line of brackets alone.
            guard !digits.isEmpty else { continue }
            blocks[blocks.count - 1] += digits
            rows.append(digits)
        }
        if blocks.last?.isEmpty == true { blocks.removeLast() }
        guard !blocks.isEmpty else { return nil }
        let whole = [[blocks.flatMap(\.self)]]
        var ways = (blocks.count > 1 ? [blocks] : []) + (rows.count > 1 ? whole + [rows] : whole)
        if blocks.count == 1, rows.count > 1 { ways = whole + [rows] }
        let bytes = ways.compactMap(Self.bytes)
        let words = Self.words(lines)
        var swapped = words.allSatisfy { $0.count == 4 } ? bytes.map { $0.map(Self.swapped) } : []
        // The last word of an odd number of bytes is filled up.
        swapped += swapped.filter { $0.last?.last == 0 }.map { parts in
            parts.dropLast() + parts.suffix(1).map { $0.dropLast() }
        }
        let single = Self.singles(words)
        readings = bytes + swapped + (single.map { [[$0]] } ?? [])
        isOdd = readings.isEmpty
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

    private static let separators = Set(" ,;:-\t\r{}[]()<>|\"'".utf8)

    private static func bytes(_ parts: [[UInt8]]) -> [[UInt8]]? {
        let bytes = parts.compactMap { HexField.bytes($0) }
        return bytes.count == parts.count ? bytes : nil
    }

    private static func words(_ lines: [ArraySlice<UInt8>]) -> [ArraySlice<UInt8>] {
        lines.flatMap { $0.split { separators.contains($0) } }
    }

    private static func swapped(_ bytes: [UInt8]) -> [UInt8] {
        bytes.indices.map { place in
            let other = place ^ 1
            return other < bytes.count ? bytes[other] : bytes[place]
        }
    }

    /// A byte a word, where some have one digit only.
    private static func singles(_ words: [ArraySlice<UInt8>]) -> [UInt8]? {
        guard words.contains(where: { $0.count == 1 }) else { return nil }
        let bytes = words.compactMap {
            $0.count <= 2 ? UInt8(String(decoding: $0, as: UTF8.self), radix: 16) : nil
        }
        return bytes.count == words.count ? bytes : nil
    }
}
