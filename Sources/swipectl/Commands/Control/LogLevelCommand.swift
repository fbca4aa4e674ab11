import ArgumentParser
import SwipeClient
import SwipeProtocol

/// Sets from which level on the daemon logs.
struct LogLevelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log-level",
        abstract: "Set the least important message that the daemon logs.",
        discussion: """
            Needs the role admin. It holds until the daemon ends or reads its configuration again. No level shows card \
            data.
            """)

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "The daemon's answer, one JSON object.")
    var json = false

    @Argument(help: "From this level on.")
    var level: ProtocolWord<LogLevel>

    func run() async throws {
        try await connection.withClient { client in
            let answer = try await client.control(.logLevel(level.word))
            json ? Output.line(answer) : Output.result("The daemon logs from '\(level.word.rawValue)' on.\n")
        }
    }
}
