import Glibc
import SwipeClient
import SwipeProtocol
import Testing

/// What a client does with a daemon that says what it does not know, or that has no use for it now.
@Suite(.timeLimit(.minutes(5))) struct StrangeDaemonTests {
    private typealias Peer = ScriptedDaemon.Peer

    private static let ready = #"{"expires_at":null}"#

    /// A stream that has had event 1; its connection then broke.
    private func withInterruption(
        _ body: (ScriptedDaemon, EventStream) async throws -> Void
    ) async throws {
        let daemon = try ScriptedDaemon()
        let client = SwipeClient(path: daemon.path)
        let stream = client.events()
        let first = Task { try await stream.nextArrival()?.event.sequence }
        let peer = await daemon.accept()
        peer.greet(0)
        try await peer.answer("subscribe", #"{"seq":0,"readers":[]}"#)
        peer.event("ready", 1, Self.ready)
        #expect(try await first.value == 1)
        peer.leave()
        try await body(daemon, stream)
        client.close()
    }

    private func bye(_ code: String, _ peer: Peer) {
        peer.send(
            #"{"event":"bye","time":"2026-01-31T09:30:00.123456Z","mono_ns":1,"data":{"code":"\#(code)"}}"#)
    }

    /// The next connection is of use: the stream goes on there.
    private func expectGoingOn(_ daemon: ScriptedDaemon, _ stream: EventStream) async throws {
        let peer = await daemon.accept()
        peer.greet(1)
        let request = try await peer.answer("subscribe", #"{"seq":1}"#)
        #expect(request["params"]?.object?["since"]?.object?["seq"] == 1)
        peer.event("ready", 2, Self.ready)
        #expect(try await stream.nextArrival()?.event.sequence == 2)
    }

    @Test(
        arguments: [
            ("unready", #"{"reason":"word"}"#), ("gap", #"{"from":1,"to":1,"reason":"word"}"#),
            (
                "connect",
                #"{"id":"r","kind":"k","model":"m","serial":null,"bus":"word","encryption":"word","state":"word","#
                    + #""is_connected":true,"is_activated":false,"is_ready_for_swipe":false,"attachment":1}"#
            ),
            ("swipe", #"{"card":null,"tracks":[{"track":1,"status":"word"}],"quality":{"hint":"word"}}"#),
            ("word", "{}"),
        ])
    func aStreamOutlivesAWordThatItDoesNotKnow(_ name: String, _ data: String) async throws {
        let daemon = try ScriptedDaemon()
        let client = SwipeClient(path: daemon.path)
        let stream = client.events()
        let first = Task { try await stream.nextArrival()?.event.name }
        let peer = await daemon.accept()
        peer.greet(0)
        try await peer.answer("subscribe", #"{"seq":0,"readers":[]}"#)
        peer.event(name, 1, data)
        #expect(try await first.value == name)
        peer.event("ready", 2, Self.ready)
        #expect(try await stream.nextArrival()?.event.sequence == 2)
        client.close()
    }

    @Test func aReaderInAStateOfTomorrowIsTold() async throws {
        let daemon = try ScriptedDaemon()
        let client = SwipeClient(path: daemon.path)
        let stream = client.events()
        let first = Task { try await stream.nextArrival()?.event.reader }
        let peer = await daemon.accept()
        peer.greet(0)
        try await peer.answer(
            "subscribe",
            #"{"seq":0,"readers":[{"id":"r","kind":"k","model":"m","serial":null,"bus":"word","encryption":"word","#
                + #""state":"word","is_connected":true,"is_activated":true,"is_ready_for_swipe":true,"attachment":1}]}"#
        )
        #expect(try await first.value == "r")
        client.close()
    }

    /// It is not asked again and again for what it cannot say.
    @Test func anotherVersionEndsTheStream() async throws {
        try await withInterruption { daemon, stream async throws in
            await daemon.accept().send(#"{"hello":{"protocol":"swipe/2"}}"#)
            await #expect { try await stream.nextArrival() } throws: { error in
                (error as? SwipeClientError)?.code == .protocolError && "\(error)".contains("swipe/2")
            }
        }
    }

    /// What was not understood is told, and nothing of a card with it.
    @Test func aLineThatIsNotUnderstoodEndsTheStream() async throws {
        try await withInterruption { daemon, stream async throws in
            let peer = await daemon.accept()
            peer.greet(1)
            try await peer.answer("subscribe", #"{"seq":1}"#)
            peer.event("swipe", 2, #"{"card":{"kind":"payment","name":["6011000990139424"]},"tracks":[]}"#)
            await #expect { try await stream.nextArrival() } throws: { error in
                (error as? SwipeClientError)?.code == .protocolError
                    && "\(error)".contains("card: name: not a string") && !"\(error)".contains("6011")
            }
        }
    }

    /// All tills come back at once after a restart: for a moment the daemon may be full.
    @Test(arguments: ["too_many", "shutdown", "word"])
    func aDaemonThatTakesNobodyNowIsTriedAgain(_ code: String) async throws {
        try await withInterruption { daemon, stream async throws in
            for _ in 0..<3 {
                let peer = await daemon.accept()
                bye(code, peer)
                peer.leave()
            }
            try await expectGoingOn(daemon, stream)
        }
    }

    @Test func aRoleThatIsGoneEndsTheStream() async throws {
        try await withInterruption { daemon, stream async throws in
            bye("denied", await daemon.accept())
            await #expect { try await stream.nextArrival() } throws: {
                ($0 as? SwipeClientError)?.code == .denied
            }
        }
    }

    /// A claim that was being made again when the daemon said that is not lost with it.
    @Test func aFullDaemonCostsNoClaim() async throws {
        let daemon = try ScriptedDaemon()
        let client = SwipeClient(path: daemon.path)
        let claiming = Task {
            try await client.withClaim("r") { try await $0.nextSwipe() }
        }
        var peer = await daemon.accept()
        peer.greet(0)
        try await peer.answer("claim", #"{"reader":"r","token":"t"}"#)
        try await peer.answer("subscribe", #"{"seq":0,"readers":[]}"#)
        peer.leave()
        peer = await daemon.accept()
        peer.greet(0)
        try await peer.answer("subscribe", #"{"seq":0}"#)
        _ = try await peer.request("claim")
        bye("too_many", peer)
        peer.leave()
        peer = await daemon.accept()
        peer.greet(0)
        try await peer.answer("subscribe", #"{"seq":0}"#)
        let claim = try await peer.answer("claim", #"{"reader":"r","token":"t"}"#)
        #expect(claim["params"]?.object?["token"] == "t")
        peer.event("swipe", 1, #"{"card":null,"tracks":[]}"#)
        try await peer.answer("release")
        #expect(try await claiming.value == SwipeData(tracks: []))
        client.close()
    }

    @Test(arguments: [("too_many", SwipeClientError.Code.tooManyConnections), ("denied", .denied)])
    func aFirstConnectionThatIsRefusedSaysSo(_ code: String, _ expected: SwipeClientError.Code) async throws {
        let daemon = try ScriptedDaemon()
        let client = SwipeClient(path: daemon.path)
        let connecting = Task { try await client.connect() }
        bye(code, await daemon.accept())
        await #expect { try await connecting.value } throws: { ($0 as? SwipeClientError)?.code == expected }
    }

    /// A daemon that ends each connection as soon as it is made is asked ever more rarely.
    @Test func connectionsThatBringNothingComeLessOften() async throws {
        try await withInterruption { daemon, stream async throws in
            let clock = ContinuousClock()
            let beginning = clock.now
            for _ in 0..<5 {
                let peer = await daemon.accept()
                peer.greet(1)
                try await peer.answer("subscribe", #"{"seq":1}"#)
                bye("slow_client", peer)
                peer.leave()
            }
            try await expectGoingOn(daemon, stream)
            // What has to pass between the first and the sixth of them: it cannot be less.
            #expect(clock.now - beginning >= .milliseconds(100 + 200 + 400 + 800 + 1_600))
        }
    }

    @Test func pausesDoubleUpToALimitAndBeginAnew() {
        var backoff = Backoff()
        #expect((0..<9).map { _ in backoff.next() } == [50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000])
        backoff.reset()
        #expect(backoff.next() == 50)
    }
}
