import EventServer
import NIOConcurrencyHelpers
import SwipeProtocol
import TestSupport
import Testing

/// What a client can do wrong: an answer with a code or a clean close each time, and the others do not notice.
@Suite(.timeLimit(.minutes(5))) struct BadInputTests {
    @Test(arguments: [
        ("garbage", "line.invalid"), ("", "line.invalid"), ("{\"id\":1", "line.invalid"),
        ("\u{1}\u{2}\u{3}", "line.invalid"), (#"{"id":1,"method":"dance"}"#, "method.unknown"),
        (#"{"id":1,"method":"ping","params":{"loud":true}}"#, "params.unknown"),
    ]) func aBadLineIsAnswered(_ line: String, with code: String) async throws {
        try await withServer { _, path in
            let client = try TestClient(path: path)
            _ = try await client.message()
            client.send(line + "\n")
            #expect(try await client.message().at("error", "code") == .string(code))
            #expect(try await client.request("ping").at("result") != nil, "the connection stays open")
        }
    }

    @Test func binaryIsAnswered() async throws {
        try await withServer { _, path in
            let client = try TestClient(path: path)
            _ = try await client.message()
            client.send([0xFF, 0xFE, 0x00, 0x80, 0x0A])
            #expect(try await client.message().at("error", "code") == "line.invalid")
        }
    }

    @Test func aMegabyteWithoutNewlineEndsTheConnection() async throws {
        try await withServer { _, path in
            let client = try TestClient(path: path)
            startThread { client.send([UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)) }
            let lines = try await client.rest()
            #expect(lines.dropFirst().first?.contains("line.too_long") == true)
            #expect(lines.last?.contains(#""code":"too_long""#) == true)
            // Of which the line has 16 KiB; the rest is this process's other tests.
        }
    }

    @Test func aHalfLineThenTheEndIsAnswered() async throws {
        try await withServer { _, path in
            let client = try TestClient(path: path)
            _ = try await client.message()
            client.send(#"{"id":1,"meth"#)
            client.shutdownWrite()
            #expect(try await client.message().at("error", "code") == "line.invalid")
            #expect(try await client.line() == nil)
        }
    }

    @Test func aHundredSilentConnectionsDisturbNobody() async throws {
        try await withServer { server, path in
            let silent = try (0..<100).map { _ in try TestClient(path: path) }
            let client = try TestClient(path: path)
            _ = try await client.request("subscribe")
            server.publish(Publication(reader: .sample(), .swipeStart))
            #expect(try await client.message()["event"] == "swipe_start")
            #expect(silent.count == 100)
        }
    }

    @Test func aClientThatNeverReadsIsCutOffAndNobodyElseNotices() async throws {
        try await withServer { server, path in
            let (deaf, healthy) = (try TestClient(path: path), try TestClient(path: path))
            _ = try await healthy.request("subscribe")
            _ = try await deaf.message()
            deaf.send(#"{"id":1,"method":"subscribe"}"# + "\n")
            _ = try await deaf.message()
            for index in 1...10_000 {
                // Swipes are never left out, so the queue overflows.
                server.publish(Publication(reader: .sample("r\(index % 97)"), .swipe(SwipeData(tracks: []))))
                if index.isMultiple(of: 100) {
                    for _ in 0..<100 { #expect(try await healthy.message()["seq"] != nil) }
                }
            }
            let stats = try await healthy.request("stats")
            #expect(stats.at("result", "server", "slow_clients") == 1)
            withExtendedLifetime(deaf) {}
        }
    }

    @Test func statesOfAClientThatIsBehindCoalesceAndAGapSaysSo() async throws {
        var limits = ServerLimits()
        // A busy machine may not let the client read for long.
        limits.stall = .seconds(300)
        try await withServer(limits: limits) { server, path in
            let slow = try TestClient(path: path)
            _ = try await slow.request("subscribe")
            // All of one reader: only the latest state matters.
            for _ in 0..<5_000 { server.publish(Publication(reader: .sample(), .swipeStart)) }
            let fence = try TestClient(path: path)
            _ = try await fence.message()
            var expected: Int64 = 1
            while expected <= 5_000 {
                let message = try await slow.message()
                if message["event"] == "gap" {
                    #expect(message.at("data", "from")?.integer == expected)
                    #expect(message.at("data", "reason") == "coalesced")
                    expected = (message.at("data", "to")?.integer ?? 0) + 1
                } else {
                    #expect(message["seq"]?.integer == expected)
                    expected += 1
                }
            }
        }
    }

    /// Somebody who claims and releases without end has nobody cut off: whoever is behind gets the latest, and gaps. That it
    /// lost a reader itself is never among what is left out.
    @Test func whoeverClaimsWithoutEndHasNobodyCutOff() async throws {
        var limits = ServerLimits()
        limits.stall = .seconds(300)
        try await withServer(limits: limits) { server, path in
            server.publish(Publication(reader: .sample(), .connect(.sample())))
            let (victim, greedy) = (try TestClient(path: path), try TestClient(path: path))
            let claim = #"{"reader":"magtek-B05A9C4"}"#
            _ = try await victim.request("claim", claim)
            _ = try await victim.request("subscribe")
            victim.send(#"{"id":3,"method":"release","params":\#(claim)}"# + "\n")
            // The victim reads nothing from here on, until everything has happened.
            _ = try await greedy.message()
            let pairs = 5_000
            let pair =
                #"{"id":1,"method":"claim","params":\#(claim)}"# + "\n"
                + #"{"id":2,"method":"release","params":\#(claim)}"# + "\n"
            startThread { for _ in 0..<pairs where !greedy.send(pair) { return } }
            var answers = 0
            while answers < 2 * pairs, let line = try await greedy.line() {
                if line.hasPrefix(#"{"id""#) { answers += 1 }
            }
            var (last, ends): (Int64, [Int64]) = (1, [])
            while last <= Int64(pairs) {
                let message = try await victim.message()
                #expect(message["event"] != "bye")
                if let number = message["seq"]?.integer { last = number }
                if message["event"] == "gap" { last = message.at("data", "to")?.integer ?? 0 }
                if message["event"] == "claim_released" {
                    ends.append(message.at("data", "holder", "connection")?.integer ?? 0)
                }
            }
            #expect(ends.first == 1 && ends.count < pairs, "its own claim's end, and a gap for many others")
            #expect(try await greedy.request("stats").at("result", "server", "slow_clients") == 0)
        }
    }

    @Test func thereAreOnlySoManyConnections() async throws {
        var limits = ServerLimits()
        limits.connectionsPerUser = 3
        try await withServer(limits: limits) { _, path in
            let first = try (0..<3).map { _ in try TestClient(path: path) }
            for client in first { _ = try await client.message() }
            let refused = try TestClient(path: path)
            #expect(try await refused.message().at("data", "code") == "too_many")
            #expect(try await refused.line() == nil)
        }
    }

    @Test func whoHasNoRoleIsTurnedAway() async throws {
        try await withServer(roles: []) { _, path in
            let client = try TestClient(path: path)
            #expect(try await client.message().at("data", "code") == "denied")
            #expect(try await client.line() == nil)
        }
    }

    /// Who has lost the right to cards does not keep it by staying connected; who has not is left alone.
    @Test(
        arguments: [
            ([.full, .admin], [.masked, .admin], true), ([.masked], [.status], true),
            ([.full, .admin], [.full], true),
            ([.masked], [], true), ([.masked], [.full], false), ([.full], [.full, .admin], false),
        ] as [(Set<Role>, Set<Role>, Bool)])
    func lostRolesEndTheConnection(_ before: Set<Role>, _ after: Set<Role>, _ isLetGo: Bool) async throws {
        let roles = NIOLockedValueBox(before)
        try await withServer(access: { _ in roles.withLockedValue { $0 } }) { server, path in
            let client = try TestClient(path: path)
            _ = try await client.message()
            roles.withLockedValue { $0 = after }
            server.reviewAccess()
            if isLetGo {
                #expect(try await client.message().at("data", "code") == "denied")
                #expect(try await client.line() == nil)
            } else {
                #expect(try await client.request("ping")["result"] != nil)
            }
        }
    }

    @Test func connectionsLeaveNothingBehind() async throws {
        try await withServer { _, path in
            let watcher = try TestClient(path: path)
            _ = try await watcher.message()
            for index in 0..<2_000 {
                let client = try TestClient(path: path)
                if index.isMultiple(of: 3) { client.send("{\"half\":") }
                if index.isMultiple(of: 7) { client.shutdownWrite() }
            }
            while try await watcher.request("stats").at("result", "server", "connections_open") != 1 {}
        }
    }
}
