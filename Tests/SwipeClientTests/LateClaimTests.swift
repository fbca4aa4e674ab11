import SwipeProtocol
import Testing

@testable import SwipeClient

/// A claim that the daemon grants when its caller has given up is given back: nobody would ever release it.
@Suite(.timeLimit(.minutes(3))) struct LateClaimTests {
    /// One claim is to run into it, and nothing else: what is asked afterwards has a minute on a busy machine.
    private static let claimPatience = Duration.seconds(3)

    private func withClient(
        _ body: (SwipeClient, ScriptedDaemon.Peer) async throws -> Void
    ) async throws {
        let daemon = try ScriptedDaemon()
        let client = SwipeClient(path: daemon.path, timeout: .seconds(60))
        let connecting = Task { try await client.connect() }
        let peer = await daemon.accept()
        peer.greet(0)
        _ = try await connecting.value
        try await body(client, peer)
        client.close()
    }

    private func grant(_ request: JSONObject, _ peer: ScriptedDaemon.Peer) {
        peer.send(#"{"id":\#(request["id"]?.integer ?? 0),"result":{"reader":"r","token":"t"}}"#)
    }

    /// A claim that nobody waits for any more.
    private func lateClaim(_ client: SwipeClient, _ peer: ScriptedDaemon.Peer) async throws -> JSONObject {
        let claimed = ClaimedReader("r", client: client)
        let claiming = Task {
            try await client.link.claim(
                claimed.scope, .ask, keeping: claimed.swipes.buffer, timeout: Self.claimPatience)
        }
        let request = try await peer.request("claim")
        await #expect { try await claiming.value } throws: { ($0 as? SwipeClientError)?.code == .timedOut }
        return request
    }

    /// What the client asks for until it is known to have heard what it was told before: the answer to the first ping
    /// comes behind that, and what follows from it is asked before the second. The pings themselves are left out.
    private func requests(of client: SwipeClient, to peer: ScriptedDaemon.Peer) async throws -> [JSONObject] {
        var requests: [JSONObject] = []
        for _ in 0..<2 {
            let asking = Task { try await client.ping() }
            while true {
                let next = try await peer.anyRequest()
                peer.send(#"{"id":\#(next["id"]?.integer ?? 0),"result":{}}"#)
                if next["method"] == "ping" { break }
                requests.append(next)
            }
            try await asking.value
        }
        return requests
    }

    @Test func aGrantThatComesLateIsGivenBack() async throws {
        try await withClient { client, peer async throws in
            grant(try await lateClaim(client, peer), peer)
            let asked = try await requests(of: client, to: peer)
            #expect(asked.map { $0["method"]?.string } == ["release"], "the reader is given back, once")
            #expect(asked.first?.at("params", "reader") == "r")
        }
    }

    @Test func aRefusalThatComesLateIsNothing() async throws {
        try await withClient { client, peer async throws in
            let late = try await lateClaim(client, peer)
            peer.send(
                #"{"id":\#(late["id"]?.integer ?? 0),"error":{"code":"claim.held","message":"","retryable":true}}"#
            )
            #expect(try await requests(of: client, to: peer).isEmpty, "nothing is given back")
        }
    }

    /// The daemon grants a second claim of one connection at once: a late release would take it away again.
    @Test func aReaderThatIsClaimedAgainMeanwhileIsKept() async throws {
        try await withClient { client, peer async throws in
            let late = try await lateClaim(client, peer)
            let second = Task {
                try await client.withClaim("r") { reader async throws in try await reader.retain() }
            }
            let request = try await peer.request("claim")
            grant(late, peer)
            grant(request, peer)
            let next = try await peer.anyRequest()
            #expect(next["method"] == "retain")
            peer.send(#"{"id":\#(next["id"]?.integer ?? 0),"result":{}}"#)
            try await peer.answer("release")
            try await second.value
        }
    }
}

extension JSONObject {
    fileprivate func at(_ path: String...) -> JSONValue? {
        var value: JSONValue? = .object(self)
        for name in path { value = value?.object?[name] }
        return value
    }
}
