import EventServer
import Glibc
import SwipeProtocol
import Testing

/// What docs/protocol.md says of the cases that are easily left open.
@Suite(.timeLimit(.minutes(5))) struct LittleThingsTests {
    /// A last line counts without its end, once it is known that it is the last.
    @Test func anUnfinishedLastLineCountsWhenTheSendingSideIsShut() async throws {
        try await withServer { _, path in
            let client = try TestClient(path: path)
            _ = try await client.message()
            client.send(#"{"id":1,"method":"ping"}"# + "\n" + #"{"id":2,"method":"ping"}"#)
            #expect(try await client.line() == #"{"id":1,"result":{}}"#)
            client.shutdownWrite()
            #expect(try await client.line() == #"{"id":2,"result":{}}"#)
            #expect(try await client.line() == nil)
        }
    }

    @Test(arguments: [
        #"{"id":1,"method":"ping","params":null}"#, #"{"id":1,"method":"unsubscribe","params":null}"#,
    ]) func nullIsAsGoodAsLeftOut(_ line: String) async throws {
        try await withServer { _, path in
            let client = try TestClient(path: path)
            _ = try await client.message()
            client.send(line + "\n")
            #expect(try await client.line() == #"{"id":1,"result":{}}"#)
            let members = #"{"events":null,"readers":null,"snapshot":null,"since":null}"#
            #expect(try await client.request("subscribe", members).at("result", "seq") == 0)
        }
    }

    /// A till may start before its reader is plugged in.
    @Test func aSubscriptionMayNameReadersThatAreYetToCome() async throws {
        try await withServer { server, path in
            let client = try TestClient(path: path)
            let wanted = #"{"readers":["later","magtek-B05A9C4"],"snapshot":true}"#
            server.publish(Publication(reader: .sample(), .connect(.sample())))
            await server.allSent()
            let answer = try await client.request("subscribe", wanted)
            #expect(answer.at("result", "readers")?.array?.count == 1)
            server.publish(Publication(reader: .sample("other"), .connect(.sample("other"))))
            server.publish(Publication(reader: .sample("later"), .connect(.sample("later"))))
            #expect(try await client.message()["reader"] == "later")
        }
    }

    /// Who claims what it holds keeps it, as with `retain`.
    @Test func theHolderThatClaimsAgainKeepsTheReader() async throws {
        var limits = ServerLimits()
        limits.retain = .seconds(60)
        try await withServer(limits: limits, roles: [.masked]) { server, path in
            server.publish(Publication(reader: .sample(), .connect(.sample())))
            let (holder, other) = (try TestClient(path: path), try TestClient(path: path))
            let claim = #"{"reader":"magtek-B05A9C4"}"#
            let token = try await holder.request("claim", claim).at("result", "token")
            #expect(token != nil)
            #expect(try await holder.request("claim", claim).at("result", "token") == token)
            _ = try await other.message()
            other.send(#"{"id":7,"method":"claim","params":\#(claim)}"# + "\n")
            _ = try await holder.event("claim_requested")
            #expect(try await holder.request("claim", claim).at("result", "token") == token)
            #expect(try await other.message().at("error", "code") == "claim.held")
            #expect(try await holder.request("retain", claim).at("error", "code") == "claim.not_contested")
        }
    }

    /// While a reader is kept, its token tells the claimant from other programs of the same user.
    @Test func theSameUserNeedsTheTokenWhileAReaderIsKept() async throws {
        var limits = ServerLimits()
        limits.swipeHold = .seconds(600)
        try await withServer(limits: limits, roles: [.masked]) { server, path in
            server.publish(Publication(reader: .sample(), .connect(.sample())))
            let (holder, same) = (try TestClient(path: path), try TestClient(path: path))
            let token = try #require(
                try await holder.request("claim", #"{"reader":"magtek-B05A9C4"}"#).at("result", "token")?
                    .string)
            holder.vanish()
            _ = try await holder.rest()
            while try await same.request("readers").at("result", "readers")?.array?.first?.object?
                .at("claimed_by", "connection") != 0
            {}
            for wrong in ["", #","token":"5f0c""#] {
                let reply = try await same.request("claim", #"{"reader":"magtek-B05A9C4"\#(wrong)}"#)
                #expect(reply.at("error", "code") == "claim.held")
            }
            let right = #"{"reader":"magtek-B05A9C4","token":"\#(token)"}"#
            #expect(try await same.request("claim", right).at("result", "token")?.string == token)
        }
    }
}
