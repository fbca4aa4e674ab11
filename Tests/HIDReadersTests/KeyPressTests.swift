import ReaderTesting
import Testing

@testable import Captures
@testable import HIDReaders

/// Readers in keyboard mode, as somebody recorded their keys.
@Suite struct KeyPressTests {
    private static let plain = Array("abcdefghijklmnopqrstuvwxyz1234567890\r")
    private static let shifted = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ!@#$%^&*()\r")
    private static let marks = Array(" -=[]\\\u{1};'`,./")
    private static let shiftedMarks = Array(" _+{}|\u{1}:\"~<>?")

    /// The usage of a character, and whether shift is held for it.
    static func key(_ character: Character) throws -> (usage: UInt8, isShifted: Bool) {
        for (keys, first, isShifted) in [
            (plain, 0x04, false), (marks, 0x2C, false), (shifted, 0x04, true), (shiftedMarks, 0x2C, true),
        ] {
            if let place = keys.firstIndex(of: character) { return (UInt8(first + place), isShifted) }
        }
        throw CaptureMissing()
    }

    struct CaptureMissing: Error {}

    /// A key goes down, then up; the same key again needs the second report, another one does not.
    static func reports(_ text: String, isQuick: Bool) throws -> [[UInt8]] {
        var reports: [[UInt8]] = []
        var last: UInt8 = 0
        for character in text {
            let (usage, isShifted) = try key(character)
            if !isQuick || usage == last { reports.append(Array(repeating: 0, count: 8)) }
            reports.append([isShifted ? 2 : 0, 0, usage, 0, 0, 0, 0, 0])
            last = usage
        }
        return reports + [Array(repeating: 0, count: 8)]
    }

    static let texts = [
        "MagTek/published/stream_level3.txt", "MagTek/published/stream_level2_sureswipe.txt",
        "IDTech/published/enhanced_kb_uat.txt",
    ]

    @Test(arguments: texts, [false, true]) func bootReports(path: String, isQuick: Bool) throws {
        let text = try #require(try Vector(path).lines.first)
        let right = CaptureTests.found(Array(text.utf8))
        #expect(right.count == 1)
        let reports = try Self.reports(text + "\r", isQuick: isQuick)
        let recording = reports.map {
            "E: 000000.000000 8 \(CaptureFormTests.hex($0).joined(separator: " "))"
        }
        let lines = reports.map { CaptureFormTests.hex($0).joined(separator: " ") }
        #expect(CaptureTests.found(reports.flatMap(\.self)) == right, "bytes")
        #expect(CaptureTests.found(Array(recording.joined(separator: "\n").utf8)) == right, "hid-recorder")
        #expect(CaptureTests.found(Array(lines.joined(separator: "\n").utf8)) == right, "hex")
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
            let (usage, isShifted) = try Self.key(character)
            let plain =
                usage < 0x2C ? Self.plain[Int(usage) - 0x04] : Self.marks[Int(usage) - 0x2C]
            if isShifted { add("LEFTSHIFT", true) }
            add(names[plain] ?? String(plain).uppercased(), true)
            add(names[plain] ?? String(plain).uppercased(), false)
            if isShifted { add("LEFTSHIFT", false) }
        }
        let right = CaptureTests.found(Array(text.utf8))
        #expect(CaptureTests.found(Array(lines.joined(separator: "\n").utf8)) == right)
    }

    /// A swipe's report is no keyboard's, nor is a keyboard's a swipe's.
    @Test(arguments: [8, 64, 128, 856]) func zerosAreNoKeys(count: Int) {
        #expect(KeyPresses.text(ofReports: Array(repeating: 0, count: count)) == nil)
    }

    @Test(arguments: CaptureFormTests.vectors) func reportsAreNoKeys(path: String) throws {
        let bytes = try Vector(path).bytes()
        #expect(
            KeyPresses.text(ofReports: bytes + Array(repeating: 0, count: (8 - bytes.count % 8) % 8)) == nil)
    }
}
