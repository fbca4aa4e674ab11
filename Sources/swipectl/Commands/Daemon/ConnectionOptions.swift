import ArgumentParser
import SwipeClient

/// How to reach the daemon: shared by every command that does.
struct ConnectionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The daemon's socket.",
            discussion: "Default: $\(SwipeClient.pathVariable), else \(SwipeClient.systemPath)."),
        completion: .file())
    var socket: String?

    @Option(help: ArgumentHelp("How long to wait for the daemon's answer.", valueName: "seconds"))
    var timeout = 30

    func validate() throws {
        guard (1...3600).contains(timeout) else { throw ValidationError("--timeout: 1 to 3600 seconds") }
    }

    var path: String { socket ?? SwipeClient.defaultPath }

    /// Runs `body` with a connected client; what goes wrong is told in words, with the status that it has.
    func withClient(_ body: (SwipeClient) async throws -> Void) async throws {
        try await run(SwipeClient(path: path, reconnects: false, timeout: .seconds(timeout)), body)
    }

    /// The same with a client that waits for a daemon that ends, and says so.
    func withPatientClient(_ body: (SwipeClient) async throws -> Void) async throws {
        let client = SwipeClient(path: path, timeout: .seconds(timeout)) { interruption in
            Output.complain("\(Self.words(interruption))")
        }
        try await run(client, body)
    }

    private static func words(_ interruption: Interruption) -> String {
        switch interruption {
        case .began: "the connection to the daemon is lost; waiting for it"
        case .ended(let sequence):
            "the connection is back; what the daemon kept since event \(sequence) follows"
        case .endedAnew: "the daemon is back, started anew; what happened meanwhile is lost"
        }
    }

    private func run(_ client: SwipeClient, _ body: (SwipeClient) async throws -> Void) async throws {
        defer { client.close() }
        do {
            try await connect(client)
            try await body(client)
        } catch let error as SwipeClientError {
            throw CommandFailure(error, path: path)
        }
    }

    /// A connection that ends before the greeting reaches no daemon either.
    private func connect(_ client: SwipeClient) async throws {
        do throws(SwipeClientError) {
            try await client.connect()
        } catch {
            guard error.code == .connectionLost else { throw error }
            throw CommandFailure(unanswered: error, path: path)
        }
    }
}
