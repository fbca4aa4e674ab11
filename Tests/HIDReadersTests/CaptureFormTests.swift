import CardData
import ReaderKit
import ReaderPackets
import ReaderTesting
import Testing

@testable import Captures
@testable import HIDReaders

/// The same reports in every form in which people write bytes down, each as the tool of that name prints it.
@Suite struct CaptureFormTests {
    struct Form: CustomTestStringConvertible, Sendable {
        var name: String
        var form: CaptureForm
        var write: @Sendable ([UInt8]) -> [UInt8]
        var testDescription: String { name }

        init(_ name: String, _ form: CaptureForm, _ write: @escaping @Sendable ([UInt8]) -> String) {
            (self.name, self.form, self.write) = (name, form, { Array(write($0).utf8) })
        }

        init(_ name: String, _ form: CaptureForm, bytes write: @escaping @Sendable ([UInt8]) -> [UInt8]) {
            (self.name, self.form, self.write) = (name, form, write)
        }
    }

    // MARK: Forms

    static let plain: [Form] = [
        Form("raw", .bytes, bytes: { $0 }),
        Form("xxd -p", .hex) {
            CaptureTexts.rows($0, 30).map { CaptureTexts.hex($0.row).joined() }.joined(separator: "\n") + "\n"
        },
        Form("one line, small letters", .hex) { CaptureTexts.hex($0).joined() },
        Form("one line, capitals, CR LF", .hex) { CaptureTexts.hex($0).joined().uppercased() + "\r\n" },
        Form("blanks", .hex) { CaptureTexts.hex($0).joined(separator: " ") },
        Form("colons", .hex) { CaptureTexts.hex($0).joined(separator: ":") },
        Form("dashes", .hex) { CaptureTexts.hex($0).joined(separator: "-").uppercased() },
        Form("0x and commas", .hex) { $0.map { "0x" + CaptureTexts.hex([$0])[0] }.joined(separator: ", ") },
        Form("0x in front of it all", .hex) { "0x" + CaptureTexts.hex($0).joined() },
        Form("0x without leading zeros", .numbers) {
            $0.map { "0x" + String($0, radix: 16) }.joined(separator: " ")
        },
        Form("without leading zeros", .hex) { $0.map { String($0, radix: 16) }.joined(separator: " ") },
        Form("wrapped at 71 characters", .hex) { bytes in
            let text = Array(CaptureTexts.hex(bytes).joined(separator: " ").utf8)
            return stride(from: 0, to: text.count, by: 71).map {
                String(decoding: text[$0...].prefix(71), as: UTF8.self)
            }.joined(separator: "\n")
        },
        Form("comments behind, and on lines of their own", .hex) { bytes in
            "// from the manual\n\n"
                + CaptureTexts.rows(bytes, 20).map {
                    "\(CaptureTexts.hex($0.row).joined(separator: " "))   # byte \($0.offset)"
                }
                .joined(separator: "\n") + "\n/* end\n   of it */\n"
        },
        Form("NSData", .hex) { bytes in
            "<" + CaptureTexts.rows(bytes, 4).map { CaptureTexts.hex($0.row).joined() }.joined(separator: " ")
                + ">"
        },
        Form("hexdump words alone", .hex) {
            CaptureTexts.rows($0, 16).map { words($0.row).joined(separator: " ") }.joined(separator: "\n")
        },
    ]

    static let dumps: [Form] = [
        Form("xxd", .dump) { CaptureTexts.xxd($0) },
        Form("xxd -u -g 1 -c 20", .dump) { bytes in
            CaptureTexts.rows(bytes, 20).map {
                "\(CaptureTexts.digits($0.offset, 16, 8)): \(CaptureTexts.hex($0.row).joined(separator: " ").uppercased())  \(CaptureTexts.shown($0.row))"
            }
            .joined(separator: "\n")
        },
        Form("hexdump -C", .dump) { CaptureTexts.canonical($0) },
        Form("hexdump", .dump) { offsets($0, radix: 16, " ", words) },
        Form("od -x", .dump) { offsets($0, radix: 8, " ", words) },
        Form("od -t x1", .dump) { offsets($0, radix: 8, " ", CaptureTexts.hex) },
        Form("od -A x -t x1z", .dump) { bytes in
            CaptureTexts.rows(bytes, 16).map {
                "\(CaptureTexts.digits($0.offset, 16, 6)) \(CaptureTexts.hex($0.row).joined(separator: " "))  >\(CaptureTexts.shown($0.row))<"
            }
            .joined(separator: "\n") + "\n" + CaptureTexts.digits(bytes.count, 16, 6)
        },
        Form("od", .dump) {
            offsets(
                $0, radix: 8, " ", { words($0).map { CaptureTexts.digits(Int($0, radix: 16) ?? 0, 8, 6) } })
        },
        Form("od -A d -t u1", .dump) {
            offsets($0, radix: 10, " ", { $0.map { CaptureTexts.pad("\($0)", 4) } })
        },
        Form("od -t d1", .dump) {
            offsets($0, radix: 8, " ", { $0.map { CaptureTexts.pad("\(Int8(bitPattern: $0))", 4) } })
        },
        Form("od -b", .dump) {
            offsets($0, radix: 8, " ", { $0.map { CaptureTexts.digits(Int($0), 8, 3) } })
        },
        Form("od -t x4", .dump) { bytes in
            offsets(bytes, radix: 8, " ") { row in
                CaptureTexts.rows(row, 4).map { word in
                    CaptureTexts.hex((word.row + [0, 0, 0]).prefix(4).reversed()).joined()
                }
            }
        },
        Form("hexdump -c", .dump) { offsets($0, radix: 16, "", { $0.map(character) }) },
        Form("xxd -b", .dump) { bytes in
            CaptureTexts.rows(bytes, 6).map {
                "\(CaptureTexts.digits($0.offset, 16, 8)): \($0.row.map { CaptureTexts.digits(Int($0), 2, 8) }.joined(separator: " "))  \(CaptureTexts.shown($0.row))"
            }.joined(separator: "\n")
        },
        Form("Wireshark", .dump) { bytes in
            CaptureTexts.rows(bytes, 16).map {
                "\(CaptureTexts.digits($0.offset, 16, 4))  \(CaptureTexts.hex($0.row).joined(separator: " "))   \(CaptureTexts.shown($0.row))"
            }
            .joined(separator: "\n")
        },
        Form("tcpdump -xx", .dump) { bytes in
            CaptureTexts.rows(bytes, 16).map {
                "\t0x\(CaptureTexts.digits($0.offset, 16, 4)):  \(CaptureTexts.pairs($0.row).joined(separator: " "))"
            }.joined(separator: "\n")
        },
        Form("gdb x/xb", .dump) { bytes in
            CaptureTexts.rows(bytes, 8).map {
                "0x\(CaptureTexts.digits(0x7FFE_1000 + $0.offset, 16, 12)):\t\($0.row.map { "0x" + CaptureTexts.hex([$0])[0] }.joined(separator: "\t"))"
            }
            .joined(separator: "\n")
        },
        Form("hexyl", .dump) { bytes in
            CaptureTexts.rows(bytes, 16).map {
                "│\(CaptureTexts.digits($0.offset, 16, 8))│ \(CaptureTexts.hex($0.row.prefix(8)).joined(separator: " ")) ┊ "
                    + "\(CaptureTexts.hex($0.row.dropFirst(8)).joined(separator: " ")) │\(CaptureTexts.shown($0.row.prefix(8)))┊\(CaptureTexts.shown($0.row.dropFirst(8)))│"
            }.joined(separator: "\n")
        },
        Form("the manual's table of 20 bytes a line", .dump) { bytes in
            CaptureTexts.rows(bytes, 20).map {
                "\($0.offset)  \(CaptureTexts.hex($0.row).joined(separator: " ").uppercased())"
            }.joined(
                separator: "\n")
        },
    ]

    static let taken: [Form] = [
        Form("Wireshark, with usbmon's header", .dump) { CaptureTexts.canonical(usbmon($0)) },
        Form("offsets on lines of their own", .dump) { bytes in
            "Byte\nContent\n"
                + CaptureTexts.rows(bytes, 20).map {
                    "\($0.offset)\n\(CaptureTexts.hex($0.row).joined(separator: " "))"
                }
                .joined(
                    separator: "\n")
        },
        Form("a table over several pages", .dump) { bytes in
            CaptureTexts.rows(bytes, 20).map { offset, row in
                (offset > 0 && offset % 140 == 0 ? "Page \(offset)\n\nMagneSafe V5\n97\n" : "")
                    + "\(offset) \(CaptureTexts.hex(row).joined(separator: " "))"
            }.joined(separator: "\n")
        },
        Form("parts of eight bytes, as Python has them", .numbers) { bytes in
            CaptureTexts.rows(bytes, 8).map { "array('B', [\(list($0.row))])" }.joined(separator: "\n")
        },
        Form("parts of eight bytes, in a log", .numbers) { bytes in
            CaptureTexts.rows(bytes, 8).map { "read: \(CaptureTexts.hex($0.row).joined(separator: " "))" }
                .joined(
                    separator: "\n")
        },
        Form("a log with the size of each part", .labelled) { bytes in
            CaptureTexts.rows(bytes, 64).map {
                "12:30:00.000 <- [\($0.row.count)] \(CaptureTexts.hex($0.row).joined(separator: " "))"
            }
            .joined(
                separator: "\n")
        },
        Form("YAML", .numbers) { bytes in
            "report:\n" + bytes.map { "  - 0x\(CaptureTexts.hex([$0])[0])\n" }.joined()
        },
        Form("NSData of today", .labelled) { bytes in
            "{length = \(bytes.count), bytes = 0x\(CaptureTexts.rows(bytes, 4).map { CaptureTexts.hex($0.row).joined() }.joined(separator: " "))}"
        },
    ]

    static let programs: [Form] = [
        Form("xxd -i", .numbers) { bytes in
            "unsigned char report_856_hex[] = {\n  "
                + bytes.map { "0x" + CaptureTexts.hex([$0])[0] }.joined(separator: ", ")
                + "\n};\nunsigned int report_856_hex_len = \(bytes.count);\n"
        },
        Form("C, decimal, with a length", .numbers) { "const uint8_t r[\($0.count)] = {\(list($0))};" },
        Form("Node Buffer", .numbers) { "<Buffer \(CaptureTexts.hex($0).joined(separator: " "))>" },
        Form("Node Buffer as JSON", .numbers) { #"{"type":"Buffer","data":[\#(list($0))]}"# },
        Form("Uint8Array", .numbers) { "Uint8Array(\($0.count)) [\n  \(list($0))\n]" },
        Form("Uint8Array as JSON", .numbers) { bytes in
            "{" + bytes.enumerated().map { #""\#($0.offset)":\#($0.element)"# }.joined(separator: ",") + "}"
        },
        Form("Python bytes", .literals) { "b\(CaptureTexts.python($0))" },
        Form("Python bytes, wrapped", .literals) { bytes in
            "report = (\n"
                + CaptureTexts.rows(bytes, 16).map { "    b\(CaptureTexts.python($0.row))" }.joined(
                    separator: "\n")
                + "\n)\n"
        },
        Form("Python list", .numbers) { "[\(list($0))]" },
        Form("Python list of hex()", .numbers) {
            "[" + $0.map { "'0x\(String($0, radix: 16))'" }.joined(separator: ", ") + "]"
        },
        Form("Python array", .numbers) { "array('B', [\(list($0))])" },
        Form("Python bytes.fromhex", .numbers) {
            "data = bytes.fromhex('\(CaptureTexts.hex($0).joined(separator: " "))')"
        },
        Form("Java", .numbers) {
            "new byte[] {" + $0.map { "(byte) 0x" + CaptureTexts.hex([$0])[0] }.joined(separator: ", ") + "};"
        },
        Form("Java Arrays.toString", .numbers) {
            "[" + $0.map { "\(Int8(bitPattern: $0))" }.joined(separator: ", ") + "]"
        },
        Form("Kotlin", .numbers) {
            "byteArrayOf(" + $0.map { "0x\(CaptureTexts.hex([$0])[0]).toByte()" }.joined(separator: ", ")
                + ")"
        },
        Form("Swift", .numbers) { "let report: [UInt8] = [\(list($0))]" },
        Form("Rust", .numbers) {
            "let r = [" + $0.map { "0x\(CaptureTexts.hex([$0])[0])u8" }.joined(separator: ", ") + "];"
        },
        Form("Go", .numbers) {
            "[]byte{" + $0.map { "0x" + String($0, radix: 16) }.joined(separator: ", ") + "}"
        },
        Form("JSON with hex", .literals) {
            #"{"vendor":"0801","product":"0011","data":"\#(CaptureTexts.hex($0).joined())"}"#
        },
        Form("JSON with base64", .literals) {
            #"{"reader":"counter","report":"\#(CaptureTexts.base64($0))"}"#
        },
        Form("JSON with escapes", .literals) {
            #"{"data":""# + $0.map { "\\u00" + CaptureTexts.hex([$0])[0] }.joined() + #""}"#
        },
        Form("C string of octals", .literals) {
            "\"" + $0.map { "\\" + CaptureTexts.digits(Int($0), 8, 3) }.joined() + "\""
        },
        Form("printf", .literals) { "$'" + $0.map { "\\x" + CaptureTexts.hex([$0])[0] }.joined() + "'" },
        Form("escapes alone", .literals) { $0.map { "\\x" + CaptureTexts.hex([$0])[0] }.joined() },
        Form("base64", .base64) { CaptureTexts.base64($0) + "\n" },
        Form("base64, wrapped", .base64) { bytes in
            let text = Array(CaptureTexts.base64(bytes).utf8)
            return stride(from: 0, to: text.count, by: 76).map {
                String(decoding: text[$0...].prefix(76), as: UTF8.self)
            }
            .joined(separator: "\r\n")
        },
    ]

    static let traces: [Form] = [
        Form("hid-recorder", .recording) { bytes in
            "# Mag-Tek\nR: 4 06 00 ff 09\nN: Mag-Tek\nI: 3 0801 0011\nE: 000000.000000 \(bytes.count) "
                + CaptureTexts.hex(bytes).joined(separator: " ") + "\n"
        },
        Form("hid-recorder's own comments", .recording) { bytes in
            "D: 0\nR: 2 06 00\n# ReportID: 0\nE: 000001.500000 \(bytes.count) \(CaptureTexts.hex(bytes).joined(separator: " "))\r\n# done"
        },
        Form("usbmon, without its limit", .usbTrace, usbmon),
        Form("pcap of usbmon", .packetCapture, bytes: { pcap($0) }),
        Form("pcapng of usbmon", .packetCapture, bytes: { pcapng($0) }),
        Form("the kernel's events", .numbers) { bytes in
            "\nreport (size \(bytes.count)) (unnumbered) =  \(CaptureTexts.hex(bytes).joined(separator: " "))\n\n"
        },
        Form("a log", .numbers) { bytes in
            "2026-01-31 09:30:00 open /dev/hidraw0\n"
                + "2026-01-31 09:30:01.123 read \(bytes.count) bytes: \(CaptureTexts.hex(bytes).joined(separator: " "))\n"
                + "2026-01-31 09:30:09 closed\n"
        },
        Form("tshark", .numbers) { "usb.capdata: \(CaptureTexts.hex($0).joined(separator: ":"))" },
        Form("a log of long words", .labelled) { bytes in
            "12:30:00 <- " + CaptureTexts.pairs(bytes).joined(separator: "").uppercased()
                + " (\(bytes.count))"
        },
        Form("a fenced block", .numbers) { bytes in
            "Swipe of my card:\n\n```\n"
                + CaptureTexts.rows(bytes, 16).map { CaptureTexts.hex($0.row).joined(separator: " ") }.joined(
                    separator: "\n")
                + "\n```\nThank you.\n"
        },
    ]

    static let wrappings: [(String, @Sendable (String) -> [UInt8])] = [
        ("a byte order mark", { [0xEF, 0xBB, 0xBF] + Array($0.utf8) }),
        ("UTF-16", { [0xFF, 0xFE] + $0.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } }),
        ("UTF-16, big-endian", { [0xFE, 0xFF] + $0.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } }),
        ("UTF-16 without a mark", { $0.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } }),
        ("CR LF", { Array($0.replacing("\n", with: "\r\n").utf8) }),
        ("CR", { Array($0.replacing("\n", with: "\r").utf8) }),
        ("a zero at the end", { Array($0.utf8) + [0] }),
        ("blanks around", { Array(("\n\n   " + $0.replacing("\n", with: "   \n") + "\n\n").utf8) }),
    ]

    // MARK: Tests

    /// Their numbers, counts and places do not pass for bytes.
    @Test(arguments: unread) func otherFormsAreRefused(form: Form) throws {
        for vector in CaptureTexts.vectors {
            let reading = HIDCapture.read(form.write(try Vector(vector).bytes()))
            #expect(!reading.outcomes.contains { if case .success = $0 { true } else { false } }, "\(vector)")
        }
    }

    @Test func formsThatLookLikeOthersAreNamed() throws {
        let bytes = try Vector(CaptureTexts.vectors[2]).bytes()
        for (text, form) in [
            (CaptureTexts.intelHex(bytes), UnreadForm.intelHex), (CaptureTexts.gdb(bytes), .debuggerPrint),
        ] {
            #expect(HIDCapture.read(Array(text.utf8)).outcomes == [.failure(.notRead(form.sentence))])
        }
    }

    @Test(arguments: plain + dumps + taken + programs + traces + logged) func everyForm(form: Form) throws {
        for vector in CaptureTexts.vectors {
            let bytes = try Vector(vector).bytes()
            let right = FoundCaptures.found(bytes)
            let reading = HIDCapture.read(form.write(bytes))
            #expect(right.count == 1 && reading.outcomes == right.map { .success($0) }, "\(vector)")
            #expect(reading.form == form.form, "\(vector)")
        }
    }

    @Test(arguments: wrappings.indices) func everyWrapping(index: Int) throws {
        for vector in CaptureTexts.vectors {
            let bytes = try Vector(vector).bytes()
            for text in [
                CaptureTexts.canonical(bytes), CaptureTexts.xxd(bytes),
                CaptureTexts.hex(bytes).joined(separator: " "),
                "[\(Self.list(bytes))]",
            ] {
                let (name, wrap) = Self.wrappings[index]
                #expect(FoundCaptures.found(wrap(text)) == FoundCaptures.found(bytes), "\(name), \(vector)")
            }
        }
    }

    /// A transfer asked for and completed.
    private static func usbmon(_ bytes: [UInt8]) -> String {
        "ffff888103fdc000 3575914000 S Ii:1:002:1 -115:8 \(bytes.count) <\n"
            + "ffff888103fdc000 3575914555 C Ii:1:002:1 0:8 \(bytes.count) = "
            + CaptureTexts.rows(bytes, 4).map { CaptureTexts.hex($0.row).joined() }.joined(separator: " ")
    }

    /// Two reports of one reader, and of two makers, in one file.
    @Test(arguments: [
        "lines", "paragraphs", "dumps", "labels", "labelled blocks", "lists", "JSON", "literals", "base64",
        "numbers", "usbmon",
    ])
    func severalInOneFile(way: String) throws {
        let reports = ["MagTek/generated/sureswipe_hid337.hex"] + CaptureTexts.vectors
        let all = try reports.map { try Vector($0).bytes() }
        for reports in [[all[0], all[0]], [all[0], all[1], all[5]], all] {
            let text =
                switch way {
                case "lines": reports.map { CaptureTexts.hex($0).joined() }.joined(separator: "\n")
                case "paragraphs":
                    reports.map {
                        CaptureTexts.rows($0, 24).map { CaptureTexts.hex($0.row).joined(separator: " ") }
                            .joined(
                                separator: "\n")
                    }
                    .joined(separator: "\n\n")
                case "dumps": reports.map { CaptureTexts.canonical($0) }.joined(separator: "\n")
                case "labels":
                    reports.map { "swipe: \(CaptureTexts.hex($0).joined(separator: " "))" }.joined(
                        separator: "\n")
                case "labelled blocks":
                    reports.map {
                        "Swipe\n"
                            + CaptureTexts.rows($0, 24).map {
                                CaptureTexts.hex($0.row).joined(separator: " ")
                            }.joined(
                                separator: "\n")
                    }
                    .joined(separator: "\n")
                case "lists": "[" + reports.map { "[\(Self.list($0))]" }.joined(separator: ",\n") + "]"
                case "JSON":
                    reports.map { #"{"data":"\#(CaptureTexts.hex($0).joined())"}"# }.joined(separator: "\n")
                case "literals": reports.map { "b\(CaptureTexts.python($0))" }.joined(separator: ",\n")
                case "base64": reports.map(CaptureTexts.base64).joined(separator: "\n")
                case "usbmon": reports.map(Self.usbmon).joined(separator: "\n")
                default: reports.map { "let report: [UInt8] = [\(Self.list($0))]" }.joined(separator: "\n")
                }
            #expect(
                FoundCaptures.found(Array(text.utf8)) == reports.flatMap { FoundCaptures.found($0) }, "\(way)"
            )
        }
    }

    /// Packets of Gen III, each in a line of its own.
    @Test func packetsOnLines() {
        let lines = Gen3Texts.packets(Gen3Texts.text).map {
            CaptureTexts.hex([1] + $0).joined(separator: " ")
        }
        for text in [lines.joined(separator: "\n"), lines.map { "in: \($0)" }.joined(separator: "\n")] {
            #expect(FoundCaptures.found(Array(text.utf8)).map(\.model) == [.gen3])
        }
    }
}
