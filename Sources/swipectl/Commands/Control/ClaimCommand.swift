import ArgumentParser
import SwipeClient
import SwipeProtocol

/// Holds a reader and shows what is swiped on it.
struct ClaimCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "claim",
        abstract: "Hold a reader, and show what is swiped on it.",
        discussion: """
            While the reader is held, no other client controls it or sees its cards in full. This command shows them masked; \
            --json shows all that the user's role may see. It is held until Ctrl-C, and released then; the command ends with status 4 when the reader is gone, and with 1 when the daemon ends or another client has \
            asked for the reader, which gets it after a second unless --retain is given.
            """)

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "The JSON lines of the swipes as the daemon sends them, and nothing else.")
    var json = false

    @Flag(name: .customLong("try"), help: "Do not ask another client that holds it.")
    var onlyIfFree = false

    @Flag(help: "Keep it when another client asks for it.")
    var retain = false

    @Option(help: "Give it back after so many swipes.")
    var swipes: Int?

    @Argument(help: "The reader: its id, its name, or the beginning of one.", completion: .readers)
    var reader: String

    func validate() throws {
        if let swipes, swipes < 1 { throw ValidationError("--swipes must be at least 1") }
    }

    func run() async throws {
        try await connection.withClient { client in
            let ours = try await client.connect().you.connection
            try await client.meaning(reader) { reader in
                try await client.withClaim(reader, mode: onlyIfFree ? .tryOnly : .ask) { claimed in
                    EndingSignal.watch()
                    Output.complain("holding \(reader.printable)")
                    try await EndingSignal.ending { try await follow(claimed, of: client, ours) }
                }
            }
        }
        EndingSignal.endIfWanted()
    }

    /// Until as many swipes are shown as were asked for, or the reader is not ours any more.
    private func follow(_ claimed: ClaimedReader, of client: SwipeClient, _ ours: UInt64) async throws {
        let stream = client.events(
            [.connect, .swipe, .claimRequested, .claimReleased], readers: [claimed.id])
        var shown = 0
        while shown != swipes, let arrival = try await stream.nextArrival() {
            if case .swipe = arrival.event.body {
                try show(arrival)
                shown += 1
            } else {
                try await heed(arrival.event.body, of: claimed, ours)
            }
        }
    }

    /// What others do with the reader. Not a list of all events: what was not asked for above does not come.
    private func heed(_ body: EventBody, of claimed: ClaimedReader, _ ours: UInt64) async throws {
        if case .claimRequested(let claimant, _) = body, claimant.connection != ours {
            Output.complain("uid \(claimant.uid), pid \(claimant.pid) asks for the reader")
            // Too late where the holder has changed meanwhile: the next event says so.
            if retain { try? await claimed.retain() }
        }
        if case .claimReleased(let end, let holder) = body, holder.connection == ours { throw lost(end) }
        // What the reader was like when we began to listen, or a reader that came back.
        if case .connect(let info) = body, info.claimedBy?.connection != ours { throw lost(.taken) }
    }

    private func show(_ arrival: EventStream.Arrival) throws(OutputFailure) {
        guard json, let line = arrival.line else {
            return try Output.result(EventPresentation(style: .forStandardOutput()).line(arrival.event))
        }
        try Output.bytes(line + [UInt8(ascii: "\n")])
    }

    private func lost(_ end: ClaimEnd) -> CommandFailure {
        switch end {
        case .readerGone: CommandFailure(.noSuchReader, "\(reader.printable) is gone")
        case .taken, .released, .disconnected:
            CommandFailure(.failure, "\(reader.printable) is not ours any more: another client has it")
        case .unrecognized: CommandFailure(.failure, "\(reader.printable) is not ours any more")
        }
    }
}
