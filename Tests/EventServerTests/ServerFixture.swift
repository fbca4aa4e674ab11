import EventServer
import Glibc
import Logging
import NIOCore
import NIOPosix
import SwipeProtocol
import TestSupport
import Testing

/// A server on a socket in a folder of its own, for the time of a test.
func withServer(
    limits: ServerLimits = ServerLimits(), instance: String = "test", daemon: String = "swiped test",
    roles: Set<Role> = [.full, .admin],
    access policy: AccessPolicy? = nil, backend: any ServerBackend = EchoBackend(),
    _ body: (EventServer, String) async throws -> Void
) async throws {
    var template = Array("/tmp/swiped-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw TestClient.Failure(description: "mkdtemp: errno \(errno)") }
    let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    let path = folder + "/s.sock"
    let server = try await startServer(
        at: path, limits: limits, instance: instance, daemon: daemon, roles: roles, access: policy,
        backend: backend)
    do { try await body(server, path) } catch {
        await server.stop()
        throw error
    }
    await server.stop()
    #expect(access(path, F_OK) != 0, "the socket file is removed")
    rmdir(folder)
}

/// A server that listens there until it is stopped.
func startServer(
    at path: String, limits: ServerLimits, instance: String, daemon: String = "swiped test",
    roles: Set<Role>, access policy: AccessPolicy? = nil, backend: any ServerBackend = EchoBackend()
) async throws -> EventServer {
    let server = EventServer(
        configuration: ServerConfiguration(
            listener: .path(path, mode: 0o600), daemon: daemon, instance: instance, limits: limits,
            checksCards: true),
        eventLoop: MultiThreadedEventLoopGroup.singleton.next(), access: policy ?? { _ in roles },
        backend: backend,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    try server.start()
    return server
}

/// Answers when it is told to.
final class SlowBackend: ServerBackend {
    private let (asked, isAsked) = AsyncStream<Void>.makeStream()
    private let (ended, ends) = AsyncStream<Void>.makeStream()

    func control(
        _ request: ControlRequest, reader: String?, by client: ClientIdentity
    ) async -> Result<ControlResult, ErrorReply> {
        isAsked.yield()
        for await _ in ended {}
        return .success(.taken())
    }

    /// Returns when something was asked.
    func begun() async { for await _ in asked { return } }

    /// Everything is answered from now on.
    func end() { ends.finish() }
}

extension ReaderInfo {
    static func sample(_ id: String = "magtek-B05A9C4", state: ReaderState = .ready) -> ReaderInfo {
        ReaderInfo(id: id, kind: "magtek", model: "Dynamag", serial: "B05A9C4", bus: .usb, state: state)
    }
}
