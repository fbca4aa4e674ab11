import ReaderTesting

/// How tools print bytes.
extension CaptureFormTests {
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

    static func list(_ bytes: [UInt8]) -> String { bytes.map { String($0) }.joined(separator: ", ") }

    static func pairs(_ row: [UInt8]) -> [String] { rows(row, 2).map { hex($0.row).joined() } }

    /// Words of two bytes as a little-endian machine prints them.
    static func words(_ row: [UInt8]) -> [String] {
        rows(row, 2).map { hex(($0.row + [0]).prefix(2).reversed()).joined() }
    }

    /// Equal rows are left out, as hexdump and od do.
    static func offsets(_ bytes: [UInt8], radix: Int, _ joint: String, _ words: ([UInt8]) -> [String])
        -> String
    {
        var lines: [String] = []
        var last: [UInt8] = []
        for (offset, row) in rows(bytes, 16) {
            if row == last {
                if lines.last != "*" { lines.append("*") }
            } else {
                lines.append("\(digits(offset, radix, 7))\(joint)\(words(row).joined(separator: joint))")
            }
            last = row
        }
        return lines.joined(separator: "\n") + "\n" + digits(bytes.count, radix, 7) + "\n"
    }

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

    static func character(_ byte: UInt8) -> String {
        switch byte {
        case 0: "  \\0"
        case 10: "  \\n"
        case 13: "  \\r"
        case 0x20..<0x7F: pad(shown([byte]), 4)
        default: " " + digits(Int(byte), 8, 3)
        }
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

    private static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// A completed interrupt transfer from the device, as Linux has it in captures.
    static func usbmon(_ bytes: [UInt8]) -> [UInt8] {
        let header: [[UInt8]] = [
            Array(repeating: 0xAA, count: 8), [UInt8(ascii: "C"), 1, 0x81, 2, 1, 0, 0x2D, 0], little(0, 8),
            little(0, 8), little(bytes.count, 4), little(bytes.count, 4), Array(repeating: 0, count: 24),
        ]
        return header.flatMap(\.self) + bytes
    }

    static func pcap(_ bytes: [UInt8]) -> [UInt8] {
        let packet = usbmon(bytes)
        var submitted = usbmon([])
        submitted[8] = UInt8(ascii: "S")
        var file: [UInt8] = [0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0]
        file += little(0, 8) + little(262_144, 4) + little(220, 4)
        for packet in [submitted, packet] {
            file += little(0, 8) + little(packet.count, 4) + little(packet.count, 4) + packet
        }
        return file
    }

    static func pcapng(_ bytes: [UInt8]) -> [UInt8] {
        func block(_ type: Int, _ body: [UInt8]) -> [UInt8] {
            let padded = body + Array(repeating: 0, count: (4 - body.count % 4) % 4)
            return little(type, 4) + little(padded.count + 12, 4) + padded + little(padded.count + 12, 4)
        }
        let packet = usbmon(bytes)
        return block(0x0A0D_0D0A, little(0x1A2B_3C4D, 4) + [1, 0, 0, 0] + Array(repeating: 0xFF, count: 8))
            + block(1, little(220, 2) + [0, 0] + little(0, 4))
            + block(
                6, little(0, 4) + little(0, 8) + little(packet.count, 4) + little(packet.count, 4) + packet)
    }
}
