import CardData
import ReaderKit
import ReaderPackets
import ReaderTesting

@testable import Captures
@testable import HIDReaders

/// Reports as tools and people write them down.
enum CaptureTexts {
    static let vectors = [
        "MagTek/published/v5_hid856_level2.hex", "MagTek/generated/v5_hid887_datavariant.hex",
        "MagTek/generated/sureswipe_hid337.hex", "IDTech/generated/enhanced_binary_uat.hex",
        "IDTech/generated/unimag2_binary.hex", "IDTech/assumed/hid509_enhanced.hex",
    ]

    static func rows(_ bytes: [UInt8], _ width: Int) -> [(offset: Int, row: [UInt8])] {
        stride(from: 0, to: bytes.count, by: width).map { ($0, Array(bytes[$0...].prefix(width))) }
    }

    static func hex(_ bytes: some Sequence<UInt8>) -> [String] { bytes.map { Hex.text([$0]).lowercased() } }

    static func pad(_ text: String, _ width: Int, with pad: String = " ") -> String {
        String(repeating: pad, count: max(width - text.utf8.count, 0)) + text
    }

    static func digits(_ value: Int, _ radix: Int, _ width: Int) -> String {
        pad(String(value, radix: radix), width, with: "0")
    }

    static func shown(_ row: some Sequence<UInt8>) -> String {
        String(decoding: row.map { (0x20..<0x7F).contains($0) ? $0 : 0x2E }, as: UTF8.self)
    }

    static func pairs(_ row: [UInt8]) -> [String] { rows(row, 2).map { hex($0.row).joined() } }

    static func xxd(_ bytes: [UInt8]) -> String {
        rows(bytes, 16).map { offset, row in
            let hex = pairs(row).joined(separator: " ")
            return "\(digits(offset, 16, 8)): \(hex)\(pad("", 39 - hex.utf8.count))  \(shown(row))"
        }.joined(separator: "\n") + "\n"
    }

    static func canonical(_ bytes: [UInt8]) -> String {
        var lines: [String] = []
        var last: [UInt8] = []
        for (offset, row) in rows(bytes, 16) {
            let hex =
                hex(row.prefix(8)).joined(separator: " ") + "  "
                + hex(row.dropFirst(8)).joined(separator: " ")
            let line = "\(digits(offset, 16, 8))  \(hex)\(pad("", 48 - hex.utf8.count))  |\(shown(row))|"
            if row == last { if lines.last != "*" { lines.append("*") } } else { lines.append(line) }
            last = row
        }
        return lines.joined(separator: "\n") + "\n" + digits(bytes.count, 16, 8) + "\n"
    }

    static func python(_ bytes: [UInt8]) -> String {
        "'"
            + bytes.map { byte in
                switch byte {
                case UInt8(ascii: "'"), UInt8(ascii: "\\"): "\\" + shown([byte])
                case 10: "\\n"
                case 13: "\\r"
                case 9: "\\t"
                case 0x20..<0x7F: shown([byte])
                default: "\\x" + hex([byte])[0]
                }
            }.joined() + "'"
    }

    static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        return rows(bytes, 3).map { _, row in
            let bits = (row + [0, 0]).prefix(3).reduce(0) { $0 << 8 | Int($1) }
            let characters = [18, 12, 6, 0].map { alphabet[bits >> $0 & 63] }
            return String(characters.prefix(row.count + 1)) + String(repeating: "=", count: 3 - row.count)
        }.joined()
    }

    static func prefixed(_ bytes: [UInt8], _ prefix: String) -> String {
        rows(bytes, 16).map { offset, row in
            let text = hex(row).joined(separator: " ")
            return "\(prefix)\(digits(offset, 16, 8)): \(text)\(pad("", 47 - text.utf8.count))  \(shown(row))"
        }.joined(separator: "\n")
    }

    static func intelHex(_ bytes: [UInt8]) -> String {
        let records = rows(bytes, 16).map { offset, row in
            [UInt8(row.count), UInt8(offset >> 8), UInt8(offset & 0xFF), 0] + row
        }
        return (records + [[0, 0, 0, 1]]).map { record in
            ":" + Hex.text(record + [0 &- record.reduce(0, &+)]) + "\n"
        }.joined()
    }

    /// More than ten equal characters are counted.
    static func gdb(_ bytes: [UInt8]) -> String {
        var parts: [String] = []
        var open = ""
        var rest = bytes[...]
        func close() {
            if !open.isEmpty { parts.append("\"\(open)\"") }
            open = ""
        }
        while let byte = rest.first {
            let count = rest.prefix { $0 == byte }.count
            if count > 10 {
                close()
                parts.append("'\(escaped(byte))' <repeats \(count) times>")
            } else {
                open += String(repeating: escaped(byte), count: count)
            }
            rest = rest.dropFirst(count)
        }
        close()
        return "$1 = " + parts.joined(separator: ", ") + "\n"
    }

    static func escaped(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): "\\" + shown([byte])
        case 0x20..<0x7F: shown([byte])
        default: "\\" + digits(Int(byte), 8, 3)
        }
    }
}
