import Foundation
import Testing

/// `swipectl shell` as a user types into it.
@Suite(.serialized, .timeLimit(.minutes(3))) struct ShellCommandTests {
    private static let swipectl = BuiltProgram.path("swipectl").path

    private func start() throws -> DaemonUnderTest {
        let daemon = try DaemonUnderTest(
            "[access]\nmasked = *\nadmin = *\n[virtual-hid till]\nsource = {}/reports\n[virtual-hid tent]\nsource = {}/x\n"
        )
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try client.line()
        _ = daemon.makePipe("reports")
        _ = try client.lines(through: #""event":"ready""#)
        return daemon
    }

    private func run(_ lines: String, _ daemon: DaemonUnderTest?) throws -> FinishedProgram {
        try FinishedProgram([
            "sh", "-c", "printf '%s\\n' \"$2\" | '\(Self.swipectl)' shell --socket \"$1\"", "sh",
            daemon?.socket ?? "/nonexistent/s", lines,
        ])
    }

    private func last(_ screen: String) -> String? { screen.split(separator: "\n").last.map(String.init) }

    @Test func linesOfAFileAreRun() throws {
        let daemon = try start()
        let ended = try run("readers --ids\n\n log-level 'debug'\nexit\nreaders", daemon)
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.output == "virtual-till\nThe daemon logs from 'debug' on.\n", "\(ended.output)")
    }

    @Test func theStatusIsThatOfTheLastLine() throws {
        #expect(try run("readers", nil).status == 3)
        #expect(try run("readers\nhelp", nil).status == 0)
        #expect(try run("fly", nil).status == 2)
        let open = try run("readers 'a", nil)
        #expect(open.status == 2 && open.errors.contains("a quote is not closed"), "\(open.errors)")
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/tmux"), "tmux is not here"))
    func aTerminalHasCompletionHistoryAndEvents() throws {
        let daemon = try start()
        let tmux = try Tmux(columns: 100, socket: daemon.folder.appending(path: "tmux").path)
        try tmux.type("'\(Self.swipectl)' shell --socket \(daemon.socket)")
        _ = try tmux.screen { $0.contains("present") && $0.contains("swipectl> ") }
        // One command, then the one reader.
        try tmux.press("readers vi")
        try tmux.press("Tab")
        var screen = try tmux.screen { $0.contains("swipectl> readers virtual-till") }
        #expect(last(screen) == "swipectl> readers virtual-till", "\(screen)")
        try tmux.press("Enter")
        screen = try tmux.screen { $0.contains("STATE") || $0.contains("state") }
        #expect(screen.contains("virtual-till"), "\(screen)")
        // Several, which are listed.
        try tmux.press("re")
        try tmux.press("Tab")
        screen = try tmux.screen { $0.contains("reader-type  readers") }
        #expect(screen.contains("record  reload  replay  request"), "\(screen)")
        // Options, what they may be set to, and arguments of a command of a command.
        try tmux.press("C-u")
        for (typed, completed) in [
            ("watch --js", "watch --json"), ("watch --event swipe_u", "watch --event swipe_untaken"),
            ("watch --reader vi", "watch --reader virtual-till"),
            ("set virtual-till volume_to_max=n", "set virtual-till volume_to_max=no"),
            ("help web pai", "help web pair"),
            ("reader-type virtual-till unim", "reader-type virtual-till unimag"),
        ] {
            try tmux.press(typed)
            try tmux.press("Tab")
            screen = try tmux.screen { $0.contains("swipectl> \(completed)") }
            #expect(screen.contains("swipectl> \(completed)"), "\(typed): \(screen)")
            try tmux.press("C-u")
        }
        try tmux.press("meter virtual-till -")
        try tmux.press("Tab")
        try tmux.press("Tab")
        screen = try tmux.screen { $0.contains("--set-gain") }
        #expect(
            screen.contains("--count  --help  --json  --set-gain  --socket  --timeout  --version"),
            "\(screen)")
        try tmux.press("C-u")
        try tmux.press("re")
        // What happens meanwhile, above the line that is being typed.
        _ = daemon.makePipe("x")
        screen = try tmux.screen { $0.contains("virtual-tent") && $0.contains("ready") }
        #expect(last(screen) == "swipectl> re", "\(screen)")
        // The line before, a command that goes on until Ctrl-C, and the end.
        try tmux.press("C-u")
        try tmux.press("Up")
        _ = try tmux.screen { last($0) == "swipectl> readers virtual-till" }
        try tmux.press("C-c")
        try tmux.type("watch")
        _ = try tmux.screen { $0.contains("swipectl> watch") && $0.contains("present") }
        try tmux.press("C-c")
        // What is typed before a prompt is there may be thrown away with the terminal's old settings.
        _ = try tmux.screen { last($0) == "swipectl>" || last($0) == "swipectl> " }
        try tmux.type("exit")
        _ = try tmux.screen { last($0)?.hasPrefix("$") ?? false }
        try tmux.type("echo \"left $?\"; stty -a | grep -o '.echo '")
        screen = try tmux.screen { $0.contains("left 0") }
        #expect(screen.contains("left 0") && !screen.contains("-echo"), "\(screen)")
    }

    /// In a terminal of each width no word is broken, the line is drawn anew where the window changes, and no colours are no colours.
    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/tmux"), "tmux is not here"),
        arguments: [40, 80, 200])
    func everyWidthIsFilledAndLeft(columns: Int) throws {
        let daemon = try start()
        let tmux = try Tmux(columns: columns, socket: daemon.folder.appending(path: "tmux").path)
        try tmux.type("swipectl() { NO_COLOR=1 '\(Self.swipectl)' \"$@\"; }")
        try tmux.type("swipectl shell --socket \(daemon.socket)")
        _ = try tmux.screen { $0.contains("present") && last($0) == "swipectl> " || last($0) == "swipectl>" }
        try tmux.press("re")
        try tmux.press("Tab")
        try tmux.press("Tab")
        var screen = try tmux.screen { $0.contains("request") && last($0) == "swipectl> re" }
        let choices = ["reader-type", "readers", "record", "reload", "replay", "request"]
        let words = Set(screen.split { $0 == " " || $0 == "\n" }.map(String.init))
        #expect(words.isSuperset(of: choices), "\(screen)")
        #expect(!(try tmux.screen(coloured: true) { _ in true }).contains("\u{1B}[3"))
        // A line that is longer than the window, round its end.
        let line = String((0..<9).flatMap { "\($0)bcdefghij" })
        try tmux.press("C-u")
        try tmux.press(line)
        for wide in [columns, columns / 2 + 5] {
            try tmux.resize(columns: wide)
            let shown = "swipectl> " + String(line.suffix(wide - 11))
            screen = try tmux.screen { last($0) == shown }
            #expect(last(screen) == shown, "\(wide): \(screen)")
        }
        try tmux.press("C-c")
        screen = try tmux.screen { screen in
            last(screen).map { $0.hasPrefix("swipectl>") && !$0.contains("j") } ?? false
        }
        try tmux.resize(columns: columns)
        try tmux.type("exit")
        _ = try tmux.screen { last($0)?.hasPrefix("$") ?? false }
        try tmux.type("echo \"left $?\"; stty -a | grep -o '.echo '")
        screen = try tmux.screen { $0.contains("left 0") }
        #expect(screen.contains("left 0") && !screen.contains("-echo"), "\(screen)")
    }
}
