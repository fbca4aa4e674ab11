package import ArgumentParser
internal import CCommandLine
internal import Dispatch
internal import Glibc

/// A service's command line.
package protocol ServiceCommand: AsyncParsableCommand, Sendable {
    /// Whether what is asked is answered at once, as a check of the configuration is.
    var needsNoThreads: Bool { get }
}

/// Runs a service's command line and turns whatever ends it into an exit status: ArgumentParser answers wrong usage with
/// 64, which would be one more number for an operator to learn; here it is 2, as with `swipectl`.
package enum ServiceProgram {
    private static let failure: Int32 = 1
    private static let usage: Int32 = 2

    private static var arguments: [String] {
        (0..<command_line_count()).dropFirst().map { String(cString: command_line_word($0)) }
    }

    /// On the thread that calls until it is known that the command needs others: what the command line says holds without /proc.
    package static func run<Command: ServiceCommand>(_ type: Command.Type) -> Never {
        Console.program = type.configuration.commandName ?? ""
        do {
            let command = try type.parse(arguments)
            if command.needsNoThreads { OwnThread.run { await perform(command) } }
            process_needs_proc(Console.program, failure)
            Task { await perform(command) }
            dispatchMain()
        } catch {
            end(type, error)
        }
    }

    private static func perform<Command: ServiceCommand>(_ command: Command) async -> Never {
        var command = command
        do {
            try await command.run()
            exit(Console.status(0))
        } catch {
            end(Command.self, error)
        }
    }

    private static func end(_ type: (some ServiceCommand).Type, _ error: any Error) -> Never {
        let code = type.exitCode(for: error)
        let message = type.fullMessage(for: error)
        if !message.isEmpty {
            code.isSuccess ? Console.result(message + "\n") : Console.error(message + "\n")
        }
        exit(Console.status(code == .validationFailure ? usage : code.rawValue))
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
