import ArgumentParser
import SwipeClient
import SwipeProtocol

/// Plugs, swipes and pulls out virtual readers.
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Plug in a virtual reader, swipe a test card on it, or pull it out.",
        discussion: """
            Needs the role admin, a daemon that runs with --allow-simulate, and a section [virtual-hid NAME], \
            [virtual-audio NAME], [virtual-serial NAME] or [virtual-keyboard NAME] in its configuration. The reader is \
            then called virtual-NAME.
            """)

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "The daemon's answer, one JSON object.")
    var json = false

    @Option(help: "The test card that is swiped: visa, the first one, or mastercard.")
    var card: String?

    @Argument(
        help: "The virtual reader: its id, its name, or, while it is plugged in, the beginning of one.",
        completion: .readers)
    var reader: String

    @Argument(help: "What happens at it.")
    var action: ProtocolWord<SimulatedAction.Kind>

    func validate() throws {
        guard card == nil || action.word == .swipe else {
            throw ValidationError("--card goes with 'swipe' only")
        }
    }

    func run() async throws {
        try await connection.withClient { client in
            let action = SimulatedAction(action.word, card: card)
            try await client.meaning(reader) { reader in
                let answer = try await client.control(.simulate(action), reader: reader)
                try json ? Output.line(answer) : Output.result(words(answer, reader).printable + "\n")
            }
        }
    }

    private func words(_ answer: JSONValue, _ reader: String) -> String {
        let card = answer.object?["card"]?.string ?? "card"
        return switch action.word {
        case .connect: "\(reader) is plugged in."
        case .disconnect: "\(reader) is pulled out."
        case .swipe: "The card '\(card)' is swiped on \(reader)."
        }
    }
}
