import SwipeProtocol
import Testing

@testable import EventServer

/// Clients that ask without end leave time for the others.
@Suite struct RequestTurnsTests {
    @Test func answeringHasItsShareOfTheTime() {
        var turns = RequestTurns()
        let start: UInt64 = 1_000_000_000
        #expect(turns.pause(at: start) == nil)
        turns.spend(from: start, to: start + RequestTurns.shareNanoseconds - 1)
        #expect(turns.pause(at: start + RequestTurns.shareNanoseconds - 1) == nil)
        turns.spend(from: start, to: start + 1)
        let pause = turns.pause(at: start + RequestTurns.shareNanoseconds)
        #expect(pause == RequestTurns.windowNanoseconds - RequestTurns.shareNanoseconds)
        #expect(turns.pause(at: start + RequestTurns.windowNanoseconds) == nil)
        #expect(turns.pause(at: start + RequestTurns.windowNanoseconds) == nil, "a new share")
    }

    @Test func whoAsksNowAndThenComesFirst() {
        let now: UInt64 = 1_000_000_000
        #expect(!RequestTurns.isSparse(lastTurn: now - RequestTurns.sparseNanoseconds + 1, at: now))
        #expect(RequestTurns.isSparse(lastTurn: now - RequestTurns.sparseNanoseconds, at: now))
        #expect(RequestTurns.isSparse(lastTurn: 0, at: now), "who never had a turn")
    }

    private static let greedy = 15
    private static let linesOfEach = 400

    /// Fifteen clients have asked 6,000 times when one asks once: it is answered long before they all are, and each of
    /// them gets all its answers.
    @Test func oneWhoAsksOnceDoesNotWaitForThoseWhoAskWithoutEnd() async throws {
        try await withServer { _, path in
            let patient = try TestClient(path: path)
            _ = try await patient.message()
            let block = String(repeating: #"{"id":1,"method":"ping"}"# + "\n", count: Self.linesOfEach)
            let flood = Array(block.utf8)
            var clients: [TestClient] = []
            for _ in 0..<Self.greedy {
                let client = try TestClient(path: path)
                onThread { _ = client.send(flood) }
                clients.append(client)
            }
            let stats = try await patient.request("stats")
            let answered = try #require(stats.at("result", "server", "requests")?.integer)
            #expect(answered < Self.greedy * Self.linesOfEach / 2)
            for client in clients {
                _ = try await client.message()
                for _ in 0..<Self.linesOfEach {
                    guard try await client.line() == #"{"id":1,"result":{}}"# else {
                        throw TestClient.Failure(description: "not an answer")
                    }
                }
            }
        }
    }
}
