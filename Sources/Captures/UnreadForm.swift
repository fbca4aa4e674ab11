import ReaderPackets

/// Forms that no published capture has and that look like others: their lengths, places and counts would pass for bytes. They are
/// refused by name.
enum UnreadForm: Sendable {
    /// `:10000000…CC`: bytes of data, their place, their type, the data, a check sum (Intel, 1988).
    case intelHex
    /// `"<%", '\000' <repeats 50 times>`: an array as gdb prints it.
    case debuggerPrint

    private static let headBytes = 4

    init?(_ text: [UInt8], _ lines: [ArraySlice<UInt8>]) {
        let marks = ["<repeats ", " times>"].map { Array($0.utf8) }
        let records = lines.filter { !$0.isEmpty }
        if records.count > 1, records.allSatisfy(Self.isRecord) {
            self = .intelHex
        } else if marks.allSatisfy({ CaptureText.contains(text[...], $0) }) {
            self = .debuggerPrint
        } else {
            return nil
        }
    }

    private static func isRecord(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.first == UInt8(ascii: ":"), let bytes = HexField.bytes(line.dropFirst()) else {
            return false
        }
        return bytes.first.map { bytes.count == Int($0) + headBytes + 1 } ?? false
    }

    /// What it is, and what to do.
    var sentence: String {
        switch self {
        case .intelHex: "Intel HEX is not read; write it as bytes with: objcopy -I ihex -O binary"
        case .debuggerPrint: "gdb's repeated characters are not read; print them with: x/512xb"
        }
    }
}
