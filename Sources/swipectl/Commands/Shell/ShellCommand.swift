import ArgumentParser
import Glibc
import SwipeClient
import SwipeProtocol
import Synchronization

/// `swipectl shell`: one command after the other, and between them what happens.
struct ShellCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shell",
        abstract: "Type one command after the other, and see meanwhile what happens.",
        discussion: """
            Every command of swipectl, without the word swipectl. The tab key completes commands, options, what they may be set to, and readers, the arrow keys bring earlier \
            lines back, Ctrl-C ends the command that runs, and 'exit' or Ctrl-D the shell. What happens at the readers is shown \
            above the line, masked as 'watch' shows it.

            Where standard input is no terminal, its lines are run one after the other; the exit status is that of the last one.
            """)

    @OptionGroup var connection: ConnectionOptions

    @Flag(name: .customLong("quiet"), help: "Do not show what happens at the readers.")
    var isQuiet = false

    func run() async throws {
        guard let terminal = RawTerminal() else { return try await runLines() }
        EndingSignal.watch()
        // Ctrl-C is for the command that runs.
        signal(SIGINT, SIG_IGN)
        let news = ShellNews(path: connection.path)
        let watching = Task { await news.follow() }
        defer { watching.cancel() }
        var shell = InteractiveShell(
            terminal: terminal, news: news, socket: connection.path, showsEvents: !isQuiet)
        try await shell.run()
        EndingSignal.endIfWanted()
    }

    private func runLines() async throws {
        var status: Int32 = 0
        while let line = readLine() {
            guard let words = ShellWords.of(line) else {
                throw CommandFailure(.usage, "a quote is not closed: \(line.printable)")
            }
            if words == ["exit"] || words == ["quit"] { break }
            if words.first?.hasPrefix("#") == true { continue }
            if !words.isEmpty { status = try await ChildCommand(words, socket: connection.path).status() }
        }
        if status != 0 { throw ExitCode(status) }
    }
}

/// What happens at the readers, and which there are, kept until the shell looks.
final class ShellNews: Sendable {
    private struct State {
        var lines: [String] = []
        var readers: [String: String?] = [:]
    }

    private static let keptLines = 200
    private static let retry = Duration.seconds(2)

    private let path: String
    private let state = Mutex(State())

    init(path: String) { self.path = path }

    /// Until it is cancelled. A daemon that is not there may come.
    func follow() async {
        while !Task.isCancelled {
            let client = SwipeClient(path: path)
            let events = client.events()
            while let event = try? await events.nextArrival()?.event { take(event) }
            client.close()
            state.withLock { $0.readers = [:] }
            try? await Task.sleep(for: Self.retry)
        }
    }

    private func take(_ event: Event) {
        let line = EventPresentation(style: .forStandardOutput()).line(event)
        state.withLock { state in
            if case .connect(let reader) = event.body {
                state.readers.updateValue(reader.name, forKey: reader.id)
            }
            if case .disconnect = event.body, let id = event.reader { state.readers[id] = nil }
            state.lines.append(line)
            state.lines.removeFirst(max(state.lines.count - Self.keptLines, 0))
        }
    }

    /// What has happened since the last look.
    func lines() -> String {
        state.withLock { state in
            defer { state.lines = [] }
            return state.lines.joined()
        }
    }

    /// The readers by id and by name.
    var readers: [String] {
        state.withLock { state in state.readers.flatMap { [$0.key] + ($0.value.map { [$0] } ?? []) } }
    }
}

/// The line that is being typed, and what becomes of it.
private struct InteractiveShell {
    private static let prompt = "swipectl> "
    private static let period = Duration.milliseconds(30)
    /// Ours, which are no commands of swipectl's.
    private static let own = ["exit", "help", "quit"]
    private static let commands =
        (SwipeCtl.configuration.subcommands.compactMap { $0.configuration.commandName } + own)
        .filter { $0 != "shell" && $0 != "generate" }

    let terminal: RawTerminal
    let news: ShellNews
    let socket: String
    let showsEvents: Bool
    private var editor = LineEditor()
    private var isOver = false
    private var columns = 0

    init(terminal: RawTerminal, news: ShellNews, socket: String, showsEvents: Bool) {
        self.terminal = terminal
        self.news = news
        self.socket = socket
        self.showsEvents = showsEvents
    }

    mutating func run() async throws {
        terminal.begin()
        defer { terminal.end() }
        while !isOver, !EndingSignal.isWanted {
            let lines = news.lines()
            let isNews = showsEvents && !lines.isEmpty
            if isNews { try terminal.say(lines) }
            if isNews || terminal.columns != columns {
                columns = terminal.columns
                try terminal.draw(Self.prompt, editor)
            }
            guard let keys = terminal.keys() else { break }
            for key in keys where !isOver { try await take(key) }
            if keys.isEmpty {
                try await Task.sleep(for: Self.period)
            } else if !isOver {
                try terminal.draw(Self.prompt, editor)
            }
        }
    }

    private mutating func take(_ key: UInt8) async throws {
        switch editor.take(key) {
        case .none: break
        case .ended:
            isOver = true
            try Output.result("\n")
        case .complete: try complete()
        case .entered(let line):
            try terminal.say(Self.prompt + line + "\n")
            try await perform(line)
        }
    }

    private mutating func complete() throws {
        let typed = String(editor.characters.prefix(editor.cursor))
        let completion = WordCompletion(
            typed, commands: Self.commands, tree: .root, readers: news.readers)
        editor.insert(completion.insertion)
        if !completion.choices.isEmpty {
            try terminal.say(
                RawTerminal.rows(completion.choices.map(\.printable), columns: terminal.columns))
        }
    }

    private mutating func perform(_ line: String) async throws {
        guard let words = ShellWords.of(line) else {
            return Output.complain("a quote is not closed")
        }
        guard let first = words.first else { return }
        if first == "exit" || first == "quit" {
            isOver = true
            return
        }
        if first.hasPrefix("#") { return }
        guard Self.commands.contains(first) || first.hasPrefix("-") else {
            return Output.complain("no command '\(first)'; 'help' lists them, or the tab key")
        }
        // The terminal is the command's meanwhile.
        terminal.end()
        defer { terminal.begin() }
        _ = try await ChildCommand(words, socket: socket).status()
    }
}
