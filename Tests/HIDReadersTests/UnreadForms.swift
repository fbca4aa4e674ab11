import ReaderTesting

@testable import Captures

/// Forms that no published capture has. None is read.
extension CaptureFormTests {
    static let unread: [Form] = [
        Form("Intel HEX", .dump) { CaptureTexts.intelHex($0) },
        Form("gdb print", .literals) { CaptureTexts.gdb($0) },
        Form("an assembler's", .numbers) { bytes in
            "swipe:\n"
                + CaptureTexts.rows(bytes, 16).map {
                    "    db " + CaptureTexts.hex($0.row).map { "0\($0)h" }.joined(separator: ", ")
                }
                .joined(separator: "\n")
        },
        Form("Visual Basic", .numbers) {
            $0.map { "&H" + CaptureTexts.hex([$0])[0].uppercased() }.joined(separator: ", ")
        },
        Form("PHP's print_r", .numbers) { bytes in
            "Array\n(\n" + bytes.enumerated().map { "    [\($0.offset)] => \($0.element)\n" }.joined() + ")\n"
        },
        Form("PHP's var_dump", .numbers) { bytes in
            "array(\(bytes.count)) {\n"
                + bytes.enumerated().map { "  [\($0.offset)]=>\n  int(\($0.element))\n" }.joined() + "}\n"
        },
    ]
}
