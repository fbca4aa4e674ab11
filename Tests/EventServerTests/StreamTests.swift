import EventServer
import SwipeProtocol
import Testing

@Suite(.timeLimit(.minutes(5))) struct StreamTests {
    @Test func greetsWithoutBeingAsked() async throws {
        try await withServer { _, path in
            let hello = try await TestClient(path: path).message()
            #expect(hello.at("hello", "protocol") == "swipe/1")
            #expect(hello.at("hello", "seq") == 0)
            #expect(hello.at("hello", "you", "roles") == ["full", "admin"])
            #expect(hello.at("hello", "limits", "line_in") == 16384)
        }
    }

    @Test func snapshotAndStreamAreGapless() async throws {
        try await withServer { server, path in
            let client = try TestClient(path: path)
            server.publish(Publication(reader: .sample(), .connect(.sample())))
            // The loop takes both in order: the snapshot comes after the event above.
            _ = try await client.message()
            server.publish(Publication(reader: .sample(), .ready(expiresAt: nil)))
            let reply = try await client.request("subscribe", #"{"events":["*"],"snapshot":true}"#)
            let start = try #require(reply.at("result", "seq")?.integer)
            #expect(reply.at("result", "readers")?.array?.first?.object?["id"] == "magtek-B05A9C4")
            for _ in 0..<5 { server.publish(Publication(reader: .sample(), .swipeStart)) }
            for expected in (start + 1)...(start + 5) {
                #expect(try await client.message()["seq"]?.integer == expected)
            }
        }
    }

    /// Who asks for the first time is answered while the loop reads sockets, before it takes what another thread has published:
    /// but for a barrier, and what is asked behind it.
    @Test func aBarrierIsAnsweredBehindWhatWasPublishedBefore() async throws {
        try await withServer { server, path in
            let barrier = #"{"id":7,"method":"barrier"}"# + "\n" + #"{"id":8,"method":"subscribe"}"# + "\n"
            for number in 1...200 {
                let client = try TestClient(path: path)
                _ = try await client.message()
                server.publish(Publication(reader: .sample(), .swipeStart))
                client.send(barrier)
                #expect(try await client.message()["id"] == 7)
                #expect(try await client.message().at("result", "seq")?.integer == Int64(number))
            }
        }
    }

    @Test func stopSaysByeAndCloses() async throws {
        try await withServer { server, path in
            let clients = try (0..<20).map { _ in try TestClient(path: path) }
            for client in clients { _ = try await client.message() }
            await server.stop()
            for client in clients {
                let lines = try await client.rest()
                #expect(lines.count == 1)
                #expect(lines.first?.contains(#""event":"bye""#) == true)
                #expect(lines.first?.contains(#""code":"shutdown""#) == true)
            }
        }
    }

    @Test func controlsAreAnsweredInOrder() async throws {
        try await withServer { server, path in
            server.publish(Publication(reader: .sample(), .connect(.sample())))
            let client = try TestClient(path: path)
            _ = try await client.message()
            for id in 1...50 {
                let method = id.isMultiple(of: 2) ? "ping" : "activate"
                let parameters = id.isMultiple(of: 2) ? "{}" : #"{"reader":"magtek-B05A9C4"}"#
                client.send("{\"id\":\(id),\"method\":\"\(method)\",\"params\":\(parameters)}\n")
            }
            for id in 1...50 { #expect(try await client.message()["id"]?.integer == Int64(id)) }
        }
    }

    /// Whoever has said all they wanted, as `socat` does at the end of its input, still gets every answer.
    @Test func whatWasSentBeforeTheEndIsAnswered() async throws {
        try await withServer { server, path in
            server.publish(Publication(reader: .sample(), .connect(.sample())))
            let client = try TestClient(path: path)
            _ = try await client.message()
            for id in 1...3 {
                client.send(
                    #"{"id":\#(id),"method":"activate","params":{"reader":"magtek-B05A9C4"}}"# + "\n")
            }
            client.send(#"{"id":4,"method":"ping"}"#)
            client.shutdownWrite()
            for id in 1...4 { #expect(try await client.message()["id"]?.integer == Int64(id)) }
            #expect(try await client.line() == nil)
        }
    }
}
