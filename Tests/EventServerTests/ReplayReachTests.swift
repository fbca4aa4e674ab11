import EventServer
import SwipeProtocol
import Testing

/// How far `since` reaches, whatever clients do with their claims.
@Suite(.timeLimit(.minutes(5))) struct ReplayReachTests {
    private static let kept = 4
    private let one = ReaderInfo.sample("one")
    private let two = ReaderInfo.sample("two")

    private func withServer(_ body: (EventServer, String) async throws -> Void) async throws {
        var limits = ServerLimits()
        limits.eventsKept = Self.kept
        try await EventServerTests.withServer(limits: limits, roles: [.full]) { server, path in
            try await body(server, path)
        }
    }

    private func client(_ path: String) async throws -> TestClient {
        let client = try TestClient(path: path)
        _ = try await client.message()
        return client
    }

    /// Claims the reader and gives it back: one event.
    private func useOnce(_ client: TestClient, _ reader: ReaderInfo) async throws {
        for method in ["claim", "release"] {
            let reply = try await client.request(method, "{\"reader\":\"\(reader.id)\"}")
            #expect(reply["result"] != nil)
        }
    }

    /// What follows the event of that number for who comes back, up to the latest one, in words.
    private func replay(
        _ path: String, since sequence: Int, _ filter: String = "", through latest: Int64
    ) async throws -> [String] {
        let client = try await client(path)
        let since = "\"since\":{\"instance\":\"test\",\"seq\":\(sequence)}"
        let answer = try await client.request("subscribe", "{\(since)\(filter)}")
        #expect(answer.at("result", "readers") == nil, "it can be followed")
        var words: [String] = []
        while true {
            let event = try await client.message()
            let name = event["event"]?.string ?? ""
            guard name == "gap" else {
                words.append("\(name) \(event["seq"]?.integer ?? 0)")
                if event["seq"]?.integer == latest { return words }
                continue
            }
            let range = "\(event.at("data", "from")?.integer ?? 0)-\(event.at("data", "to")?.integer ?? 0)"
            words.append("\(event.at("data", "reason")?.string ?? "") \(range)")
        }
    }

    @Test func claimsWithoutEndLeaveWhatOthersComeBackFor() async throws {
        try await withServer { server, path in
            for reader in [one, two] { server.publish(Publication(reader: reader, .connect(reader))) }
            let holder = try await client(path)
            for _ in 0..<10 { for reader in [one, two] { try await useOnce(holder, reader) } }
            for reader in [one, two] {
                server.publish(Publication(reader: reader, .ready(expiresAt: nil)))
            }
            await server.allSent()
            #expect(
                try await replay(path, since: 1, through: 23) == [
                    "connect 2", "not_kept 3-22", "ready 23",
                ])
            #expect(try await replay(path, since: 11, through: 23) == ["not_kept 12-22", "ready 23"])
            let states = #","events":["connect","ready"]"#
            #expect(try await replay(path, since: 1, states, through: 23) == ["connect 2", "ready 23"])
            let another = #","events":["connect","ready","claim_released"],"readers":["two"]"#
            #expect(
                try await replay(path, since: 0, another, through: 24) == [
                    "connect 2", "not_kept 3-22", "ready 24",
                ])
        }
    }

    @Test func claimsBetweenOtherEventsTakeNoPlaceOfTheirs() async throws {
        try await withServer { server, path in
            server.publish(Publication(reader: one, .connect(one)))
            let holder = try await client(path)
            for _ in 1..<Self.kept {
                try await useOnce(holder, one)
                server.publish(Publication(reader: one, .ready(expiresAt: nil)))
                await server.allSent()
            }
            #expect(
                try await replay(path, since: 0, through: 7) == [
                    "connect 1", "not_kept 2-2", "ready 3", "not_kept 4-4", "ready 5", "not_kept 6-6",
                    "ready 7",
                ])
            // Each one more costs the oldest, and the claims before it.
            for lost in [0, 2] {
                server.publish(Publication(reader: one, .ready(expiresAt: nil)))
                await server.allSent()
                let late = try await client(path)
                late.send(
                    "{\"id\":1,\"method\":\"subscribe\",\"params\":{\"since\":{\"instance\":\"test\",\"seq\":\(lost)}}}\n"
                )
                #expect(try await late.event("gap").at("data", "reason") == "ring")
            }
        }
    }

    /// Claims of readers that a client does not listen to are no loss for it.
    @Test func claimsOfOtherReadersAreNoGap() async throws {
        try await withServer { server, path in
            for reader in [one, two] { server.publish(Publication(reader: reader, .connect(reader))) }
            try await useOnce(try await client(path), two)
            server.publish(Publication(reader: one, .ready(expiresAt: nil)))
            await server.allSent()
            #expect(try await replay(path, since: 2, #","readers":["one"]"#, through: 4) == ["ready 4"])
        }
    }
}
