internal import Glibc
package import Logging
package import NIOCore
internal import NIOPosix
package import SwipeProtocol
internal import UnixIO

/// The socket service: lets clients in, delivers what they may see of the events, and answers their requests.
package final class EventServer: Sendable {
    package let configuration: ServerConfiguration
    private let loop: any EventLoop
    private let logger: Logger
    private let hub: NIOLoopBoundBox<EventHub>
    private let door: Door
    private let listening: NIOLoopBoundBox<Listening?>

    /// The thread that accepts connections.
    private struct Listening {
        var wakePipe: WakePipe
        var thread: NIOThreadPool
        /// Completed when the thread has closed the socket.
        var end: EventLoopFuture<Void>
    }

    /// Connections that the kernel keeps waiting while the loop is busy; at most as many as net.core.somaxconn says.
    static let backlog: CInt = 1_024

    /// A server on one event loop, which may be shared: nothing here blocks.
    package init(
        configuration: ServerConfiguration, eventLoop: any EventLoop, access: @escaping AccessPolicy,
        backend: any ServerBackend, logger: Logger
    ) {
        self.configuration = configuration
        self.logger = logger
        loop = eventLoop
        listening = .makeBoxSendingValue(nil, eventLoop: eventLoop)
        door = Door(limits: configuration.limits, access: access, logger: logger)
        hub = .makeBoxSendingValue(
            EventHub(
                configuration: configuration, door: door, backend: backend, loop: eventLoop, logger: logger),
            eventLoop: eventLoop)
    }

    /// Binds and listens. After it returns, clients can connect.
    package func start() throws(ServerError) {
        let wakePipe = try EventServer.wakePipe()
        let listener = try OpenListener(configuration.listener)
        // On a socket that listens already the kernel uses the new number.
        _ = listen(listener.descriptor, EventServer.backlog)
        let (hub, loop, door, logger, listening) = (hub, loop, door, logger, listening)
        let thread = NIOThreadPool(numberOfThreads: 1)
        let end = loop.makePromise(of: Void.self)
        thread.start()
        thread.submit { _ in
            var porter = Porter(listener, door: door, wakePipe: wakePipe, logger: logger) { guests in
                loop.execute { hub.value.lobby.arrived(guests, at: hub.value) }
            }
            porter.run()
            end.succeed()
        }
        loop.execute {
            listening.value = Listening(wakePipe: wakePipe, thread: thread, end: end.futureResult)
        }
    }

    private static func wakePipe() throws(ServerError) -> WakePipe {
        do throws(WakePipe.Failure) { return try WakePipe() } catch {
            throw .system(operation: "pipe", errno: error.errno)
        }
    }

    /// Publishes an event to all clients that may see it. From any thread; what one thread publishes arrives in its
    /// order.
    package func publish(_ publication: Publication) {
        loop.execute { [hub] in hub.value.publish(publication) }
    }

    /// Runs `body` on the server's loop once what was published before is on its way to the clients that read. From any
    /// thread.
    package func whenSent(_ body: @escaping @Sendable () -> Void) {
        // A publication is sent in the loop's next turn; this turn comes after it.
        loop.execute { [loop] in loop.execute(body) }
    }

    /// Returns when what ``whenSent(_:)`` was given before has run.
    package func allSent() async {
        await withCheckedContinuation { continuation in whenSent { continuation.resume() } }
    }

    /// Says how a sound input is used now; nil where no reader is expected there any more. From any thread.
    package func describe(audioInput id: String, _ input: AudioInputInfo?) {
        loop.execute { [hub] in hub.value.readers.describe(audioInput: id, input) }
    }

    /// Says which sections for sound cards are not used now. From any thread.
    package func describe(unusedInputs inputs: [UnusedInputInfo]) {
        loop.execute { [hub] in hub.value.readers.describe(unusedInputs: inputs) }
    }

    /// Counts that a reader's sound was lost. From any thread.
    package func countOverruns(of reader: String, _ count: Int) {
        loop.execute { [hub] in hub.value.readers.count(reader) { $0.overruns &+= UInt64(clamping: count) } }
    }

    /// Counts that a reader did not do what its protocol says. From any thread.
    package func countCommunicationError(of reader: String) {
        loop.execute { [hub] in hub.value.readers.count(reader) { $0.communicationErrors += 1 } }
    }

    /// Asks the access policy about every client again, after it has changed; a client that may do less now gets `bye`.
    package func reviewAccess() {
        loop.execute { [hub] in hub.value.reviewAccess() }
    }

    /// The counters and the present state, for monitoring.
    package func report() async -> ServerReport {
        // The loop of a running daemon runs this task; one that has ended has nothing to report.
        (try? await loop.submit { [hub] in hub.value.report() }.get()) ?? ServerReport()
    }

    /// Accepts no more clients, says `bye` to those that are there, and returns when all are closed: within the
    /// farewell time of the limits.
    package func stop(_ code: ByeCode = .shutdown) async {
        let (hub, listening) = (hub, listening)
        door.close()
        let closed = loop.flatSubmit { () -> EventLoopFuture<Void> in
            guard let open = listening.value else { return hub.value.stop(code) }
            listening.value = nil
            open.wakePipe.wake()
            return open.end.flatMap {
                open.thread.shutdownGracefully { _ in }
                return hub.value.stop(code)
            }
        }
        do { try await closed.get() } catch {
            logger.error(
                "the socket server did not end properly",
                metadata: ["event": "daemon.stop_failed", "error": "\(error)"])
        }
    }
}
