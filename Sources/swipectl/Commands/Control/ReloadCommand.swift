import ArgumentParser
import SwipeClient

/// Lets the daemon read its configuration again.
struct ReloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Let the daemon read its configuration again.",
        discussion:
            "Needs the role admin. A configuration with a fault is refused; the old one stays in force.")

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "The daemon's answer, one JSON object.")
    var json = false

    func run() async throws {
        try await connection.withClient { client in
            let answer = try await client.control(.reload)
            try json ? Output.line(answer) : Output.result("The configuration was read again.\n")
        }
    }
}
