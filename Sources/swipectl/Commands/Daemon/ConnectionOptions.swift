import ArgumentParser
import Glibc
import SwipeClient

/// How to reach the daemon: shared by every command that does.
struct ConnectionOptions: ParsableArguments {
    /// Names the socket where no option does.
    static let environmentVariable = "SWIPED_SOCKET"

    @Option(
        help: ArgumentHelp(
            "The daemon's socket.",
            discussion: "Default: $\(environmentVariable), else \(SwipeClient.defaultPath)."))
    var socket: String?

    var path: String {
        socket ?? getenv(Self.environmentVariable).map { String(cString: $0) } ?? SwipeClient.defaultPath
    }

    /// Runs `body` with a connected client; what goes wrong is told in words, with the status that it has.
    func withClient(_ body: (SwipeClient) async throws -> Void) async throws {
        try await run(SwipeClient(path: path, reconnects: false), body)
    }

    /// The same with a client that waits for a daemon that ends, and says so.
    func withPatientClient(_ body: (SwipeClient) async throws -> Void) async throws {
        let client = SwipeClient(path: path) { interruption in
            Output.error("swipectl: \(Self.words(interruption))\n")
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
            try await client.connect()
            try await body(client)
        } catch let error as SwipeClientError {
            throw CommandFailure(error, path: path)
        }
    }
}
