import ReaderTesting

/// How tools print bytes.
extension CaptureFormTests {

    static func list(_ bytes: [UInt8]) -> String { bytes.map { String($0) }.joined(separator: ", ") }

    /// Words of two bytes as a little-endian machine prints them.
    static func words(_ row: [UInt8]) -> [String] {
        CaptureTexts.rows(row, 2).map { CaptureTexts.hex(($0.row + [0]).prefix(2).reversed()).joined() }
    }

    /// Equal rows are left out, as hexdump and od do.
    static func offsets(_ bytes: [UInt8], radix: Int, _ joint: String, _ words: ([UInt8]) -> [String])
        -> String
    {
        var lines: [String] = []
        var last: [UInt8] = []
        for (offset, row) in CaptureTexts.rows(bytes, 16) {
            if row == last {
                if lines.last != "*" { lines.append("*") }
            } else {
                lines.append(
                    "\(CaptureTexts.digits(offset, radix, 7))\(joint)\(words(row).joined(separator: joint))")
            }
            last = row
        }
        return lines.joined(separator: "\n") + "\n" + CaptureTexts.digits(bytes.count, radix, 7) + "\n"
    }

    static func character(_ byte: UInt8) -> String {
        switch byte {
        case 0: "  \\0"
        case 10: "  \\n"
        case 13: "  \\r"
        case 0x20..<0x7F: CaptureTexts.pad(CaptureTexts.shown([byte]), 4)
        default: " " + CaptureTexts.digits(Int(byte), 8, 3)
        }
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
