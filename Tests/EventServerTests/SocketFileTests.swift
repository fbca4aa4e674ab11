import Glibc
import Logging
import NIOConcurrencyHelpers
import NIOPosix
import SwipeProtocol
import TestSupport
import Testing

@testable import EventServer

/// The socket's file and who may have it.
@Suite(.timeLimit(.minutes(5))) struct SocketFileTests {
    /// A connection as soon as there is a file again.
    private func connect(_ path: String) async throws -> TestClient {
        while true {
            try Task.checkCancellation()
            if let client = try? TestClient(path: path) { return client }
            await Task.yield()
        }
    }

    /// Whatever happens to the file, it is there again; who is connected does not notice.
    @Test(arguments: ["unlink", "rename", "replace"])
    func aLostFileIsMadeAgain(_ how: String) async throws {
        try await withServer { _, path in
            let old = try TestClient(path: path)
            _ = try await old.message()
            for _ in 0..<3 {
                var before = stat()
                lstat(path, &before)
                switch how {
                case "unlink": unlink(path)
                case "rename": rename(path, path + ".away")
                case _:
                    // A dead daemon's file in its place.
                    close(try BoundSocket(path: path + ".dead", mode: 0o600, group: nil).descriptor)
                    rename(path + ".dead", path)
                }
                let new = try await connect(path)
                #expect(try await new.message()["hello"] != nil)
                #expect(try await new.request("ping")["result"] != nil)
                var after = stat()
                #expect(lstat(path, &after) == 0 && after.st_mode & 0o777 == 0o600)
                #expect(try await old.request("ping")["result"] != nil)
            }
            unlink(path + ".away")
        }
    }

    /// A second server neither takes the path of one that answers, nor of one whose file is gone.
    @Test func thereIsOneServerOfAPath() async throws {
        try await withServer { _, path in
            for _ in 0..<3 {
                await #expect(throws: ServerError.alreadyRunning(path: path, pid: getpid())) {
                    _ = try await startServer(at: path, limits: ServerLimits(), instance: "b", roles: [.full])
                }
                unlink(path)
            }
            _ = try await connect(path).message()
        }
    }

    /// The kernel gives a user 128 watches in all programs together; a daemon without one looks at the file by itself.
    @Test func aListenerWithoutAWatchLooksAgain() throws {
        let folder = try folder()
        let path = folder + "/s"
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        for watch in [SocketFileWatch.blind, SocketFileWatch()] {
            var listener = try OpenListener(.path(path, mode: 0o600, group: nil), watch: { watch })
            #expect(listener.look(logger, takeIn: { _ in }) == watch.isBlind)
            unlink(path)
            #expect(listener.look(logger, takeIn: { _ in }) == watch.isBlind)
            #expect(access(path, F_OK) == 0)
            listener.end()
        }
        rmdir(folder)
    }

    private func folder() throws -> String {
        var template = Array("/tmp/swiped-lock-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw TestClient.Failure(description: "mkdtemp") }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// What a daemon that was killed leaves is taken over; what another holds is not, and what was removed does not count.
    @Test func aLockIsOfALivingProcess() throws {
        let folder = try folder()
        let path = folder + "/s"
        close(open(path + ".lock", O_CREAT | O_RDWR, 0o600))
        let lock = try SocketLock(forSocket: path)
        #expect(throws: ServerError.alreadyRunning(path: path, pid: getpid())) {
            try SocketLock(forSocket: path)
        }
        unlink(path + ".lock")
        #expect(!lock.isInPlace)
        let next = try SocketLock(forSocket: path)
        lock.release()
        #expect(next.isInPlace, "the old one removes its own file only")
        next.release()
        #expect(access(path + ".lock", F_OK) != 0)
        rmdir(folder)
    }

    /// A link in the lock's place, to a file that is somebody's, is not followed.
    @Test func aLinkIsNoLock() throws {
        let folder = try folder()
        symlink("/dev/null", folder + "/s.lock")
        #expect(throws: ServerError.file(path: folder + "/s.lock", operation: "open", errno: ELOOP)) {
            try SocketLock(forSocket: folder + "/s")
        }
        unlink(folder + "/s.lock")
        rmdir(folder)
    }

    /// systemd's socket is systemd's to make again: what to do is said, once, also where it was lost before the start.
    @Test(arguments: [false, true]) func systemdsSocketIsNotMadeAgain(_ isLostBefore: Bool) async throws {
        let folder = try folder()
        let path = folder + "/s"
        let socket = try BoundSocket(path: path, mode: 0o600, group: nil)
        let said = NIOLockedValueBox<[String]>([])
        let server = EventServer(
            configuration: ServerConfiguration(listener: .descriptor(socket.descriptor), daemon: "test"),
            eventLoop: MultiThreadedEventLoopGroup.singleton.next(), access: { _ in [.full] },
            backend: EchoBackend(), logger: Logger(label: "test") { _ in SaidHandler(said: said) })
        let old = try TestClient(path: path)
        if isLostBefore { unlink(path) }
        try server.start()
        _ = try await old.message()
        unlink(path)
        while said.withLockedValue({ $0.isEmpty }) {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(said.withLockedValue { $0 }.allSatisfy { $0.contains("systemctl restart swiped.socket") })
        #expect(try await old.request("ping")["result"] != nil)
        await server.stop()
        #expect(said.withLockedValue { $0 }.count == 1)
        #expect(access(path, F_OK) != 0 && access(path + ".lock", F_OK) != 0)
        rmdir(folder)
    }
}

private struct SaidHandler: LogHandler {
    let said: NIOLockedValueBox<[String]>
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .trace
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }
    func log(event: LogEvent) { said.withLockedValue { $0.append("\(event.message)") } }
}
