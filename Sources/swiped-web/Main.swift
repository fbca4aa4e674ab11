import ArgumentParser
import CCommandLine
import Glibc

/// Runs the command line and turns whatever ends it into an exit status: ArgumentParser answers wrong usage with
/// 64, which would be one more number for an operator to learn; here it is 2, as with `swipectl`.
@main
enum Main {
    private static let usage: Int32 = 2

    private static var arguments: [String] {
        (0..<command_line_count()).dropFirst().map { String(cString: command_line_word($0)) }
    }

    static func main() async {
        do {
            let command = try SwipedWebCommand.parse(arguments)
            try await command.run()
            exit(Console.status(0))
        } catch {
            let code = SwipedWebCommand.exitCode(for: error)
            let message = SwipedWebCommand.fullMessage(for: error)
            if !message.isEmpty {
                code.isSuccess ? Console.result(message + "\n") : Console.error(message + "\n")
            }
            exit(Console.status(code == .validationFailure ? usage : code.rawValue))
        }
    }
}
