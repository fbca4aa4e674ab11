import ArgumentParser
import SwipeClient
import SwipeProtocol

/// Shows what the daemon has counted.
struct StatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Show what the daemon has counted since it started.",
        discussion: "Of the server, and of each reader that is or was there under the names of UnifiedPOS.")

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "One JSON object.")
    var json = false

    @Argument(help: "Only of this reader: its id, its name, or the beginning of one.", completion: .readers)
    var reader: String?

    func run() async throws {
        try await connection.withClient { client in
            guard let reader else { return try show(try await client.stats(), of: nil) }
            try await client.meaning(reader) { try show(try await client.stats(reader: $0), of: $0) }
        }
    }

    private func show(_ counted: JSONValue, of reader: String?) throws(OutputFailure) {
        try json ? Output.line(counted) : Output.result(text(counted.object ?? JSONObject(), of: reader))
    }

    private func text(_ counted: JSONObject, of reader: String?) -> String {
        let presentation = ReaderPresentation(style: .forStandardOutput())
        let sections = counted.members.flatMap { member in
            // "server" counts itself; under "readers" each has counts of its own.
            member.name == "readers" ? member.value.object?.members ?? [] : [member]
        }
        return sections.filter { reader == nil || $0.name == reader }.map { section in
            presentation.style.paint(section.name.printable, .notable) + "\n"
                + presentation.facts(facts(section.value.object ?? JSONObject()))
        }.joined(separator: "\n")
    }

    private func facts(_ counts: JSONObject, of group: String = "") -> [(name: String, value: String?)] {
        counts.members.flatMap { member in
            let name = "  " + group + String(member.name.map { $0 == "_" ? " " : $0 })
            guard let inner = member.value.object else {
                return [(name: name, value: member.value.integer.map { String($0) })]
            }
            return facts(inner, of: member.name + " ")
        }
    }
}
