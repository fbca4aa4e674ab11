import Foundation
import KeyboardReaders
import Testing

/// `swipectl decode --keys`: recorded keys of readers that type.
@Suite struct DecodeKeysTests {
    private static let card =
        "%B4111111111111111^DOE/JANE^29121010000000000000?;4111111111111111=29121010000000000?"

    private func run(_ words: [String], _ recording: String) throws -> FinishedProgram {
        let file = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID().uuidString)")
        try recording.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        return try FinishedProgram(
            [BuiltProgram.path("swipectl").path, "decode", "--keys"] + words + [file.path])
    }

    private static func reports() throws -> [[UInt8]] { try #require(KeyTyping().reports("\(card)\r".utf8)) }

    private static func hex(_ report: [UInt8]) -> String {
        report.map { String(format: "%02x", $0) }.joined(separator: " ")
    }

    /// Codes as evdev has them: shift, then the key, each down and up.
    private static func codes() throws -> [(code: UInt16, isDown: Bool)] {
        var last: [UInt16] = []
        return try reports().flatMap { report -> [(code: UInt16, isDown: Bool)] in
            let shift: [UInt16] = report[0] == 2 ? [42] : []
            let now = shift + report.dropFirst(2).compactMap(KeyCode.of)
            defer { last = now }
            return last.filter { !now.contains($0) }.map { ($0, false) }
                + now.filter { !last.contains($0) }.map { ($0, true) }
        }
    }

    private static let tools: [@Sendable (Int, UInt16, Bool) -> String] = [
        { "Event: time 1.\($0 + 100_000), type 1 (EV_KEY), code \($1) (KEY_X), value \($2 ? 1 : 0)" },
        {
            "E: 1.\($0 + 100_000) 0001 \(String(format: "%04x", $1)) 000\($2 ? 1 : 0)\t# EV_KEY / KEY_X \($2 ? 1 : 0)"
        },
        {
            "-event4   KEYBOARD_KEY            +\($0 / 500 + 1).\(String(format: "%03d", $0 % 500 * 2))s\tKEY_X (\($1)) \($2 ? "pressed" : "released")"
        },
        { "      - [  1, \($0 + 100_000),   1,  \($1),       \($2 ? 1 : 0)] # EV_KEY / KEY_X \($2 ? 1 : 0)" },
        { "key event at 1.\($0 + 100_000), \($1) (KEY_X), \($2 ? "down" : "up")" },
    ]

    @Test(arguments: tools.indices) func readsTools(tool: Int) throws {
        let lines = try Self.codes().enumerated().map { Self.tools[tool]($0, $1.code, $1.isDown) }
        let ended = try run(
            ["--json"], "Input device name: \"HID c216:0180\"\n" + lines.joined(separator: "\n"))
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.output.contains(#""model":"keyboard""#))
        #expect(ended.output.contains("411111******1111") && !ended.output.contains("4111111111111111"))
        let open = try run(["--reveal"], lines.joined(separator: "\n"))
        #expect(open.output.contains("track 1 ok \(Self.card.prefix { $0 != "?" })?"))
    }

    @Test func readsReports() throws {
        let reports = try Self.reports().map(Self.hex)
        let twice = (reports + [""] + reports).joined(separator: "\n")
        #expect(try run([], twice).output.contains("swipe 1: track 2"))
        let recorded = reports.enumerated().map { "E: 0.\($0 + 100_000) 8 \($1)" }
        #expect(try run([], recorded.joined(separator: "\n")).output.contains("411111******1111"))
    }

    /// A line that begins as a key's and does not end as one: the swipe around it is refused.
    @Test(arguments: tools.indices) func aBrokenLineIsALoss(tool: Int) throws {
        let whole = try Self.codes().enumerated().map { Self.tools[tool]($0, $1.code, $1.isDown) }
        for place in [60, 150] {
            var lines = whole
            lines[place] = String(lines[place].prefix(lines[place].count / 3))
            let ended = try run(["--json"], lines.joined(separator: "\n"))
            #expect(ended.status == 1 && !ended.output.contains("411111"), "\(lines[place])")
        }
    }

    @Test(arguments: [
        "00 00 1e 00 00 00 00", "00 00 O0 00 00 00 00 00", "000000000000000", "E: 1.1 8 00 00 1e 00",
    ])
    func aBrokenReportIsALoss(line: String) throws {
        var lines = try Self.reports().map(Self.hex)
        lines[150] = line
        let ended = try run([], lines.joined(separator: "\n"))
        #expect(ended.status == 1 && ended.output.isEmpty)
    }

    @Test func evemusOwnWordOfALoss() throws {
        var lines = try Self.codes().enumerated().map { Self.tools[1]($0, $1.code, $1.isDown) }
        lines[150] = "E: 1.2 0000 0003 0000"
        let ended = try run([], lines.joined(separator: "\n"))
        #expect(ended.status == 1 && ended.output.isEmpty)
    }

    /// A layout that is not the reader's, and keys that were lost, make no card.
    @Test func whatGoesWrongIsSaid() throws {
        let codes = try Self.codes()
        var lines = codes.enumerated().map { Self.tools[0]($0, $1.code, $1.isDown) }
        let wrong = try run(["--layout", "fr"], lines.joined(separator: "\n"))
        #expect(wrong.status == 1 && !wrong.output.contains("411111"))
        lines[80] = "Event: time 1.1, -------------- SYN_DROPPED ------------"
        let lost = try run([], lines.joined(separator: "\n"))
        #expect(lost.status == 1 && lost.output.isEmpty)
        #expect(lost.errors.contains("keys are missing"))
        #expect(try run(["--layout", "xx"], "").status == 2)
        #expect(try run(["--hid"], "").status == 2)
        let covered = try run([], "-event4  KEYBOARD_KEY  +1.00s\t*** (-1) pressed\n")
        #expect(covered.status == 1 && covered.errors.contains("--show-keycodes"))
        #expect(try run([], "nothing\n").status == 1)
    }
}
