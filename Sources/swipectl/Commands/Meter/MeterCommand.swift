import ArgumentParser
import Glibc
import SwipeClient
import SwipeProtocol

/// `swipectl meter`: how loud a reader's sound input is, as it is heard.
struct MeterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "meter",
        abstract: "Show the level of a reader's sound input, to set its gain by.",
        discussion: """
            Fills the terminal until Ctrl-C: the level with the highest of the last three seconds, the noise and the hum in \
            it, clipping, whether a card may be passing (the gate), the last swipes' figures, the outline of the last one, and what \
            to do with the gain. All levels are decibels of full scale, which is 0. In the first five seconds there is no figure for the \
            noise.

            The key 'g' sets the gain as it is advised, --set-gain after each swipe. It holds until the reader or the daemon goes, or its \
            configuration is loaded anew; then the mixer is put back. To keep it, write the percentage as 'gain' into the reader's \
            section. \(ReaderRequest.claims)

            The outline is the height of the sound in ten parts of the passage, in fifths of the highest: enough to see a lifted card.

            With --json a line for each tenth of a second, for each swipe and for each gain that is set. None shows anything of a card, and \
            no figure tells a digit. Needs a role beyond 'status'.
            """)

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "Lines of JSON, and no drawing.")
    var json = false

    @Option(
        help: "End after so many tenths of a second; status 1 where the microphone was closed in all of them."
    )
    var count: Int?

    @Flag(help: "Set the gain as each swipe advises.")
    var setGain = false

    @Argument(help: "The reader: its id, its name, or the beginning of one.", completion: .readers)
    var reader: String

    mutating func validate() throws {
        if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
    }

    func run() async throws {
        guard json || isatty(STDOUT_FILENO) == 1 else {
            throw CommandFailure(.usage, "standard output is no terminal: use --json")
        }
        try await connection.withClient { client in
            let id = try await client.meaning(reader) { id in
                _ = try await Self.levels(client, of: id, after: nil)
                return id
            }
            let meter = Meter(client: client, reader: id, count: count, setsGain: setGain)
            json ? try await meter.run { try Self.write($0) } : try await draw(meter)
        }
        EndingSignal.endIfWanted()
    }

    /// Those after a number; nil while the microphone is closed.
    static func levels(_ client: SwipeClient, of reader: String, after: UInt64?) async throws -> [SoundLevel]?
    {
        do throws(SwipeClientError) {
            return try await client.levels(of: reader, after: after)
        } catch {
            guard error.reply?.code == .readerInactive else { throw error }
            return nil
        }
    }

    private func draw(_ meter: Meter) async throws {
        EndingSignal.watch()
        let screen = MeterScreen(reader: meter.reader)
        var watched = meter
        if isatty(STDIN_FILENO) == 1 { watched.wishes = { Self.wantsGain() } }
        try await screen.run { [watched] in
            try await EndingSignal.ending { try await watched.run { try await screen.show($0.model) } }
        }
    }

    /// Whether the key was pressed. Others are not for us.
    private static func wantsGain() -> Bool {
        (FullScreen.keys() ?? []).contains(UInt8(ascii: "g"))
    }

    private static func write(_ change: Meter.Change) throws {
        switch change.what {
        case .level(let level):
            try Output.line(
                MeteredLevel(level: level, hold: change.model.hold, gain: change.model.gain))
        case .swipe:
            if let swipe = change.model.swipes.first { try Output.line(MeteredSwipe(swipe: swipe)) }
        case .closed: Output.complain("the microphone is closed; 'swipectl status' says why")
        case .gain(let percent): try Output.line(GainThatWasSet(percent: percent))
        case .complaint(let words): Output.complain(words)
        }
    }
}

/// The terminal, for as long as a meter is on it.
private actor MeterScreen {
    private let reader: String
    private var screen: FullScreen?

    init(reader: String) { self.reader = reader }

    func run(_ body: @Sendable () async throws -> Void) async throws {
        screen = try FullScreen()
        defer {
            screen?.end()
            screen = nil
        }
        try show(MeterModel())
        try await body()
    }

    func show(_ model: MeterModel) throws {
        guard let size = screen?.size else { return }
        let drawing = MeterDrawing(model: model, reader: reader, style: .forStandardOutput())
        try screen?.draw(drawing.lines(columns: size.columns, rows: size.rows))
    }
}
