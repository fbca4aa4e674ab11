package import ArgumentParser
internal import CCommandLine
internal import Glibc

/// Runs a service's command line and turns whatever ends it into an exit status: ArgumentParser answers wrong usage with
/// 64, which would be one more number for an operator to learn; here it is 2, as with `swipectl`.
package enum ServiceProgram {
    private static let usage: Int32 = 2

    private static var arguments: [String] {
        (0..<command_line_count()).dropFirst().map { String(cString: command_line_word($0)) }
    }

    package static func run(_ type: (some AsyncParsableCommand).Type) async -> Never {
        Console.program = type.configuration.commandName ?? ""
        do {
            var command = try type.parse(arguments)
            try await command.run()
            exit(Console.status(0))
        } catch {
            let code = type.exitCode(for: error)
            let message = type.fullMessage(for: error)
            if !message.isEmpty {
                code.isSuccess ? Console.result(message + "\n") : Console.error(message + "\n")
            }
            exit(Console.status(code == .validationFailure ? usage : code.rawValue))
        }
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
