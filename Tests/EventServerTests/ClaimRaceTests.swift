import EventServer
import SwipeProtocol
import Testing

/// The races of two and three clients for a reader, over the real socket, that `ClaimTests` does not have: there is who
/// vanishes while holding, retains late and loses an unplugged reader before one other.
@Suite(.timeLimit(.minutes(5))) struct ClaimRaceTests {
    private static let claim = #"{"reader":"magtek-B05A9C4"}"#
    private static let attempt = #"{"reader":"magtek-B05A9C4","mode":"try"}"#

    /// A client that hears of claims, whoever holds the reader.
    private func client(_ path: String) async throws -> TestClient {
        let client = try TestClient(path: path)
        _ = try await client.message()
        _ = try await client.request("subscribe", #"{"events":["claim_requested","claim_released"]}"#)
        return client
    }

    /// Time to retain is no matter here, however busy the machine is.
    private func limits(hold: Duration = .zero) -> ServerLimits {
        var limits = ServerLimits()
        limits.retain = .seconds(60)
        limits.swipeHold = hold
        return limits
    }

    private func plugIn(_ server: EventServer) {
        server.publish(Publication(reader: .sample(), .connect(.sample())))
    }

    /// The role `full` controls a reader only while it holds it.
    private func withReader(
        _ limits: ServerLimits, _ body: (EventServer, String) async throws -> Void
    ) async throws {
        try await withServer(limits: limits, roles: [.full]) { server, path in
            plugIn(server)
            try await body(server, path)
        }
    }

    private func withThree(
        _ limits: ServerLimits,
        _ body: (EventServer, TestClient, TestClient, TestClient) async throws -> Void
    ) async throws {
        try await withReader(limits) { server, path in
            try await body(server, try await client(path), try await client(path), try await client(path))
        }
    }

    // MARK: Steps

    /// What the answer says: `ours`, or the code of the refusal.
    private func word(_ reply: JSONObject) -> String {
        reply.at("error", "code")?.string ?? (reply["result"] == nil ? "no answer" : "ours")
    }

    private func claims(_ client: TestClient, _ parameters: String = Self.claim) async throws -> String {
        word(try await client.request("claim", parameters))
    }

    private func does(_ method: String, _ client: TestClient) async throws -> String {
        word(try await client.request(method, Self.claim))
    }

    private static let pending = 7

    /// Asks for what the other holds; returns when that one has been asked.
    private func ask(_ challenger: TestClient, _ holder: TestClient) async throws {
        challenger.send(
            "{\"id\":\(Self.pending),\"method\":\"claim\",\"params\":\(Self.claim)}\n")
        _ = try await holder.event("claim_requested")
    }

    /// What is answered to who has asked.
    private func answer(_ challenger: TestClient) async throws -> String {
        while true {
            let message = try await challenger.message()
            if message["id"]?.integer == Int64(Self.pending) { return word(message) }
        }
    }

    /// Claimed, asked for and given over; and the new holder is asked in its turn.
    private func hand(
        from first: TestClient, to second: TestClient, nextAskedBy third: TestClient
    ) async throws {
        #expect(try await claims(first) == "ours")
        try await ask(second, first)
        #expect(try await does("release", first) == "ours")
        #expect(try await answer(second) == "ours")
        try await ask(third, second)
    }

    /// Exactly one of them controls the reader.
    private func expectHolder(
        _ holder: TestClient, not others: TestClient..., sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let held = try await does("activate", holder)
        #expect(held == "ours", sourceLocation: sourceLocation)
        for other in others {
            let refusal = try await does("activate", other)
            #expect(refusal == "claim.required", sourceLocation: sourceLocation)
        }
    }

    /// The daemon ends, says so once to each of them, and is back with the reader; what a second run then does.
    private func withRestart(
        of first: EventServer, _ path: String, _ limits: ServerLimits, heardBy clients: TestClient...,
        then body: (EventServer) async throws -> Void
    ) async throws {
        await first.stop()
        for client in clients {
            let lines = try await client.rest()
            #expect(lines.filter { $0.contains(#""event":"bye""#) }.count == 1)
            #expect(lines.last?.contains(#""code":"shutdown""#) == true, "nothing comes behind it")
        }
        let second = try await startServer(at: path, limits: limits, instance: "second", roles: [.full])
        plugIn(second)
        await second.allSent()
        do { try await body(second) } catch {
            await second.stop()
            throw error
        }
        await second.stop()
    }

    // MARK: Two clients

    @Test func twoClientsReleaseTwice() async throws {
        try await withReader(limits()) { _, path in
            let (first, second) = (try await client(path), try await client(path))
            #expect(try await claims(first) == "ours")
            try await ask(second, first)
            #expect(try await does("release", first) == "ours")
            #expect(try await answer(second) == "ours")
            #expect(try await does("release", first) == "claim.not_held")
            try await expectHolder(second, not: first)
            #expect(try await does("release", second) == "ours")
            #expect(try await does("release", second) == "claim.not_held")
            #expect(try await claims(first, Self.attempt) == "ours")
        }
    }

    /// What a run of the daemon granted, or was asked for, is nothing to the next.
    @Test(arguments: [Duration.zero, .seconds(60)])
    func twoClientsAndARestart(hold: Duration) async throws {
        let limits = limits(hold: hold)
        try await withReader(limits) { server, path in
            let (first, second) = (try await client(path), try await client(path))
            let grant = try await first.request("claim", Self.claim)
            let token = try #require(grant.at("result", "token")?.string)
            try await ask(second, first)
            try await withRestart(of: server, path, limits, heardBy: first, second) { _ in
                let (first, second) = (try await client(path), try await client(path))
                #expect(try await claims(second, Self.attempt) == "ours")
                let back = #"{"reader":"magtek-B05A9C4","mode":"try","token":"\#(token)"}"#
                #expect(try await claims(first, back) == "claim.held")
                try await expectHolder(second, not: first)
            }
        }
    }

    /// What the holder asked for before is done when more than the time to retain is over. A `retain` behind it comes in time:
    /// the contest for another reader, which began later, has been lost by then.
    @Test func aRetainBehindASlowRequestKeepsTheReader() async throws {
        var limits = limits()
        limits.retain = .milliseconds(200)
        let slow = SlowBackend()
        try await withServer(limits: limits, roles: [.full], backend: slow) { server, path in
            plugIn(server)
            server.publish(Publication(reader: .sample("other"), .connect(.sample("other"))))
            let (holder, challenger) = (try await client(path), try await client(path))
            #expect(try await claims(holder) == "ours")
            holder.send(#"{"id":"slow","method":"activate","params":\#(Self.claim)}"# + "\n")
            await slow.begun()
            try await ask(challenger, holder)
            holder.send(#"{"id":\#(Self.pending),"method":"retain","params":\#(Self.claim)}"# + "\n")
            let (first, second) = (try await client(path), try await client(path))
            #expect(try await claims(first, #"{"reader":"other"}"#) == "ours")
            #expect(try await claims(second, #"{"reader":"other"}"#) == "ours")
            slow.end()
            #expect(try await answer(holder) == "ours")
            #expect(try await answer(challenger) == "claim.held")
            try await expectHolder(holder, not: challenger)
        }
    }

    // MARK: Three clients

    /// Somebody else waits already: nothing is kept for who vanished, and the third is refused before and after.
    @Test(arguments: [Duration.zero, .seconds(60)])
    func threeClientsAndTheHolderVanishes(hold: Duration) async throws {
        try await withThree(limits(hold: hold)) { _, first, second, third in
            #expect(try await claims(first) == "ours")
            try await ask(second, first)
            #expect(try await claims(third) == "claim.held")
            first.vanish()
            #expect(try await third.event("claim_released").at("data", "why") == "disconnected")
            #expect(try await answer(second) == "ours")
            #expect(try await claims(third, Self.attempt) == "claim.held")
            try await expectHolder(second, not: third)
        }
    }

    @Test func threeClientsRetainLate() async throws {
        var limits = limits()
        limits.retain = .milliseconds(1)
        try await withThree(limits) { _, first, second, third in
            #expect(try await claims(first) == "ours")
            #expect(try await claims(second) == "ours")
            #expect(try await claims(third) == "ours")
            for late in [first, second] { #expect(try await does("retain", late) == "claim.not_held") }
            #expect(try await does("retain", third) == "claim.not_contested")
            try await expectHolder(third, not: first, second)
        }
    }

    /// The first has lost the reader while the second is asked for it: that is not the first's to decide.
    @Test func threeClientsAndALateRetainDuringTheNextContest() async throws {
        try await withThree(limits()) { _, first, second, third in
            try await hand(from: first, to: second, nextAskedBy: third)
            #expect(try await does("retain", first) == "claim.not_held")
            #expect(try await does("release", second) == "ours")
            #expect(try await answer(third) == "ours")
            try await expectHolder(third, not: first, second)
        }
    }

    /// The second release comes while two others contend for what it gave back.
    @Test func threeClientsReleaseTwice() async throws {
        try await withThree(limits()) { _, first, second, third in
            try await hand(from: first, to: second, nextAskedBy: third)
            #expect(try await does("release", first) == "claim.not_held")
            #expect(try await does("retain", second) == "ours")
            #expect(try await answer(third) == "claim.held")
            try await expectHolder(second, not: first, third)
        }
    }

    @Test func threeClientsAndTheReaderIsUnplugged() async throws {
        try await withThree(limits()) { server, first, second, third in
            #expect(try await claims(first) == "ours")
            try await ask(second, first)
            #expect(try await claims(third) == "claim.held")
            server.publish(Publication(reader: .sample(), .disconnect(.unplugged)))
            for heard in [first, third] {
                #expect(try await heard.event("claim_released").at("data", "why") == "reader_gone")
            }
            #expect(try await answer(second) == "reader.gone")
            for client in [first, second, third] {
                #expect(try await claims(client) == "reader.unknown")
            }
            plugIn(server)
            await server.allSent()
            #expect(try await claims(third, Self.attempt) == "ours")
            for late in [first, second] { #expect(try await claims(late, Self.attempt) == "claim.held") }
            try await expectHolder(third, not: first, second)
        }
    }

    @Test(arguments: [Duration.zero, .seconds(60)])
    func threeClientsAndARestart(hold: Duration) async throws {
        let limits = limits(hold: hold)
        try await withReader(limits) { server, path in
            let (first, second, third) = (
                try await client(path), try await client(path), try await client(path)
            )
            let grant = try await first.request("claim", Self.claim)
            let token = try #require(grant.at("result", "token")?.string)
            try await ask(second, first)
            #expect(try await claims(third) == "claim.held")
            try await withRestart(of: server, path, limits, heardBy: first, second, third) { _ in
                let (first, second, third) = (
                    try await client(path), try await client(path), try await client(path)
                )
                #expect(try await claims(third) == "ours")
                let back = #"{"reader":"magtek-B05A9C4","mode":"try","token":"\#(token)"}"#
                #expect(try await claims(first, back) == "claim.held")
                try await ask(second, third)
                #expect(try await does("retain", third) == "ours")
                #expect(try await answer(second) == "claim.held")
                try await expectHolder(third, not: first, second)
            }
        }
    }
}
