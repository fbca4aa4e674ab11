import ReaderTesting

@testable import Captures
@testable import HIDReaders

/// Forms in which bytes stand among other words: logs, debuggers, tables, sources.
extension CaptureFormTests {
    static let logged: [Form] = [
        Form("the kernel's print_hex_dump", .dump) { prefixed($0, "raw_event: ") },
        Form("dmesg", .dump) { prefixed($0, "[  123.000001] hid-generic 0003:0801:0002.0001: ") },
        Form("WinDbg", .dump) { bytes in
            rows(bytes, 16).map { offset, row in
                let halves = [row.prefix(8), row.dropFirst(8)].filter { !$0.isEmpty }
                let text = halves.map { hex($0).joined(separator: " ") }.joined(separator: "-")
                return "000001d4`5c8f\(digits(offset, 16, 4))  \(text)  \(shown(row))"
            }.joined(separator: "\n")
        },
        Form("PowerShell 7", .dump) { bytes in
            "   Label: Byte[] (System.Byte[]) <29F5A3B7>\n\n          Offset Bytes\(pad("", 43))Ascii\n"
                + "                 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F\n          ------ -----\n"
                + rows(bytes, 16).map { offset, row in
                    let text = hex(row).joined(separator: " ").uppercased()
                    return "\(digits(offset, 16, 16)) \(text)\(pad("", 47 - text.utf8.count)) \(shown(row))"
                }.joined(separator: "\n")
        },
        Form("a table of Markdown", .dump) { bytes in
            "| Offset | Data |\n|---|---|\n"
                + rows(bytes, 16).map { "| \($0.offset) | \(hex($0.row).joined(separator: " ")) |" }.joined(
                    separator: "\n")
        },
        Form("PHP, strings that are put together", .literals) { bytes in
            "$swipe = ''\n"
                + rows(bytes, 32).map { "    . '\(hex($0.row).joined())'" }.joined(separator: "\n")
                + ";\n"
        },
        Form("a monitor of USB", .labelled) { bytes in
            rows(bytes, 8).map { offset, row in
                "\(digits(offset, 10, 6)): Bulk or Interrupt Transfer (UP), 21.11.2013 14:02:00.\(digits(offset, 10, 3))\r\n"
                    + "Pipe Handle: 0x8a3c (Endpoint Address: 0x81)\r\nGet 0x\(row.count) bytes from the device\r\n"
                    + " \(hex(row).joined(separator: " "))   \(shown(row))\r\n"
            }.joined(separator: "\r\n")
        },
    ]

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

    private static func escaped(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): "\\" + shown([byte])
        case 0x20..<0x7F: shown([byte])
        default: "\\" + digits(Int(byte), 8, 3)
        }
    }
}
