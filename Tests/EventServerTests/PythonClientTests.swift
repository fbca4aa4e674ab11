import EventServer
import Glibc
import SwipeProtocol
import Testing

/// The Python client against the real server.
@Suite(
    .timeLimit(.minutes(5)), .enabled(if: access("/usr/bin/python3", X_OK) == 0, "This test needs python3"))
struct PythonClientTests {
    private static let script = """
        import sys
        sys.path.insert(0, sys.argv[1])
        from swiped import Client, SwipedError
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

    private static let folder =
        "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/clients/python"

    @Test func readsReadersAndStreams() async throws {
        try await withServer { server, path in
            server.publish(Publication(reader: .sample(), .connect(.sample())))
            let arguments = ["/usr/bin/python3", "-B", "-c", Self.script, Self.folder, path]
            async let output = run(arguments)
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
            import signal, sys
            sys.path.insert(0, sys.argv[1])
            from swiped import Client
            signal.alarm(240)
            holder, watcher = Client(sys.argv[2]), Client(sys.argv[2])
            watcher.subscribe("claim_released")
            holder.claim("magtek-B05A9C4")
            holder.close()
            print(watcher.next_event().data["why"], holder.hello["protocol"])
            """
        try await withServer { server, path in
            server.publish(Publication(reader: .sample(), .connect(.sample())))
            let output = await run(["/usr/bin/python3", "-B", "-c", script, Self.folder, path])
            #expect(output == "disconnected swipe/1\n")
        }
    }

    /// The token of a claim takes the reader back after a broken connection, with the swipe that was kept meanwhile.
    @Test func aTokenTakesTheReaderBack() async throws {
        let script = """
            import signal, sys
            sys.path.insert(0, sys.argv[1])
            from swiped import Client
            signal.alarm(240)
            watcher, till = Client(sys.argv[2]), Client(sys.argv[2])
            watcher.subscribe("swipe")
            token = till.claim("magtek-B05A9C4")
            till.close()
            watcher.next_event()
            till = Client(sys.argv[2])
            print(till.claim("magtek-B05A9C4", token=token) == token, till.next_event().event)
            """
        var limits = ServerLimits()
        limits.swipeHold = .seconds(600)
        try await withServer(limits: limits) { server, path in
            server.publish(Publication(reader: .sample(), .connect(.sample())))
            async let output = run(["/usr/bin/python3", "-B", "-c", script, Self.folder, path])
            let observer = try TestClient(path: path)
            while try await observer.request("readers").at("result", "readers")?.array?.first?.object?
                .at("claimed_by", "connection") != 0
            {}
            server.publish(Publication(reader: .sample(), .swipe(SwipeData(tracks: []))))
            #expect(await output == "True swipe\n")
        }
    }

    /// A daemon of a few lines: `serve` is called with each connection's lines, greeted, and how to send one.
    private static let daemon = """
        import json, os, signal, socket, sys, tempfile, threading
        sys.path.insert(0, sys.argv[1])
        from swiped import Client, SwipedError
        signal.alarm(240)
        path = tempfile.mkdtemp() + "/s.sock"
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen()

        def greet():
            peer = listener.accept()[0]
            def send(message): peer.sendall(json.dumps(message).encode() + b"\\n")
            send({"hello": {"protocol": "swipe/1", "instance": "i", "seq": 4}})
            requests = map(json.loads, peer.makefile())
            return peer, requests, send

        def event(seq):
            return {"event": "ready", "seq": seq, "time": "", "mono_ns": 1, "data": {}}

        def start(serve): threading.Thread(target=serve, daemon=True).start()

        """

    /// The connection is of use after a request that was not answered in time; the late answer is passed over.
    @Test func outlivesATimeLimit() async throws {
        let script =
            Self.daemon + """
                def serve():
                    peer, requests, send = greet()
                    first, second = next(requests), next(requests)
                    send({"id": first["id"], "result": {"readers": ["late"]}})
                    send({"id": second["id"], "result": {"readers": ["in time"]}})
                    next(requests)

                start(serve)
                client = Client(path, timeout=0.2)
                try:
                    client.readers()
                except SwipedError as error:
                    print(error.code, error.retryable)
                print(client.readers())
                """
        let output = await run(["/usr/bin/python3", "-B", "-c", script, Self.folder])
        #expect(output == "timed_out True\n['in time']\n")
    }

    @Test func goesOnWhereItWasInterrupted() async throws {
        let script =
            Self.daemon + """
                def serve():
                    for seq in (5, 6):
                        peer, requests, send = greet()
                        request = next(requests)
                        print(request["params"], flush=True)
                        send({"id": request["id"], "result": {"seq": 4}})
                        send(event(seq))
                        peer.shutdown(socket.SHUT_RDWR)

                start(serve)
                for event_received in Client(path).events("ready", readers=[], reconnect=True):
                    print(event_received.seq, flush=True)
                    if event_received.seq == 6:
                        break
                """
        let lines = await run(["/usr/bin/python3", "-B", "-c", script, Self.folder])
        #expect(
            lines == """
                {'events': ['ready'], 'readers': []}
                5
                {'events': ['ready'], 'readers': [], 'since': {'instance': 'i', 'seq': 5}}
                6

                """)
    }

    /// What a program prints, standard error too.
    private func run(_ arguments: [String]) async -> String {
        await withCheckedContinuation { continuation in
            onThread {
                let quoted = arguments.map {
                    "'"
                        + $0.split(separator: "'", omittingEmptySubsequences: false).joined(
                            separator: "'\\''") + "'"
                }
                guard let pipe = popen(quoted.joined(separator: " ") + " 2>&1", "r") else {
                    return continuation.resume(returning: "popen: errno \(errno)")
                }
                var bytes: [UInt8] = []
                var chunk = [UInt8](repeating: 0, count: 4_096)
                while case let count = fread(&chunk, 1, chunk.count, pipe), count > 0 {
                    bytes += chunk[..<count]
                }
                pclose(pipe)
                continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
            }
        }
    }
}
