import ArgumentParser
import SwipeClient
import SwipeProtocol

/// Says who the daemon is, who the user is to it, and which readers there are.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show whether the daemon runs, what it lets you see, and its readers.")

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "One JSON object.")
    var json = false

    func run() async throws {
        try await connection.withClient { client in
            let report = StatusReport(
                socket: connection.path, hello: try await client.connect(),
                readers: try await client.readers(), inputs: try await client.audioInputs(),
                unused: try await client.unusedInputs(), statistics: try await client.stats())
            if json {
                try Output.line(report)
            } else {
                try Output.result(report.text(.forStandardOutput()))
            }
        }
    }
}

/// What `swipectl status` tells.
struct StatusReport: JSONEncodable {
    var socket: String
    var hello: Hello
    var readers: [ReaderInfo]
    var inputs: [AudioInputInfo]
    var unused: [UnusedInputInfo]
    var statistics: JSONValue

    private static let notLocked =
        "NOT LOCKED, may be swapped out: have LimitMEMLOCK=16M in the daemon's unit"

    func text(_ style: Style) -> String {
        let presentation = ReaderPresentation(style: style)
        let roles = Role.allCases.filter(hello.you.roles.contains).map(\.rawValue).joined(separator: ", ")
        let clients = statistics.object?["server"]?.object?["connections_open"]?.integer
        let isLocked = statistics.object?["server"]?.object?["memory_locked"]?.bool
        let facts = presentation.facts([
            ("daemon", "\(hello.daemon) (\(hello.version))"), ("socket", socket),
            ("you", "uid \(hello.you.uid), roles: \(roles.isEmpty ? "none" : roles)"),
            ("clients", clients.map { "\($0), you included" }), ("events so far", String(hello.sequence)),
            ("memory for cards", isLocked.map { $0 ? "locked" : StatusReport.notLocked }),
        ])
        return facts + "\n" + presentation.table(readers) + presentation.table(inputs)
            + presentation.table(unused)
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("socket", socket)
        writer.field("hello", hello)
        writer.field("readers", readers)
        writer.field("audio_inputs", inputs)
        writer.field("unused_inputs", unused)
        writer.field("stats", statistics)
        writer.endObject()
    }
}
