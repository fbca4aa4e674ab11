import EventServer
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import SwipeProtocol
import TestSupport
import Testing

/// Whoever knocks in a loop fills no disk.
@Suite(.timeLimit(.minutes(5))) struct RefusalLogTests {
    /// Keeps what is logged.
    private struct Memory: LogHandler {
        let entries: NIOLockedValueBox<[Logger.Metadata]>
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .trace
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) { entries.withLockedValue { $0.append(event.metadata ?? [:]) } }
    }

    @Test func aThousandRefusalsAreOneLine() async throws {
        let entries = NIOLockedValueBox<[Logger.Metadata]>([])
        let path = "/tmp/swiped-refusals-\(UInt64.random(in: 0...UInt64.max))"
        let server = EventServer(
            configuration: ServerConfiguration(listener: .path(path, mode: 0o600), daemon: "test"),
            eventLoop: MultiThreadedEventLoopGroup.singleton.next(), access: { _ in [] },
            backend: EchoBackend(),
            logger: Logger(label: "test") { _ in Memory(entries: entries) })
        try server.start()
        let start = ContinuousClock.now
        for _ in 0..<1_000 {
            let client = try TestClient(path: path)
            #expect(try await client.message().at("data", "code") == "denied")
        }
        await server.stop()
        let logged = entries.withLockedValue { $0 }
        // One now, and one for each ten seconds that a slow machine takes.
        let tens = Int((ContinuousClock.now - start) / .seconds(10))
        #expect((1...1 + tens).contains(logged.count))
        #expect(logged.first?["event"] == "client.refused")
        #expect(logged.first?["code"] == "denied")
    }
}
