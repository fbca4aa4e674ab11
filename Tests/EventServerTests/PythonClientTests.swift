import EventServer
import SwipeProtocol
import TestSupport
import Testing

/// The Python client against the real server.
@Suite(.timeLimit(.minutes(5)), .enabled(if: PythonScript.isThere, "\(PythonScript.isMissing)"))
struct PythonClientTests {
    private static let script = """
        with Client(sys.argv[2]) as client:
            print(client.hello["protocol"], [reader["id"] for reader in client.readers()])
            try:
                client.request("activate", reader="nope")
            except SwipedError as error:
                print(error.code, error.retryable)
            print(len(client.claim("magtek-B05A9C4")))
            stream = client.events()
            for event in stream:
                print(event.event, event.seq, event.reader, event.data)
                break
        """

    @Test func readsReadersAndStreams() async throws {
        try await withServer { server, path in
            server.publish(Publication(reader: .sample(), .connect(.sample())))
            async let output = PythonScript.run(Self.script, path)
            let watcher = try TestClient(path: path)
            // The script has subscribed when it holds the claim and two connections are there; then it hears this.
            while try await watcher.request("readers").at("result", "readers")?.array?.first?.object?[
                "claimed_by"] == nil
            {}
            for _ in 0..<200 { server.publish(Publication(reader: .sample(), .ready(expiresAt: nil))) }
            while try await watcher.request("stats").at("result", "server", "events_delivered") == 0 {
                server.publish(Publication(reader: .sample(), .ready(expiresAt: nil)))
            }
            let lines = await output.split(separator: "\n").map(String.init)
            #expect(lines.prefix(3) == ["swipe/1 ['magtek-B05A9C4']", "reader.unknown False", "16"])
            #expect(lines.last?.hasPrefix("ready ") == true)
            #expect(lines.last?.hasSuffix(" magtek-B05A9C4 {'expires_at': None}") == true)
        }
    }

    /// A claim is given back while the object is still there.
    @Test func closeEndsTheConnection() async throws {
        let script = """
            holder, watcher = Client(sys.argv[2]), Client(sys.argv[2])
            watcher.subscribe("claim_released")
            holder.claim("magtek-B05A9C4")
            holder.close()
            print(watcher.next_event().data["why"], holder.hello["protocol"])
            """
        try await withServer { server, path in
            server.publish(Publication(reader: .sample(), .connect(.sample())))
            let output = await PythonScript.run(script, path)
            #expect(output == "released swipe/1\n")
        }
    }

    /// The token of a claim takes the reader back after a broken connection, with the swipe that was kept meanwhile.
    @Test func aTokenTakesTheReaderBack() async throws {
        let script = """
            watcher, till = Client(sys.argv[2]), Client(sys.argv[2])
            watcher.subscribe("swipe")
            token = till.claim("magtek-B05A9C4")
            till._socket.shutdown(2)  # the connection breaks: close() would give the reader back
            watcher.next_event()
            till = Client(sys.argv[2])
            print(till.claim("magtek-B05A9C4", token=token) == token, till.next_event().event)
            """
        var limits = ServerLimits()
        limits.swipeHold = .seconds(600)
        try await withServer(limits: limits) { server, path in
            server.publish(Publication(reader: .sample(), .connect(.sample())))
            async let output = PythonScript.run(script, path)
            let observer = try TestClient(path: path)
            while try await observer.request("readers").at("result", "readers")?.array?.first?.object?
                .at("claimed_by", "connection") != 0
            {}
            server.publish(Publication(reader: .sample(), .swipe(SwipeData(tracks: []))))
            #expect(await output == "True swipe\n")
        }
    }

    /// What one client sees before it asks for a barrier, the other has seen happen: it is there when the answer is.
    @Test func whatHappenedBeforeABarrierIsThere() async throws {
        let script = """
            watcher, holder = Client(sys.argv[2]), Client(sys.argv[2])
            watcher.subscribe("claim_released")
            for _ in range(3):
                holder.claim("magtek-B05A9C4")
                holder.release("magtek-B05A9C4")
            watcher.barrier()
            watcher.close()
            print([watcher.next_event().data["why"] for _ in range(3)])
            """
        try await withServer { server, path in
            server.publish(Publication(reader: .sample(), .connect(.sample())))
            #expect(await PythonScript.run(script, path) == "['released', 'released', 'released']\n")
        }
    }

    /// Also where the daemon keeps readers for those whose connection broke.
    @Test func whoClosesGivesItsReaderBack() async throws {
        let script = """
            with Client(sys.argv[2]) as client:
                client.claim("magtek-B05A9C4")
            Client(sys.argv[2]).claim("magtek-B05A9C4", mode="try")
            print("free")
            """
        var limits = ServerLimits()
        limits.swipeHold = .seconds(600)
        try await withServer(limits: limits) { server, path in
            server.publish(Publication(reader: .sample(), .connect(.sample())))
            #expect(await PythonScript.run(script, path) == "free\n")
        }
    }

    @Test func aHolderRetainsItsReader() async throws {
        let script = """
            import threading
            holder, challenger = Client(sys.argv[2]), Client(sys.argv[2])

            def ask():
                try:
                    challenger.claim("magtek-B05A9C4")
                except SwipedError as error:
                    print(error.code)

            holder.claim("magtek-B05A9C4")
            asking = threading.Thread(target=ask)
            asking.start()
            print(holder.next_event().event)
            holder.retain("magtek-B05A9C4")
            asking.join()
            """
        var limits = ServerLimits()
        limits.retain = .seconds(600)
        try await withServer(limits: limits) { server, path in
            server.publish(Publication(reader: .sample(), .connect(.sample())))
            #expect(await PythonScript.run(script, path) == "claim_requested\nclaim.held\n")
        }
    }
}
