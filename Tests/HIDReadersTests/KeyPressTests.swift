import ReaderTesting
import Testing

@testable import Captures
@testable import HIDReaders

/// Readers in keyboard mode, as somebody recorded their keys.
@Suite struct KeyPressTests {

    static let texts = [
        "MagTek/published/stream_level3.txt", "MagTek/published/stream_level2_sureswipe.txt",
        "IDTech/published/enhanced_kb_uat.txt",
    ]

    @Test(arguments: texts, [false, true]) func bootReports(path: String, isQuick: Bool) throws {
        let text = try #require(try Vector(path).lines.first)
        let right = FoundCaptures.found(Array(text.utf8))
        #expect(right.count == 1)
        let reports = try KeyReports.reports(text + "\r", isQuick: isQuick)
        let recording = reports.map {
            "E: 000000.000000 8 \(CaptureTexts.hex($0).joined(separator: " "))"
        }
        let lines = reports.map { CaptureTexts.hex($0).joined(separator: " ") }
        #expect(FoundCaptures.found(reports.flatMap(\.self)) == right, "bytes")
        #expect(FoundCaptures.found(Array(recording.joined(separator: "\n").utf8)) == right, "hid-recorder")
        #expect(FoundCaptures.found(Array(lines.joined(separator: "\n").utf8)) == right, "hex")
    }

    private static let tools: [@Sendable (_ name: String, _ isDown: Bool) -> String] = [
        { "Event: time 1.000001, type 1 (EV_KEY), code 6 (KEY_\($0)), value \($1 ? 1 : 0)" },
        { "E: 0.000001 0001 0006 000\($1 ? 1 : 0)\t# EV_KEY / KEY_\($0)    \($1 ? 1 : 0)" },
        { "-event4   KEYBOARD_KEY   +1.00s\tKEY_\($0) (6) \($1 ? "pressed" : "released")" },
        { "key event at 1337.000001, 6 (KEY_\($0)), \($1 ? "down" : "up")" },
    ]

    /// evtest, evemu, libinput and python-evdev.
    @Test(arguments: texts, tools.indices) func events(path: String, tool: Int) throws {
        let names: [Character: String] = [
            " ": "SPACE", "-": "MINUS", "=": "EQUAL", "[": "LEFTBRACE", "]": "RIGHTBRACE",
            "\\": "BACKSLASH", ";": "SEMICOLON", "'": "APOSTROPHE", "`": "GRAVE", ",": "COMMA", ".": "DOT",
            "/": "SLASH", "\r": "ENTER",
        ]
        let text = try #require(try Vector(path).lines.first)
        var lines = ["Input device name: \"Mag-Tek USB Swipe Reader\""]
        func add(_ name: String, _ isDown: Bool) { lines.append(Self.tools[tool](name, isDown)) }
        for character in text + "\r" {
            let (usage, isShifted) = try KeyReports.key(character)
            let plain =
                usage < 0x2C ? KeyReports.plain[Int(usage) - 0x04] : KeyReports.marks[Int(usage) - 0x2C]
            if isShifted { add("LEFTSHIFT", true) }
            add(names[plain] ?? String(plain).uppercased(), true)
            add(names[plain] ?? String(plain).uppercased(), false)
            if isShifted { add("LEFTSHIFT", false) }
        }
        let right = FoundCaptures.found(Array(text.utf8))
        #expect(FoundCaptures.found(Array(lines.joined(separator: "\n").utf8)) == right)
    }

    /// A swipe's report is no keyboard's, nor is a keyboard's a swipe's.
    @Test(arguments: [8, 64, 128, 856]) func zerosAreNoKeys(count: Int) {
        #expect(KeyPresses.text(ofReports: Array(repeating: 0, count: count)) == nil)
    }

    @Test(arguments: CaptureTexts.vectors) func reportsAreNoKeys(path: String) throws {
        let bytes = try Vector(path).bytes()
        #expect(
            KeyPresses.text(ofReports: bytes + Array(repeating: 0, count: (8 - bytes.count % 8) % 8)) == nil)
    }
}
