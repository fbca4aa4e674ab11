import ArgumentParser
import SwipeClient
import SwipeProtocol

/// Shows or sets from which level on the daemon logs.
struct LogLevelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log-level",
        abstract: "Show or set the least important message that the daemon logs.",
        discussion: """
            Needs the role admin. What is set holds until the daemon ends or reads its configuration again. No level shows card \
            data.
            """)

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "The daemon's answer, one JSON object.")
    var json = false

    @Argument(help: "From this level on; without it, the level is shown.")
    var level: ProtocolWord<LogLevel>?

    func run() async throws {
        try await connection.withClient { client in
            let answer = try await client.control(.logLevel(level?.word))
            let name = answer.object?["level"]?.string ?? level?.word.rawValue ?? "?"
            try json ? Output.line(answer) : Output.result("The daemon logs from '\(name.printable)' on.\n")
        }
    }
}
