import ArgumentParser
import CCommandLine
import Glibc

/// Runs the command line and turns whatever ends it into an exit status.
///
/// Why not `SwipeCtl.main()`: ArgumentParser answers wrong usage with 64 (`EX_USAGE`), our contract says 2,
/// and failures of ours carry their own status.
@main
enum Main {
    private static var arguments: [String] {
        (0..<command_line_count()).dropFirst().map { String(cString: command_line_word($0)) }
    }

    static func main() async {
        StandardStreams.prepare()
        do {
            var command = try await parsed()
            if var asynchronous = command as? any AsyncParsableCommand {
                needProc()
                try await asynchronous.run()
            } else {
                try command.run()
            }
            try StandardStreams.finish()
        } catch let failure as OutputFailure {
            StandardStreams.end(failure)
        } catch let failure as CommandFailure {
            failure.tell()
            Glibc.exit(failure.status.rawValue)
        } catch {
            leave(with: error)
        }
    }

    /// The command that the words name. Only completions ask the daemon meanwhile. Whatever else is parsed begins no thread, and
    /// so wants no /proc.
    private static func parsed() async throws -> any ParsableCommand {
        guard arguments.first == "---completion" else { return try SwipeCtl.parseAsRoot(arguments) }
        needProc()
        return try await SwipeCtl.asyncParseAsRoot(arguments)
    }

    private static func needProc() { process_needs_proc("swipectl", ExitStatus.failure.rawValue) }

    /// ArgumentParser suggests any option that is a few letters away, which short ones always are.
    private static func withoutFarFetched(_ message: String) -> String {
        let pattern = /Unknown option '-+(?<given>[^']+)'\. (?<hint>Did you mean '-+(?<other>[^']+)'\?)/
        guard let match = message.firstMatch(of: pattern), match.given.first != match.other.first else {
            return message
        }
        return message.replacing(" \(match.hint)", with: "", maxReplacements: 1)
    }

    /// Help and `--version` end here too: ArgumentParser throws them.
    private static func leave(with error: any Error) -> Never {
        let code = SwipeCtl.exitCode(for: error)
        let message = withoutFarFetched(SwipeCtl.fullMessage(for: error))
        if code.isSuccess, !message.isEmpty {
            do throws(OutputFailure) {
                try Output.result(message + "\n")
                try StandardStreams.finish()
            } catch {
                StandardStreams.end(error)
            }
        } else if !message.isEmpty {
            Output.error(message + "\n")
        }
        Glibc.exit(code == .validationFailure ? ExitStatus.usage.rawValue : code.rawValue)
    }
}
