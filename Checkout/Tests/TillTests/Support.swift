import CheckoutTesting
import Foundation
import Testing

/// The built till in a real terminal: tmux's, 80 columns and 24 rows.
final class TillTerminal {
    private let journal: Folder
    /// A server of its own, whose socket is gone with the test.
    private var server: [String] { Self.server(in: journal) }
    /// Everything that was ever seen on the screen.
    private(set) var seen = ""

    /// How long a screen may take on a busy machine; CHECKOUT_PATIENCE says another number of seconds.
    static let patience = Duration.seconds(
        ProcessInfo.processInfo.environment["CHECKOUT_PATIENCE"].flatMap { Int($0) } ?? 60)

    init(
        _ service: String, _ arguments: [String], environment: [String: String] = [:],
        size: (Int, Int) = (80, 24), redirection: String = "", delay: Int = 0
    ) async throws {
        journal = try Folder()
        var variables = TillRun.environment(service, journal).merging(environment) { _, new in new }
        variables["LC_ALL"] = environment["LC_ALL"] ?? "C.UTF-8"
        let words =
            ["env", "-u", "NO_COLOR"] + variables.map { "\($0.key)=\($0.value)" } + [Programs.path("till")]
            + arguments
        let command =
            Self.watchdog + (delay > 0 ? "echo before; sleep \(delay); " : "")
            + words.map { "'\($0)'" }.joined(separator: " ")
            + " \(redirection); echo \"status $?\"; stty -a; exec cat"
        try await tmux(
            ["new-session", "-d", "-x", "\(size.0)", "-y", "\(size.1)", command],
            environment: ["LC_ALL": "C.UTF-8", "TMUX": ""])
    }

    deinit {
        let journal = journal
        Thread.detachNewThread {
            // The socket is in the folder, which must not go before.
            withExtendedLifetime(journal) {
                _ = try? FinishedProcess("tmux", Self.server(in: journal) + ["kill-server"])
            }
        }
    }

    /// Ends the server with the tests, also where those are killed. The shell's parent is the server, which has most signals
    /// blocked as Foundation's Process had.
    private static let watchdog =
        "(tail --pid=\(ProcessInfo.processInfo.processIdentifier) -f /dev/null; kill -KILL $PPID) & "

    private static func server(in folder: Folder) -> [String] { ["-S", folder.path("tmux")] }

    /// The till's process.
    func process() async throws -> Int32 {
        let shell = try await tmux(["display-message", "-p", "#{pane_pid}"]).filter(\.isNumber)
        let children = try String(contentsOfFile: "/proc/\(shell)/task/\(shell)/children", encoding: .utf8)
        let till = children.split(separator: " ").first {
            (try? String(contentsOfFile: "/proc/\($0)/comm", encoding: .utf8)) == "till\n"
        }
        return try #require(till.flatMap { Int32($0) })
    }

    @discardableResult
    private func tmux(_ words: [String], environment: [String: String] = [:]) async throws -> String {
        // tmux's server must not keep what Foundation's Process leaves open: its end is taken for the client's.
        let close =
            "for f in /proc/self/fd/*; do n=${f##*/}; [ $n -le 2 ] || eval \"exec $n>&-\"; done; exec \"$@\""
        let words = ["-c", close, "bash", "tmux", "-u", "-f", "/dev/null"] + server + words
        return try await FinishedProcess.run("bash", words, environment: environment).output
    }

    /// Another size, as when somebody drags the window's corner.
    func resize(_ columns: Int, _ rows: Int) async throws {
        try await tmux(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// A paste, in brackets, as terminals send it.
    func paste(_ text: String) async throws {
        let folder = try Folder()
        try Data(text.utf8).write(to: folder.url.appending(path: "text"))
        try await tmux(["load-buffer", folder.path("text")])
        try await tmux(["paste-buffer", "-p"])
    }

    func type(_ text: String) async throws { try await tmux(["send-keys", "-l", text]) }
    func press(_ key: String) async throws { try await tmux(["send-keys", key]) }

    /// The screen as it is; with `colours`, its control sequences, too.
    func screen(colours: Bool = false) async throws -> String {
        let screen = try await tmux(["capture-pane", "-p"] + (colours ? ["-e"] : []))
        seen += screen
        return screen
    }

    /// Waits until the screen shows a text.
    @discardableResult
    func wait(
        for text: String, colours: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let end = ContinuousClock.now + Self.patience
        var screen = ""
        while ContinuousClock.now < end {
            screen = try await self.screen(colours: colours)
            if screen.contains(text) { return screen }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("'\(text)' is not on the screen:\n\(screen)", sourceLocation: sourceLocation)
        throw TestFailure("not on the screen")
    }

    /// Waits until the screen does not show a text any more.
    func waitUntilGone(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let end = ContinuousClock.now + Self.patience
        while ContinuousClock.now < end {
            if try await !screen().contains(text) { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record(
            "'\(text)' is still on the screen:\n\(try await screen())", sourceLocation: sourceLocation)
        throw TestFailure("still on the screen")
    }

    /// Expects a text in time after something was done. Looking at the screen takes time of its own on a busy machine:
    /// what five looks took just before is not counted.
    func expect(
        _ text: String, within limit: Duration, sourceLocation: SourceLocation = #_sourceLocation,
        after action: () async throws -> Void
    ) async throws {
        let before = ContinuousClock.now
        for _ in 1...5 { _ = try await screen() }
        let looking = ContinuousClock.now - before
        try await action()
        let start = ContinuousClock.now
        try await wait(for: text, sourceLocation: sourceLocation)
        let time = ContinuousClock.now - start
        print("  '\(text)' on the screen after \(time), five looks take \(looking)")
        #expect(time < limit + looking, sourceLocation: sourceLocation)
    }

    /// Expects that the terminal had to wrap no line, of those before a text where one is given.
    func expectNoWrappedLine(
        before text: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        // tmux joins with -J what it wrapped.
        let joined = try await tmux(["capture-pane", "-p", "-J"])
        let columns = Int(try await tmux(["display-message", "-p", "#{pane_width}"]).filter(\.isNumber)) ?? 0
        let lines = joined.split(separator: "\n").prefix { text.map($0.contains) != true }
        #expect(columns > 0)
        for line in lines {
            let line = line.reversed().drop { $0 == " " }
            #expect(line.count <= columns, "\(String(line.reversed()))", sourceLocation: sourceLocation)
        }
    }

    /// Types a whole card.
    func typeCard(_ number: String, _ expiry: String = "1230", _ code: String = "123") async throws {
        for (place, text) in [number, expiry, code].enumerated() {
            try await type(text)
            if place < 2 { try await press("Tab") }
        }
    }
}

extension Folder {
    /// The notes of a journal in this folder that nobody was told of.
    func notes(_ name: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path(name)).filter { $0.hasSuffix(".attempt") }
    }
}

/// How tills are run in tests.
enum TillRun {
    /// - Parameter journal: a folder of its own for each till, so that none finds what another one left behind.
    static func environment(_ service: String, _ journal: Folder) -> [String: String] {
        [
            "TILL_SERVICE": service, "TILL_KEY": "pkey_0d4502a9bf8430ae",
            "SWIPED_SOCKET": "/nowhere/swiped.sock",
            "LC_ALL": "en_GB.UTF-8", "TILL_JOURNAL": journal.path("attempts"),
            // The next till at the same counter, whatever its terminal.
            "TILL_NAME": "till",
        ]
    }

    static func onPipe(
        _ service: String, _ arguments: [String], input: String = "", environment: [String: String] = [:],
        journal: Folder? = nil
    ) async throws -> FinishedProcess {
        let journal = try journal ?? Folder()
        return try await FinishedProcess.run(
            Programs.path("till"), arguments, input: input,
            environment: Self.environment(service, journal).merging(environment) { _, new in new })
    }
}

/// The daemon with one virtual reader, whose cards everybody may see in full.
final class ReaderUnderTest {
    private let folder: Folder
    private var daemon: RunningProcess
    var socket: String { folder.path("s") }
    private var source: String { folder.path("reports") }

    init() throws {
        let program = try #require(Programs.daemon)
        folder = try Folder()
        let configuration = """
            [access]
            full = *
            masked = *
            [hid]
            enabled = no
            [virtual-hid counter]
            device = 0801:0011
            source = \(folder.path("reports"))
            """
        try configuration.write(toFile: folder.path("swiped.conf"), atomically: true, encoding: .utf8)
        mkfifo(folder.path("reports"), 0o600)
        daemon = try Self.daemon(program, folder)
    }

    private static func daemon(_ program: String, _ folder: Folder) throws -> RunningProcess {
        try RunningProcess(
            program, ["--config", folder.path("swiped.conf"), "--socket", folder.path("s"), "--foreground"])
    }

    /// Ends the daemon as it cannot prepare for. Starts it again.
    func kill() async throws { try await daemon.killAtOnce() }
    func start() throws { daemon = try Self.daemon(#require(Programs.daemon), folder) }

    /// Stops the daemon, with its connections open. Lets it go on.
    func stop() async throws { try await daemon.stop() }
    func goOn() { daemon.goOn() }

    func unplug() { unlink(source) }

    /// Another program that asks for the reader, and holds it until it ends.
    func take() throws -> RunningProcess {
        try RunningProcess(#require(Programs.control), ["claim", "--socket", socket, "virtual-counter"])
    }

    /// Swipes a card on a reader that encrypts: a report that was built from the maker's manual, in a file of the package
    /// above.
    func swipeEncrypted() throws {
        let vector = Programs.package.appending(
            path: "../Tests/Vectors/MagTek/generated/v5_hid887_datavariant.hex")
        let lines = try String(contentsOf: vector, encoding: .utf8).split(separator: "\n")
        try send(lines.filter { !$0.hasPrefix("#") }.joined())
    }

    private func send(_ report: String) throws {
        let pipe = try FileHandle(forWritingTo: URL(filePath: source))
        try pipe.write(contentsOf: Data((report + "\n").utf8))
        try pipe.close()
    }

    /// Swipes a card: the report of a MagneSafe V5 reader without encryption, as its virtual twin takes it.
    /// Layout: MagTek 99875475, as in the daemon's own simulation.
    func swipe(_ number: String, _ expiry: String = "3012", service: String = "101") throws {
        var report = [UInt8](repeating: 0, count: 856)
        let tracks = [
            "%B\(number)^UAT USA/TEST CARD^\(expiry)\(service)0000000000?",
            ";\(number)=\(expiry)\(service)0000000000?",
        ]
        for (index, track) in tracks.enumerated() {
            let bytes = Array(track.utf8)
            for length in [3, 505, 852] { report[length + index] = UInt8(bytes.count) }
            for field in [7, 508] {
                report.replaceSubrange(
                    (field + 112 * index)..., with: padded(bytes, report, field + 112 * index))
            }
        }
        report[494] = 0x02
        try send(report.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
    }

    private func padded(_ bytes: [UInt8], _ report: [UInt8], _ place: Int) -> [UInt8] {
        bytes + report.dropFirst(place + bytes.count)
    }
}
