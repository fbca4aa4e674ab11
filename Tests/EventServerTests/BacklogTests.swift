import Glibc
import Logging
import NIOCore
import NIOPosix
import SwipeProtocol
import TestSupport
import Testing
import UnixIO

@testable import EventServer

/// Who connects faster than connections are taken waits in the kernel, up to a limit.
@Suite(.timeLimit(.minutes(5))) struct BacklogTests {
    /// The kernel's own limit, which is the lower one on some machines.
    private static func limitOfTheMachine() throws -> Int {
        let file = try #require(fopen("/proc/sys/net/core/somaxconn", "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 32)
        let text = String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
        return try #require(Int(text.prefix { $0.isNumber }))
    }

    /// Connects as often as it can without waiting; closes all of it.
    private static func connectionsThatFit(_ path: String, atMost most: Int) -> Int {
        var descriptors: [Int32] = []
        defer { for descriptor in descriptors { close(descriptor) } }
        let address = UnixAddress(path: path)
        while descriptors.count <= most {
            let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            descriptors.append(socket(AF_UNIX, type, 0))
            let result = address?.with { connect(descriptors[descriptors.count - 1], $0, $1) }
            if result != 0 { return descriptors.count - 1 }
        }
        return descriptors.count
    }

    private static func allowDescriptors(_ count: Int) {
        var limit = rlimit()
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(kind, &limit) == 0, limit.rlim_cur < rlim_t(count) else { return }
        limit.rlim_cur = min(rlim_t(count), limit.rlim_max)
        setrlimit(kind, &limit)
    }

    /// As many as docs/protocol.md says, and the one more that the kernel allows a Unix socket, while the thread that takes
    /// them in is held up.
    @Test func asManyWaitAsThePageSays() async throws {
        Self.allowDescriptors(8_192)
        let path = "/tmp/swiped-backlog-\(getpid()).sock"
        let isHeld = Semaphore()
        let mayGoOn = Semaphore()
        let server = EventServer(
            configuration: ServerConfiguration(listener: .path(path, mode: 0o600), daemon: "swiped test"),
            eventLoop: MultiThreadedEventLoopGroup.singleton.next(),
            access: { _ in
                isHeld.signal()
                mayGoOn.wait()
                return []
            }, backend: EchoBackend(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try server.start()
        let first = try TestClient(path: path)
        let fit = await onThread {
            isHeld.wait()
            // All others go on as they come.
            defer { for _ in 0..<8_192 { mayGoOn.signal() } }
            return Self.connectionsThatFit(path, atMost: 4_096)
        }
        #expect(fit == min(Int(EventServer.backlog), try Self.limitOfTheMachine()) + 1)
        #expect(try await first.message().at("data", "code") == "denied")
        await server.stop()
    }
}

/// A counting semaphore, for threads that may wait.
private final class Semaphore: Sendable {
    private nonisolated(unsafe) let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(semaphore, 0, 0) }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func signal() { sem_post(semaphore) }

    func wait() { while sem_wait(semaphore) != 0 {} }
}
