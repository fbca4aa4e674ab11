import AsyncHTTPClient
import Foundation
import NIOCore

/// The built checkout-sandbox, run as a user runs it.
///
/// Why a process and not the library in this one: what is killed in the middle of requests cannot take the tests along.
package final class SandboxProcess: Sendable {
    package struct Charge: Decodable, Sendable, Hashable {
        package let id: String
        package let transaction: String
        package let amount: Int
        package let description: String
        package let last4: String?
    }

    package struct Change: Decodable, Sendable, Hashable {
        package let id: String
        package let charge: String
        package let kind: String
        package let amount: Int
        package let tip: Int?
        package let status: String
    }

    private struct Ledger: Decodable {
        let charges: [Charge]
        let changes: [Change]
    }

    package let address: String
    private let process: RunningProcess

    /// Starts it, and returns when it listens.
    ///
    /// - Parameter chargesOnce: whether it keeps the promise to charge a transaction once. Most tests do without: what is never
    ///   charged twice then is the clients' own doing.
    package init(_ arguments: [String] = [], chargesOnce: Bool = false) throws {
        process = try RunningProcess(
            Programs.path("checkout-sandbox"),
            ["--slow", "0.03"] + (chargesOnce ? [] : ["--many-charges"]) + arguments)
        guard let line = process.firstLine() else { throw TestFailure("the sandbox did not start") }
        address = line
    }

    package var isRunning: Bool { process.isRunning }

    /// Ends it as nobody can prepare for.
    package func killAtOnce() async throws { try await process.killAtOnce() }

    /// Every charge, oldest first.
    package func ledger() async throws -> [Charge] { try await books().charges }

    /// Every capture, refund and void, also those that were refused, oldest first.
    package func changes() async throws -> [Change] { try await books().changes }

    private func books() async throws -> Ledger {
        let text = try await visit(address + "/v1/ledger", limit: 64 << 20)
        return try JSONDecoder().decode(Ledger.self, from: Data(text.utf8))
    }
}

/// Keeps the sandbox's slow cards processing until a test says otherwise.
package final class Gate: Sendable {
    private let folder: Folder

    package init() throws { folder = try Folder() }

    /// For the sandbox's `--slow-until`.
    package var path: String { folder.path("settled") }

    package func open() throws { try Data().write(to: folder.url.appending(path: "settled")) }
}

/// A sandbox for the time of a test.
package func withSandbox<Result>(
    _ arguments: [String] = [], chargesOnce: Bool = false,
    _ body: (SandboxProcess, String) async throws -> Result
) async throws -> Result {
    let sandbox = try SandboxProcess(arguments, chargesOnce: chargesOnce)
    let result = try await body(sandbox, sandbox.address)
    guard sandbox.isRunning else { throw TestFailure("the sandbox ended before its test") }
    return result
}

/// A sandbox for the time of a test that is killed again and again, and started anew with the same books at the same address.
///
/// - Parameter body: gets the sandbox that runs at its end.
package func withRestartedSandbox<Result: Sendable>(
    _ arguments: [String], chargesOnce: Bool,
    _ body: (@escaping @Sendable () async throws -> SandboxProcess, String) async throws -> Result
) async throws -> Result {
    let folder = try Folder()
    let arguments = arguments + ["--database", folder.path("books")]
    let first = try SandboxProcess(arguments, chargesOnce: chargesOnce)
    let address = first.address
    let port = address.split(separator: ":").last.map(String.init) ?? ""
    let restarting = Task {
        var sandbox = first
        while (try? await Task.sleep(for: .milliseconds(Int.random(in: 700...2500)))) != nil {
            try await sandbox.killAtOnce()
            try? await Task.sleep(for: .milliseconds(Int.random(in: 0...600)))
            sandbox = try SandboxProcess(arguments + ["--port", port], chargesOnce: chargesOnce)
        }
        return sandbox
    }
    defer { restarting.cancel() }
    return try await body(
        {
            restarting.cancel()
            return try await restarting.value
        }, address)
}

/// A customer's browser.
@discardableResult
package func visit(_ page: String, limit: Int = 65_536) async throws -> String {
    let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: page), timeout: .seconds(30))
    return String(buffer: try await response.body.collect(upTo: limit))
}

package struct TestFailure: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
