import ReaderPackets

/// Intel HEX, as programmers of chips write bytes down.
///
///     :LLAAAATT data… CC      L: bytes of data · A: their place · T: 00 data, 01 the end · C: all bytes sum up to 0
///
/// Source: Intel, "Hexadecimal Object File Format Specification", 1988.
enum IntelHex {
    private static let headBytes = 4
    private static let dataType: UInt8 = 0
    private static let endType: UInt8 = 1

    /// Whether every line is a record by its form; what it says is not looked at.
    static func isForm(of lines: [ArraySlice<UInt8>]) -> Bool {
        let lines = lines.filter { !$0.isEmpty }
        return lines.count > 1 && lines.allSatisfy { $0.first == UInt8(ascii: ":") && record($0) != nil }
    }

    /// The data; nil where a sum or a place is wrong, or the end is missing.
    static func bytes(_ lines: [ArraySlice<UInt8>]) -> [UInt8]? {
        var data: [UInt8] = []
        var hasEnded = false
        for line in lines where !line.isEmpty {
            guard !hasEnded, let record = record(line), record.reduce(0, &+) == 0 else { return nil }
            let place = Int(record[1]) << 8 | Int(record[2])
            switch record[3] {
            case dataType where place == data.count: data += record[headBytes..<(record.count - 1)]
            case endType where record[0] == 0: hasEnded = true
            default: return nil
            }
        }
        return hasEnded ? data : nil
    }

    /// A line's bytes, as many as it says.
    private static func record(_ line: ArraySlice<UInt8>) -> [UInt8]? {
        guard let bytes = HexField.bytes(line.dropFirst()), let count = bytes.first,
            bytes.count == Int(count) + headBytes + 1
        else { return nil }
        return bytes
    }
}
