import ArgumentParser
import SwipeClient
import SwipeProtocol

/// Lists the readers, or tells all about one.
struct ReadersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "readers",
        abstract: "List the readers that are attached, or show all of one.")

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "One JSON object a line for each reader.")
    var json = false

    @Flag(help: "Only their ids, one a line.")
    var ids = false

    @Argument(
        help: "A reader's id, its name, or the beginning of one; without it, all are listed.",
        completion: .readers)
    var reader: String?

    func validate() throws {
        guard !ids || (!json && reader == nil) else {
            throw ValidationError("--ids lists readers, in one form")
        }
    }

    func run() async throws {
        try await connection.withClient { client in
            let readers = try await client.readers()
            guard let reader else { return try show(readers) }
            let id = try ReaderChoice(reader, among: readers).id()
            for found in readers where found.id == id { try show(found) }
        }
    }

    private func show(_ readers: [ReaderInfo]) throws(OutputFailure) {
        if ids { return try Output.result(readers.map { $0.id.printable + "\n" }.joined()) }
        guard json else {
            return try Output.result(ReaderPresentation(style: .forStandardOutput()).table(readers))
        }
        for reader in readers { try Output.line(reader) }
    }

    private func show(_ reader: ReaderInfo) throws(OutputFailure) {
        guard json else {
            return try Output.result(ReaderPresentation(style: .forStandardOutput()).card(reader))
        }
        try Output.line(reader)
    }
}
