internal import CCommandLine
internal import Glibc
package import ServiceSupport

/// Runs a service's command line and turns whatever ends it into an exit status.
package enum ServiceProgram {
    private static let success: Int32 = 0
    private static let failure: Int32 = 1
    /// One number fewer to learn than EX_USAGE; `swipectl` has the same.
    private static let usage: Int32 = 2

    private static var arguments: [String] {
        (0..<command_line_count()).dropFirst().map { String(cString: command_line_word($0)) }
    }

    /// On the thread that calls: what the command line says holds without another one, and so without /proc.
    package static func run(
        _ line: ProgramLine, _ work: (ProgramWords) throws(UsageFault) -> ExitStatus
    ) -> Never {
        Console.program = line.program
        do throws(UsageFault) {
            let words = try ProgramWords(arguments, of: line)
            if let answer = try answer(to: words, line) {
                Console.result(answer)
                exit(Console.status(success))
            }
            exit(Console.status(try work(words).rawValue))
        } catch {
            Console.error(line.words(for: error))
            exit(Console.status(usage))
        }
    }

    /// What every program answers by itself.
    private static func answer(
        to words: ProgramWords, _ line: ProgramLine
    ) throws(UsageFault) -> String? {
        if words.has(ProgramLine.showsHelp) { return line.help }
        if words.has(ProgramLine.showsVersion) { return "\(line.program) \(line.version)\n" }
        if words.has(ProgramLine.manual) { return line.manualPage }
        guard let shell = words.value(ProgramLine.completion) else { return nil }
        guard let script = line.completion(for: shell) else {
            throw UsageFault("Can't generate completion scripts for '\(shell)', only for bash, zsh and fish.")
        }
        return script
    }

    /// Before the first thread, and before signals wait: what makes them needs /proc.
    package static func needThreads() { process_needs_proc(Console.program, failure) }

    /// Does the service's work, and hears meanwhile on the thread that calls what the signals say that are held; ends the
    /// program with the status.
    package static func serve(
        hearing held: [ServiceSignal],
        _ work: @escaping @Sendable (AsyncStream<ServiceSignal>) async -> ExitStatus
    ) -> Never {
        let (signals, heard) = AsyncStream<ServiceSignal>.makeStream()
        Task { exit(Console.status(await work(signals).rawValue)) }
        ServiceSignal.hear(held) { heard.yield($0) }
    }

    /// What systemd says to a service, and where it puts its credentials.
    package static func environment() -> [String: String] {
        let names = [
            "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID",
            "JOURNAL_STREAM", "CREDENTIALS_DIRECTORY",
        ]
        var values: [String: String] = [:]
        for name in names { values[name] = getenv(name).map { String(cString: $0) } }
        return values
    }
}
