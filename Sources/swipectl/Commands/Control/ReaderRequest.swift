import ArgumentParser
import SwipeClient
import SwipeProtocol

/// What the commands that ask one reader for something have in common.
struct ReaderRequest: ParsableArguments {
    static let claims = """
        It makes a claim on the reader for the time of the request, unless the user has the role admin.
        """

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "One JSON object: the daemon's answer, or the event that says how it ended.")
    var json = false

    @Flag(name: .customLong("ask"), help: "Where another client holds the reader, ask it to give it up.")
    var asksHolder = false

    @Argument(help: "The reader: its id, its name, or the beginning of one.", completion: .readers)
    var reader: String

    /// Asks, and says `done` or what the daemon warns of.
    func run(_ request: ControlRequest, done: @escaping @Sendable (_ reader: String) -> String) async throws {
        try await connection.withClient { client in
            try await client.meaning(reader) { reader in
                let answer = try await client.ask(request, of: reader, mode: asksHolder ? .ask : .tryOnly)
                warn(answer)
                try json ? Output.line(answer) : Output.result(done(reader).printable + "\n")
            }
        }
    }

    /// Asks, holds the reader until an event says how it ended, and shows that.
    ///
    /// - Parameters:
    ///   - acceptsQuestions: whether a question of the daemon's is answered with yes.
    ///   - end: what an event means; nil for one that is not the end.
    func run(
        _ request: ControlRequest, waitingFor kinds: Set<EventKind>, acceptsQuestions: Bool = false,
        end: @escaping @Sendable (EventBody) -> RequestEnd?
    ) async throws {
        try await connection.withClient { client in
            try await client.meaning(reader) { reader in
                try await client.holding(reader, mode: asksHolder ? .ask : .tryOnly) {
                    EndingSignal.watch()
                    try await EndingSignal.ending {
                        let stream = client.events(
                            kinds.union([.connect, .disconnect, .prompt]), readers: [reader])
                        // The reader as it is comes first: from then on nothing is missed. Of one that is not there, the
                        // request's answer says it.
                        let isThere = try await client.readers().contains { $0.id == reader }
                        if isThere { _ = try await stream.nextArrival() }
                        warn(try await client.control(request, reader: reader))
                        try await follow(stream, of: client, acceptsQuestions, end)
                    }
                }
            }
        }
        EndingSignal.endIfWanted()
    }

    private func follow(
        _ stream: EventStream, of client: SwipeClient, _ acceptsQuestions: Bool,
        _ end: @Sendable (EventBody) -> RequestEnd?
    ) async throws {
        while let arrival = try await stream.nextArrival() {
            let reader = arrival.event.reader ?? reader
            if case .disconnect = arrival.event.body {
                throw CommandFailure(.noSuchReader, "\(reader.printable) is gone")
            }
            if acceptsQuestions, case .prompt(let prompt) = arrival.event.body,
                prompt.answers.contains("accept")
            {
                // Who answers elsewhere at the same moment was asked the same.
                _ = try? await client.control(.answerPrompt(id: prompt.id, answer: "accept"), reader: reader)
            }
            guard let end = end(arrival.event.body) else { continue }
            if json, let line = arrival.line { try Output.bytes(line + [UInt8(ascii: "\n")]) }
            guard end.isSuccess else { throw CommandFailure(.failure, end.words) }
            if !json { try Output.result(end.words.printable + "\n") }
            return
        }
    }

    private func warn(_ answer: JSONValue) {
        guard let warning = answer.object?["warning"]?.string else { return }
        Output.complain("\(warning.printable)")
    }
}

/// How what was asked of a reader ended.
struct RequestEnd: Sendable {
    var isSuccess: Bool
    var words: String
}

extension SwipeClient {
    /// Asks a reader for something that needs a claim or the role admin.
    func ask(
        _ request: ControlRequest, of reader: String, mode: ClaimMode = .tryOnly
    ) async throws -> JSONValue {
        try await holding(reader, mode: mode) { try await control(request, reader: reader) }
    }

    /// Does something while this client may control a reader.
    func holding<Result>(
        _ reader: String, mode: ClaimMode, _ body: () async throws -> Result
    ) async throws -> Result {
        if try await connect().you.roles.contains(.admin) { return try await body() }
        return try await withClaim(reader, mode: mode) { _ in try await body() }
    }
}
