import ArgumentParser
import SwipeClient
import SwipeProtocol

/// Powers a reader up.
struct ActivateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "activate",
        abstract: "Power up a reader at a headset jack.",
        discussion: """
            It waits until the reader is powered up, or until that has failed (status 1). A question whether it may be is \
            answered with yes. \(ReaderRequest.claims)
            """)

    @OptionGroup var request: ReaderRequest

    @Flag(name: .customLong("no-wait"), help: "End once the daemon has begun.")
    var endsAtOnce = false

    func run() async throws {
        guard !endsAtOnce else {
            return try await request.run(.activate) { "\($0) is being powered up." }
        }
        try await request.run(.activate, waitingFor: [.activate], acceptsQuestions: true) { body in
            guard case .activate(let outcome, let why) = body else { return nil }
            guard outcome != .success else { return RequestEnd(isSuccess: true, words: "It is powered up.") }
            let words = ReaderWords.words(outcome.rawValue, why)
            return RequestEnd(isSuccess: false, words: "the reader is not powered up: \(words)")
        }
    }
}

/// Powers a reader down.
struct DeactivateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deactivate",
        abstract: "Power down a reader at a headset jack.", discussion: ReaderRequest.claims)

    @OptionGroup var request: ReaderRequest

    func run() async throws { try await request.run(.deactivate) { "\($0) is powered down." } }
}

/// Lets a reader accept swipes.
struct RequestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "request",
        abstract: "Let a reader accept swipes.",
        discussion: """
            For readers that accept them only when they are asked: those that are powered up, while always_accept_swipe is no. \
            'swipectl watch' shows what is swiped. \(ReaderRequest.claims)
            """)

    @OptionGroup var request: ReaderRequest

    @Option(help: ArgumentHelp("For 3 to 20 seconds; without it, as its settings say.", valueName: "seconds"))
    var seconds: Int?

    func validate() throws {
        if let seconds, !(3...20).contains(seconds) { throw ValidationError("--seconds: 3 to 20") }
    }

    func run() async throws {
        try await request.run(.requestSwipe(timeoutSeconds: seconds)) { "\($0) accepts swipes." }
    }
}

/// Withdraws what was asked of a reader.
struct CancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Withdraw a request for a swipe, or a power-up.", discussion: ReaderRequest.claims)

    @OptionGroup var request: ReaderRequest

    @Flag(help: "The power-up that is under way, in place of the request for a swipe.")
    var activation = false

    func run() async throws {
        let what = activation ? "The power-up of" : "The request for a swipe on"
        try await request.run(activation ? .cancelActivation : .cancelSwipe) { "\(what) \($0) is withdrawn." }
    }
}

/// Asks a reader for a sign of life.
struct TestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Ask a reader at a headset jack, or an encoder, for a sign of life.",
        discussion: """
            It waits for the answer; a reader that gives none is status 1. From a jack comes a loud tone. \
            \(ReaderRequest.claims)
            """)

    @OptionGroup var request: ReaderRequest

    func run() async throws {
        try await request.run(.testCommunication, waitingFor: [.testComplete]) { body in
            guard case .testComplete(let answered, let why) = body else { return nil }
            let words =
                answered ? "The reader answered." : ReaderWords.words("the reader did not answer", why)
            return RequestEnd(isSuccess: answered, words: words)
        }
    }
}

/// The daemon's words as people read them.
enum ReaderWords {
    static func words(_ name: String, _ why: String? = nil) -> String {
        let text = String(name.map { $0 == "_" ? " " : $0 })
        return why.map { "\(text): \($0)" } ?? text
    }
}
