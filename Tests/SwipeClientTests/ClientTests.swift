import EventServer
import Glibc
import Logging
import NIOCore
import NIOPosix
import SwipeClient
import SwipeProtocol
import TestSupport
import Testing

@Suite struct ClientTests {
    private let reader = ReaderInfo(
        id: "magtek-B05A9C4", kind: "magtek", model: "Dynamag", serial: "B05A9C4", bus: .usb, state: .ready)

    @Test func streamsWhatIsThereAndWhatHappens() async throws {
        try await withServer { server, path in
            server.publish(Publication(reader: reader, .connect(reader)))
            let client = SwipeClient(path: path)
            var events = client.events().makeAsyncIterator()
            let first = try await events.next()
            #expect(first?.body == .connect(reader))
            #expect(first?.sequence == nil)
            server.publish(Publication(reader: reader, .ready(expiresAt: nil)))
            let second = try await events.next()
            #expect(second?.body == .ready(expiresAt: nil))
            #expect(second?.sequence == 2)
            #expect(try await client.readers() == [reader])
        }
    }

    /// More requests at once than the sockets and the daemon hold, both ways: none waits for the other for ever.
    @Test(.timeLimit(.minutes(10))) func asksAsMuchAtOnceAsItLikes() async throws {
        try await withServer { _, path in
            let client = SwipeClient(path: path, timeout: .seconds(600))
            try await withThrowingTaskGroup { group in
                for _ in 0..<10_000 { group.addTask { try await client.ping() } }
                try await group.waitForAll()
            }
            client.close()
        }
    }

    @Test func saysThatThereIsNoDaemon() async throws {
        let client = SwipeClient(path: "/nonexistent/swiped.sock")
        await #expect { try await client.connect() } throws: { ($0 as? SwipeClientError)?.code == .noDaemon }
    }

    @Test func saysThatTheUserIsDenied() async throws {
        try await withServer(roles: []) { _, path in
            let client = SwipeClient(path: path)
            await #expect { try await client.connect() } throws: {
                ($0 as? SwipeClientError)?.code == .denied
            }
        }
    }

    @Test func saysThatThereIsNoSuchReader() async throws {
        try await withServer { _, path in
            let client = SwipeClient(path: path)
            await #expect {
                try await client.control(.activate, reader: "nope")
            } throws: {
                ($0 as? SwipeClientError)?.code == .noSuchReader
            }
        }
    }

    @Test func goesOnWhereItWasInterrupted() async throws {
        let folder = try temporaryFolder()
        let first = try await start(folder, instance: "first")
        let client = SwipeClient(path: folder + "/s.sock")
        var events = client.events().makeAsyncIterator()
        first.publish(Publication(reader: reader, .connect(reader)))
        #expect(try await events.next()?.body == .connect(reader))
        await first.stop()
        let second = try await start(folder, instance: "second")
        let gap = try await events.next()
        #expect(gap?.body == .gap(from: 0, to: 0, .restart))
        second.publish(Publication(reader: reader, .ready(expiresAt: nil)))
        #expect(try await events.next()?.body == .ready(expiresAt: nil))
        client.close()
        #expect(try await events.next() == nil)
        await second.stop()
    }

    @Test func beginsWithWhatIsKept() async throws {
        try await withServer { server, path in
            server.publish(Publication(reader: reader, .connect(reader)))
            server.publish(Publication(reader: reader, .ready(expiresAt: nil)))
            let client = SwipeClient(path: path)
            var live = client.events().makeAsyncIterator()
            #expect(try await live.next()?.body == .connect(reader))
            var kept = client.events(from: .kept).makeAsyncIterator()
            #expect(try await kept.next()?.sequence == 1)
            #expect(try await kept.next()?.body == .ready(expiresAt: nil))
            server.publish(Publication(reader: reader, .unready(.cancelled)))
            #expect(try await kept.next()?.sequence == 3)
            // The other stream of the same connection does not see the repetition.
            let next = try await live.next()
            #expect(next?.body == .unready(.cancelled))
            #expect(next.map { $0.time.microseconds > 1_700_000_000_000_000 } == true)
        }
    }

    @Test func whatWasPublishedBeforeABarrierIsThere() async throws {
        try await withServer { server, path in
            let client = SwipeClient(path: path)
            let stream = client.events([.connect, .ready])
            server.publish(Publication(reader: reader, .connect(reader)))
            #expect(try await stream.first { _ in true }?.body == .connect(reader))
            for _ in 0..<100 { server.publish(Publication(reader: reader, .ready(expiresAt: nil))) }
            try await client.barrier()
            client.close()
            var count = 0
            for try await _ in stream { count += 1 }
            #expect(count == 100)
        }
    }

    @Test func aCancelledConsumerIsLetGo() async throws {
        try await withServer { _, path in
            let client = SwipeClient(path: path)
            try await client.connect()
            let consumer = Task { try await client.events().first { _ in true } }
            consumer.cancel()
            #expect(try await consumer.value == nil)
        }
    }
}

func temporaryFolder() throws -> String {
    var template = Array("/tmp/swiped-test-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// A server that listens; what is in `before` happened before anybody could connect.
func start(
    _ folder: String, instance: String, roles: Set<Role> = [.full, .admin], before: [Publication] = [],
    limits: ServerLimits = ServerLimits(), backend: any ServerBackend = EchoBackend()
) async throws -> EventServer {
    let server = EventServer(
        configuration: ServerConfiguration(
            listener: .path(folder + "/s.sock", mode: 0o600), daemon: "swiped test", instance: instance,
            limits: limits, checksCards: true),
        eventLoop: MultiThreadedEventLoopGroup.singleton.next(), access: { _ in roles },
        backend: backend,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    for publication in before { server.publish(publication) }
    try server.start()
    return server
}

func withServer(
    roles: Set<Role> = [.full, .admin], limits: ServerLimits = ServerLimits(),
    backend: any ServerBackend = EchoBackend(), _ body: (EventServer, String) async throws -> Void
) async throws {
    let folder = try temporaryFolder()
    let server = try await start(folder, instance: "test", roles: roles, limits: limits, backend: backend)
    do { try await body(server, folder + "/s.sock") } catch {
        await server.stop()
        throw error
    }
    await server.stop()
    rmdir(folder)
}
