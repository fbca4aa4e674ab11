import ArgumentParser
import SwipeClient
import SwipeProtocol

/// Shows events as they happen, until it is interrupted.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show what happens at the readers, as it happens.",
        discussion: """
            One line an event, until Ctrl-C. When the daemon ends, standard error says so; the command waits for the \
            daemon to come back, without end, and goes on; a 'gap' line then says what was missed. Only where there is \
            no daemon in the beginning does it end at once, with status 3, or no reader that --reader names, with status 4. \
            Account numbers are masked; --json shows all that the user's role may see.
            """)

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "The events' JSON lines as the daemon sends them, and nothing else.")
    var json = false

    @Option(
        name: .customLong("reader"), help: "Only of this reader. Can be given more than once.",
        completion: .readers)
    var readers: [String] = []

    @Option(name: .customLong("event"), help: "Only events of this name. Can be given more than once.")
    var events: [ProtocolWord<EventKind>] = []

    @Flag(help: "Begin with the changes of state that the daemon still keeps.")
    var kept = false

    @Option(help: "End after so many events.")
    var count: Int?

    @Option(help: "End after so many swipes.")
    var swipes: Int?

    mutating func validate() throws {
        for limit in [count, swipes].compactMap(\.self) where limit < 1 {
            throw ValidationError("--count and --swipes must be at least 1.")
        }
    }

    func run() async throws {
        try await connection.withPatientClient { client in
            let readers = try await readers(client)
            let stream = client.events(
                events.isEmpty ? nil : Set(events.map(\.word)), readers: readers,
                from: kept ? .kept : .now)
            var (shown, swiped) = (0, 0)
            while let arrival = try await stream.nextArrival() {
                guard try show(arrival) else { continue }
                shown += 1
                if arrival.event.body.kind == .swipe { swiped += 1 }
                if shown == count || swiped == swipes { break }
            }
        }
    }

    /// The ids of the readers to watch; nil for all. A slip in a reader's name would otherwise wait for ever.
    private func readers(_ client: SwipeClient) async throws -> Set<String>? {
        guard !readers.isEmpty else { return nil }
        let present = try await client.readers()
        return Set(try readers.map { try ReaderChoice($0, among: present).id() })
    }

    /// Shows an event; false for one that is not shown.
    private func show(_ arrival: EventStream.Arrival) throws(OutputFailure) -> Bool {
        guard json else {
            try Output.result(EventPresentation(style: .forStandardOutput()).line(arrival.event))
            return true
        }
        // The readers that are there already are told by the client library, not by the daemon.
        guard let line = arrival.line else { return false }
        try Output.bytes(line + [UInt8(ascii: "\n")])
        return true
    }
}
