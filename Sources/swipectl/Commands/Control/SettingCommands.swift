import ArgumentParser
import SwipeClient
import SwipeProtocol

/// Says which kind of reader is at a sound input.
struct ReaderTypeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reader-type",
        abstract: "Say which kind of reader is at a sound input.",
        discussion: """
            It holds until the daemon or its configuration is loaded anew. With 'none' the input is left alone; only the role \
            admin can then name another kind. \(ReaderRequest.claims)
            """)

    @OptionGroup var request: ReaderRequest

    @Argument(help: "The kind.")
    var type: ProtocolWord<AudioReaderType>

    func run() async throws {
        let type = type.word
        try await request.run(.setAudioReader(type)) { "\($0) is of the type \(type.rawValue) now." }
    }
}

/// Finds out which kind of reader is at a sound input.
struct AutodetectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "autodetect",
        abstract: "Find out which kind of reader is at a sound input.",
        discussion: """
            It waits for the result, which a swipe may be needed for; none found is status 1. Loud tones come from the jack. \
            \(ReaderRequest.claims)
            """)

    @OptionGroup var request: ReaderRequest

    func run() async throws {
        try await request.run(.autodetect, waitingFor: [.autodetectComplete]) { body in
            guard case .autodetectComplete(let result) = body else { return nil }
            switch result {
            case .ipsEnterprise, .ips, .unimag, .passive:
                return RequestEnd(isSuccess: true, words: "It is of the type \(result.rawValue).")
            case .fail: return RequestEnd(isSuccess: false, words: "no kind of reader was recognised")
            case .unrecognized:
                return RequestEnd(isSuccess: false, words: "a kind that this version does not know")
            }
        }
    }
}

/// Answers what a reader asks people.
struct AnswerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer",
        abstract: "Answer the question or message that is open at a reader.",
        discussion: """
            'swipectl readers ID' shows it, and 'swipectl watch' when it comes. Only who holds the reader, or has the role \
            admin, may answer: a question is declined when the claim ends that this command makes otherwise.
            """)

    @OptionGroup var request: ReaderRequest

    @Argument(
        help: "The answer: accept or decline a question, ok to a message.",
        completion: .list(["accept", "decline", "ok"]))
    var answer: String

    func run() async throws {
        try await request.connection.withClient { client in
            let readers = try await client.readers()
            let id = try ReaderChoice(request.reader, among: readers).id()
            guard let prompt = readers.first(where: { $0.id == id })?.prompt else {
                throw CommandFailure(.failure, "nothing is asked at \(id.printable)")
            }
            guard prompt.answers.contains(answer) else {
                let allowed = prompt.answers.joined(separator: ", ").printable
                throw CommandFailure(.usage, "'\(answer.printable)' is no answer here; these are: \(allowed)")
            }
            let done = try await client.ask(
                .answerPrompt(id: prompt.id, answer: answer), of: id,
                mode: request.asksHolder ? .ask : .tryOnly)
            try request.json ? Output.line(done) : Output.result("Answered: \(answer).\n")
        }
    }
}

/// Changes settings of a reader at a headset jack.
struct SetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change settings of a reader at a headset jack.",
        discussion: """
            They hold until the daemon or its configuration is loaded anew; 'swipectl get' shows what is in force. The type is \
            set by 'swipectl reader-type', and prompt_timeout_s in the configuration alone. \(ReaderRequest.claims)
            """)

    @OptionGroup var request: ReaderRequest

    @Argument(
        help: ArgumentHelp(
            "What to set: \(SettingWord.allValueStrings.joined(separator: ", ")).", valueName: "name=value"),
        completion: .list(SettingWord.completions))
    var settings: [SettingWord]

    func validate() throws {
        guard !settings.isEmpty else { throw ValidationError("say what to set, as NAME=VALUE") }
    }

    func run() async throws {
        let wanted = settings.reduce(into: ReaderSettings()) { $1.change(&$0) }
        let said = settings.map(\.argument).joined(separator: ", ")
        try await request.run(.set(wanted)) { "\($0): \(said)" }
    }
}

/// A setting and its value, as `volume_to_max=no`.
struct SettingWord: ExpressibleByArgument {
    private enum Value {
        case flag(@Sendable (inout ReaderSettings, Bool) -> Void, Bool)
        case number(@Sendable (inout ReaderSettings, Int) -> Void, Int)
    }

    private struct NumberSetting: Sendable {
        var name: String
        var range: ClosedRange<Int>
        var set: @Sendable (inout ReaderSettings, Int) -> Void
    }

    private static let flags: [(name: String, set: @Sendable (inout ReaderSettings, Bool) -> Void)] = [
        ("always_accept_swipe", { $0.alwaysAcceptSwipe = $1 }),
        ("activate_on_attach", { $0.activateOnAttach = $1 }),
        ("volume_to_max", { $0.volumeToMax = $1 }),
        ("activate_without_prompting", { $0.activateWithoutPrompting = $1 }),
    ]
    private static let numbers = [
        NumberSetting(name: "swipe_timeout_s", range: ProtocolLimits.swipeTimeoutSeconds) {
            $0.swipeTimeoutSeconds = $1
        },
        NumberSetting(name: "gain", range: ProtocolLimits.gainPercent) { $0.gain = $1 },
    ]
    static let completions =
        flags.flatMap { ["\($0.name)=yes", "\($0.name)=no"] }
        + ["swipe_timeout_s=5", "swipe_timeout_s=20", "gain=50"]

    let argument: String
    private let value: Value

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return nil }
        self.argument = argument
        if let setting = Self.numbers.first(where: { $0.name == parts[0] }) {
            guard let number = Int(parts[1]), setting.range.contains(number) else { return nil }
            value = .number(setting.set, number)
        } else {
            guard let flag = Self.flags.first(where: { $0.name == parts[0] }), let isOn = Self.flag(parts[1])
            else { return nil }
            value = .flag(flag.set, isOn)
        }
    }

    static var allValueStrings: [String] {
        flags.map { "\($0.name)=yes|no" }
            + numbers.map { "\($0.name)=\($0.range.lowerBound)…\($0.range.upperBound)" }
    }

    func change(_ settings: inout ReaderSettings) {
        switch value {
        case .flag(let set, let isOn): set(&settings, isOn)
        case .number(let set, let number): set(&settings, number)
        }
    }

    private static func flag(_ word: String) -> Bool? {
        switch word {
        case "yes", "true", "on", "1": true
        case "no", "false", "off", "0": false
        default: nil
        }
    }
}
