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
    func withClient(
        reconnects: Bool = false, _ body: (SwipeClient) async throws -> Void
    ) async throws {
        let client = SwipeClient(path: path, reconnects: reconnects)
        defer { client.close() }
        do {
            try await client.connect()
            try await body(client)
        } catch let error as SwipeClientError {
            throw CommandFailure(error, path: path)
        }
    }
}
