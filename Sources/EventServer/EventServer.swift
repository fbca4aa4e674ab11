internal import Glibc
package import Logging
package import NIOCore
internal import NIOPosix
package import SwipeProtocol

/// The socket service: takes clients in, gives them what they may see of what is published, and lets them ask.
package final class EventServer: Sendable {
    package let configuration: ServerConfiguration
    private let loop: any EventLoop
    private let logger: Logger
    private let hub: NIOLoopBoundBox<EventHub>
    private let listening: NIOLoopBoundBox<Listening?>

    /// The open listener.
    private struct Listening {
        var channel: any Channel
        var file: BoundSocket?
    }

    /// Connections that the kernel keeps waiting while the loop is busy; at most as many as net.core.somaxconn says.
    static let backlog: CInt = 1_024
    /// What is read from a connection at once. NIO keeps a buffer of this size for each connection; a request is
    /// about a hundred bytes, and a client that sends without end gets its turn only so many bytes at a time.
    private static let bytesReadAtOnce = 512

    /// A server on one event loop, which may be shared: nothing here blocks.
    package init(
        configuration: ServerConfiguration, eventLoop: any EventLoop, access: @escaping AccessPolicy,
        backend: any ServerBackend, logger: Logger
    ) {
        self.configuration = configuration
        self.logger = logger
        loop = eventLoop
        listening = .makeBoxSendingValue(nil, eventLoop: eventLoop)
        hub = .makeBoxSendingValue(
            EventHub(
                configuration: configuration, access: access, backend: backend, loop: eventLoop,
                logger: logger),
            eventLoop: eventLoop)
    }

    /// Binds and listens. After it returns, clients can connect.
    package func start() async throws(ServerError) {
        let file: BoundSocket?
        let descriptor: Int32
        switch configuration.listener {
        case .path(let path, let mode, let group):
            let bound = try BoundSocket(path: path, mode: mode, group: group)
            file = bound
            descriptor = bound.descriptor
        case .descriptor(let given):
            file = nil
            descriptor = given
        }
        do {
            let channel = try await bootstrap().withBoundSocket(descriptor).get()
            // NIO listens on a socket that it is given with a backlog of its own, 128, whatever the options say. Asked
            // again, the kernel takes the new number; on a socket that listens that does not fail.
            _ = listen(descriptor, EventServer.backlog)
            let (listening, bound) = (listening, file)
            try await loop.submit { listening.value = Listening(channel: channel, file: bound) }.get()
        } catch {
            file?.removeFile()
            throw .loop("\(error)")
        }
    }

    private func bootstrap() -> ServerBootstrap {
        ServerBootstrap(group: loop)
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(
                .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: EventServer.bytesReadAtOnce)
            )
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { [hub] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ConnectionHandler(hub: hub.value))
                }
            }
    }

    /// Tells everyone who may hear it. From any thread; what one thread publishes arrives in its order.
    package func publish(_ publication: Publication) {
        loop.execute { [hub] in hub.value.publish(publication) }
    }

    /// Runs `body` on the server's loop once what was published before is on its way to those who read. From any thread.
    package func whenSent(_ body: @escaping @Sendable () -> Void) {
        // A publication has itself sent in the loop's next turn; this turn is behind it.
        loop.execute { [loop] in loop.execute(body) }
    }

    /// Returns when what ``whenSent(_:)`` was given before has run.
    package func allSent() async {
        await withCheckedContinuation { continuation in whenSent { continuation.resume() } }
    }

    /// Says how a sound input is used now; nil where no reader is expected there any more. From any thread.
    package func describe(audioInput id: String, _ input: AudioInputInfo?) {
        loop.execute { [hub] in hub.value.describe(audioInput: id, input) }
    }

    /// Counts that a reader's sound was lost. From any thread.
    package func countOverruns(of reader: String, _ count: Int) {
        loop.execute { [hub] in hub.value.countOverruns(of: reader, count) }
    }

    /// Counts that a reader did not do what its protocol says. From any thread.
    package func countCommunicationError(of reader: String) {
        loop.execute { [hub] in hub.value.countCommunicationError(of: reader) }
    }

    /// Asks the access policy about everyone again, after it has changed; who may do less now is let go with `bye`.
    package func reviewAccess() {
        loop.execute { [hub] in hub.value.reviewAccess() }
    }

    /// What is counted and true now, for whoever watches the daemon.
    package func report() async -> ServerReport {
        // The loop of a running daemon takes what it is given; one that has ended has nothing to report.
        (try? await loop.submit { [hub] in hub.value.report() }.get()) ?? ServerReport()
    }

    /// Takes no more clients, says `bye` to those that are there, and returns when all are closed: within the
    /// farewell time of the limits.
    package func stop(_ code: ByeCode = .shutdown) async {
        let (hub, listening) = (hub, listening)
        let closed = loop.flatSubmit { () -> EventLoopFuture<Void> in
            guard let open = listening.value else { return hub.value.stop(code) }
            listening.value = nil
            open.file?.removeFile()
            return open.channel.close().flatMapError { _ in open.channel.eventLoop.makeSucceededVoidFuture() }
                .flatMap { hub.value.stop(code) }
        }
        do { try await closed.get() } catch {
            logger.error(
                "the socket server did not end properly",
                metadata: ["event": "daemon.stop_failed", "error": "\(error)"])
        }
    }
}
