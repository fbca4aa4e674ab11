import SwipeClient
import SwipeProtocol
import Testing

/// What a client makes of a claim's end when it comes at an awkward moment.
@Suite(.timeLimit(.minutes(3))) struct ClaimOrderTests {
    private static let grant = #"{"reader":"r","token":"t"}"#
    /// A claim that ended, of that connection; a client's own is 1 here.
    private func released(_ why: String, of connection: Int) -> String {
        #"{"why":"\#(why)","holder":{"uid":1,"pid":2,"connection":\#(connection)}}"#
    }

    private func claim(
        _ body: @escaping @Sendable (ClaimedReader) async throws -> SwipeData?
    ) async throws -> (ScriptedDaemon, ScriptedDaemon.Peer, Task<SwipeData?, any Error>) {
        let daemon = try ScriptedDaemon()
        let client = SwipeClient(path: daemon.path)
        let claiming = Task { try await client.withClaim("r", body) }
        let peer = await daemon.accept()
        peer.greet(0)
        return (daemon, peer, claiming)
    }

    private func expectLoss(_ claiming: Task<SwipeData?, any Error>, _ words: String) async {
        await #expect {
            try await claiming.value
        } throws: { error in
            (error as? SwipeClientError)?.code == .claimLost && "\(error)".contains(words)
        }
    }

    @Test func aClaimCanBeOverBeforeItsClosureBegins() async throws {
        let (_, peer, claiming) = try await claim { try await $0.nextSwipe() }
        let request = try await peer.request("claim")
        let answer = #"{"id":\#(request["id"]?.integer ?? 0),"result":\#(Self.grant)}"#
        peer.event("claim_released", 1, released("taken", of: 1), after: answer)
        await expectLoss(claiming, "another client has")
    }

    /// A reason of tomorrow is the end of a claim all the same.
    @Test func aClaimThatEndedForAnUnknownReasonIsLost() async throws {
        let (_, peer, claiming) = try await claim { try await $0.nextSwipe() }
        try await peer.answer("claim", Self.grant)
        peer.event("claim_released", 1, released("weather", of: 1))
        await expectLoss(claiming, "ended")
    }

    @Test func theEndOfAnothersClaimIsNotOurs() async throws {
        let (_, peer, claiming) = try await claim { try await $0.nextSwipe() }
        try await peer.answer("claim", Self.grant)
        try await peer.answer("subscribe", #"{"seq":0,"readers":[]}"#)
        peer.event("claim_released", 1, released("taken", of: 2))
        peer.event("swipe", 2, #"{"card":null,"tracks":[]}"#)
        #expect(try await peer.anyRequest()["method"] == "unsubscribe")
        try await peer.answer("release")
        #expect(try await claiming.value == SwipeData(tracks: []))
    }

    /// The claim that is being made again when its closure ends is granted, and then has nobody here.
    @Test func aClaimThatIsBeingMadeAgainIsGivenBack() async throws {
        let (asked, isAsked) = AsyncStream<Void>.makeStream()
        let (daemon, first, claiming) = try await claim { claimed in
            for await _ in asked { break }
            return nil
        }
        try await first.answer("claim", Self.grant)
        first.leave()
        let second = await daemon.accept()
        second.greet(0)
        let claim = try await second.request("claim")
        isAsked.yield()
        let release = try await second.anyRequest()
        #expect(release["method"] == "release")
        second.send(#"{"id":\#(claim["id"]?.integer ?? 0),"result":\#(Self.grant)}"#)
        second.send(#"{"id":\#(release["id"]?.integer ?? 0),"result":{}}"#)
        #expect(try await claiming.value == nil)
    }
}
