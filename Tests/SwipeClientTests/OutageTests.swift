import EventServer
import Glibc
import SwipeClient
import SwipeProtocol
import TestSupport
import Testing

/// What a caller hears while the daemon is away.
@Suite(.timeLimit(.minutes(5))) struct OutageTests {
    private let reader = ReaderInfo(
        id: "magtek-B05A9C4", kind: "magtek", model: "Dynamag", bus: .usb, state: .ready)

    /// A client whose stream, which goes with the closure, has had event 1; what happens to its connection is told.
    private func withStream(
        timeout: Duration,
        _ body: (SwipeClient, ScriptedDaemon, ScriptedDaemon.Peer, AsyncStream<Interruption>) async throws
            -> Void
    ) async throws {
        let daemon = try ScriptedDaemon()
        let (news, told) = AsyncStream<Interruption>.makeStream()
        let client = SwipeClient(path: daemon.path, timeout: timeout) { told.yield($0) }
        let stream = client.events()
        let first = Task { try await stream.nextArrival()?.event.sequence }
        let peer = await daemon.accept()
        peer.greet(0)
        try await peer.answer("subscribe", #"{"seq":0,"readers":[]}"#)
        peer.event("ready", 1, #"{"expires_at":null}"#)
        #expect(try await first.value == 1)
        try await body(client, daemon, peer, news)
        client.close()
        withExtendedLifetime(stream) {}
    }

    /// A client whose daemon has gone, and lets it in, and never greets again.
    private func withOutage(
        timeout: Duration = .seconds(30), _ body: (SwipeClient) async throws -> Void
    ) async throws {
        try await withStream(timeout: timeout) { client, daemon, peer, _ async throws in
            peer.leave()
            let mute = await daemon.accept()
            try await body(client)
            withExtendedLifetime(mute) {}
        }
    }

    /// Its answer went with the connection, and there is no other yet that could tell the client so.
    @Test func aRequestThatWasMadeIsOverWithItsConnection() async throws {
        try await withStream(timeout: .seconds(60)) { client, _, peer, _ async throws in
            let asking = Task { try await client.ping() }
            _ = try await peer.request("ping")
            peer.leave()
            await #expect { try await asking.value } throws: {
                ($0 as? SwipeClientError)?.code == .connectionLost
            }
        }
    }

    /// Nobody lets the client in: all of its time goes into the pauses between its attempts.
    @Test func aRequestIsOverInTimeBetweenTwoAttempts() async throws {
        try await withStream(timeout: .milliseconds(300)) { client, daemon, peer, news async throws in
            unlink(daemon.path)
            peer.leave()
            for await _ in news { break }
            await #expect { try await client.ping() } throws: { ($0 as? SwipeClientError)?.code == .timedOut }
        }
    }

    /// The pauses are told, so that no clock is needed: events 1 and 2 are news once, and then no more.
    @Test func pausesBeginAnewAfterAConnectionOfUse() async throws {
        try await withStream(timeout: .seconds(60)) { _, daemon, first, news async throws in
            first.leave()
            for sequence in [1, 1, 2, 2] {
                let peer = await daemon.accept()
                peer.greet(sequence)
                try await peer.answer("subscribe", #"{"seq":1}"#)
                peer.event("ready", sequence, #"{"expires_at":null}"#)
                peer.leave()
            }
            var pauses: [Int] = []
            for await case .began(let pause) in news {
                pauses.append(pause)
                if pauses.count == 5 { break }
            }
            #expect(pauses == [50, 100, 200, 50, 100])
        }
    }

    @Test func aRequestIsOverInTime() async throws {
        try await withOutage(timeout: .milliseconds(300)) { client async throws in
            await #expect { try await client.ping() } throws: { ($0 as? SwipeClientError)?.code == .timedOut }
        }
    }

    @Test func aRequestThatIsCancelledIsLetGo() async throws {
        try await withOutage(timeout: .seconds(3_600)) { client async throws in
            let asking = Task { try await client.ping() }
            asking.cancel()
            await #expect { try await asking.value } throws: {
                ($0 as? SwipeClientError)?.code == .cancelled
            }
        }
    }

    @Test func aConsumerThatIsCancelledIsLetGo() async throws {
        try await withOutage { client async throws in
            let consumer = Task { try await client.events([.ready]).first { _ in true } }
            consumer.cancel()
            let event = try await consumer.value
            #expect(event == nil)
        }
    }

    @Test func aClaimIsForgotten() async throws {
        let (interruptions, began) = AsyncStream<Void>.makeStream()
        let folder = try temporaryFolder()
        let server = try await start(folder, instance: "first", roles: [.full])
        server.publish(Publication(reader: reader, .connect(reader)))
        let client = SwipeClient(path: folder + "/s.sock") { _ in began.yield() }
        try await client.withClaim(reader.id) { _ async throws in
            await server.stop()
            for await _ in interruptions { break }
        }
    }

    /// As many wait to be let in as the socket takes.
    @Test func aDaemonThatLetsNobodyInIsNoneInTime() async throws {
        let daemon = try ScriptedDaemon(backlog: 0)
        let others = daemon.fillUp()
        let client = SwipeClient(path: daemon.path, timeout: .milliseconds(300))
        await #expect { try await client.connect() } throws: { ($0 as? SwipeClientError)?.code == .timedOut }
        client.close()
        withExtendedLifetime(others) {}
    }

    /// Requests that go on keep the connection moving past a consumer that takes nothing: what waits for it has a limit.
    @Test func aConsumerThatTakesNothingWhileRequestsGoOnLosesItsStream() async throws {
        let daemon = try ScriptedDaemon()
        let client = SwipeClient(path: daemon.path, timeout: .seconds(3_600))
        let stream = client.events([.ready])
        let first = Task { try await stream.nextArrival()?.event.sequence }
        let peer = await daemon.accept()
        peer.greet(0)
        try await peer.answer("subscribe", #"{"seq":0,"readers":[]}"#)
        peer.event("ready", 1, #"{"expires_at":null}"#)
        #expect(try await first.value == 1)
        let asking = Task { try await client.ping() }
        let ping = try await peer.request("ping")
        let limit = 16_384
        await onThread {
            for number in 2...(limit + 2) { peer.event("ready", number, #"{"expires_at":null}"#) }
        }
        _ = try await peer.request("unsubscribe")
        var taken = 0
        await #expect {
            while try await stream.nextArrival() != nil { taken += 1 }
        } throws: {
            ($0 as? SwipeClientError)?.code == .tooSlow
        }
        #expect(taken == limit)
        peer.send(#"{"id":\#(ping["id"]?.integer ?? 0),"result":{}}"#)
        try await asking.value
        client.close()
    }

    /// A consumer that leaves with more waiting than its stream holds takes nobody with it.
    @Test func aConsumerThatLeavesHoldsNobodyUp() async throws {
        try await withServer { server, path async throws in
            server.publish(Publication(reader: reader, .connect(reader)))
            let client = SwipeClient(path: path)
            var other = client.events([.connect, .unready]).makeAsyncIterator()
            #expect(try await other.next()?.body == .connect(reader))
            let connection = try #require(clientSockets(to: path).first)
            let watcher = SwipeClient(path: path)
            for try await _ in client.events([.connect, .ready, .swipeStart]) {
                // The connection's thread stands still when so much is not read.
                while unreadBytes(connection) < 20_000 {
                    for _ in 0..<100 { server.publish(Publication(reader: reader, .swipeStart)) }
                    try await watcher.ping()
                }
                break
            }
            server.publish(Publication(reader: reader, .unready(.cancelled)))
            while let event = try await other.next() { if event.body == .unready(.cancelled) { break } }
        }
    }
}
