import EventServer
import Glibc
import SwipeProtocol
import Testing

/// The Python client against the real server.
@Suite(.enabled(if: access("/usr/bin/python3", X_OK) == 0, "This test needs python3"))
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

    @Test func readsReadersAndStreams() async throws {
        let folder =
            "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/clients/python"
        try await withServer { server, path in
            server.publish(Publication(reader: .sample(), .connect(.sample())))
            let arguments = ["/usr/bin/python3", "-B", "-c", Self.script, folder, path]
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
