internal import NIOCore

/// Sends what connections' queues hold, when everything that is due now is in them.
final class FlushKeeper {
    private let loop: any EventLoop
    private var dirty: [ConnectionHandler] = []
    private var isScheduled = false
    private var pace = FlushPace()

    init(loop: any EventLoop) { self.loop = loop }

    /// A line is in the connection's queue.
    func mark(_ connection: ConnectionHandler) {
        guard !connection.isDirty else { return }
        connection.isDirty = true
        dirty.append(connection)
        guard !isScheduled else { return }
        isScheduled = true
        if let pause = pace.pause(at: EventInstant.monotonic()) {
            _ = loop.assumeIsolated().scheduleTask(in: pause) { self.flush() }
        } else {
            loop.assumeIsolated().execute { self.flush() }
        }
    }

    private func flush() {
        isScheduled = false
        let start = EventInstant.monotonic()
        let connections = dirty
        dirty.removeAll(keepingCapacity: true)
        for connection in connections {
            connection.isDirty = false
            connection.flush()
        }
        pace.flushed(from: start, to: EventInstant.monotonic())
    }
}
