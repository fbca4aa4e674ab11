import ReaderTesting

@testable import Captures
@testable import HIDReaders

/// Forms in which bytes stand among other words: logs, debuggers, tables, sources.
extension CaptureFormTests {
    static let logged: [Form] = [
        Form("the kernel's print_hex_dump", .dump) { CaptureTexts.prefixed($0, "raw_event: ") },
        Form("dmesg", .dump) {
            CaptureTexts.prefixed($0, "[  123.000001] hid-generic 0003:0801:0002.0001: ")
        },
        Form("WinDbg", .dump) { bytes in
            CaptureTexts.rows(bytes, 16).map { offset, row in
                let halves = [row.prefix(8), row.dropFirst(8)].filter { !$0.isEmpty }
                let text = halves.map { CaptureTexts.hex($0).joined(separator: " ") }.joined(separator: "-")
                return
                    "000001d4`5c8f\(CaptureTexts.digits(offset, 16, 4))  \(text)  \(CaptureTexts.shown(row))"
            }.joined(separator: "\n")
        },
        Form("PowerShell 7", .dump) { bytes in
            "   Label: Byte[] (System.Byte[]) <29F5A3B7>\n\n          Offset Bytes\(CaptureTexts.pad("", 43))Ascii\n"
                + "                 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F\n          ------ -----\n"
                + CaptureTexts.rows(bytes, 16).map { offset, row in
                    let text = CaptureTexts.hex(row).joined(separator: " ").uppercased()
                    return
                        "\(CaptureTexts.digits(offset, 16, 16)) \(text)\(CaptureTexts.pad("", 47 - text.utf8.count)) \(CaptureTexts.shown(row))"
                }.joined(separator: "\n")
        },
        Form("a table of Markdown", .dump) { bytes in
            "| Offset | Data |\n|---|---|\n"
                + CaptureTexts.rows(bytes, 16).map {
                    "| \($0.offset) | \(CaptureTexts.hex($0.row).joined(separator: " ")) |"
                }.joined(
                    separator: "\n")
        },
        Form("PHP, strings that are put together", .literals) { bytes in
            "$swipe = ''\n"
                + CaptureTexts.rows(bytes, 32).map { "    . '\(CaptureTexts.hex($0.row).joined())'" }.joined(
                    separator: "\n")
                + ";\n"
        },
        Form("a monitor of USB", .labelled) { bytes in
            CaptureTexts.rows(bytes, 8).map { offset, row in
                "\(CaptureTexts.digits(offset, 10, 6)): Bulk or Interrupt Transfer (UP), 21.11.2013 14:02:00.\(CaptureTexts.digits(offset, 10, 3))\r\n"
                    + "Pipe Handle: 0x8a3c (Endpoint Address: 0x81)\r\nGet 0x\(row.count) bytes from the device\r\n"
                    + " \(CaptureTexts.hex(row).joined(separator: " "))   \(CaptureTexts.shown(row))\r\n"
            }.joined(separator: "\r\n")
        },
    ]

}
