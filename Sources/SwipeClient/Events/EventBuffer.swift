internal import SwipeProtocol

/// What waits for the consumer of one stream.
///
/// Why apart from the stream: the connection holds it, also while it waits for room in it, and must not keep a stream
/// alive that its consumer has let go of.
final class EventBuffer: Sendable {
    private enum End {
        case finished
        case failed(SwipeClientError)
    }

    let kinds: EventKinds
    let readers: Set<String>?
    let start: EventStart
    /// The claim that it ends with; nil where it outlives all of them.
    let scope: ClaimScope?
    private let lock = Lock()
    private nonisolated(unsafe) var arrivals = EventQueue()
    private nonisolated(unsafe) var waiting: CheckedContinuation<Void, Never>?
    private nonisolated(unsafe) var end: End?
    /// Whether somebody takes what is in it.
    private nonisolated(unsafe) var isInUse = false

    /// Events that wait for the consumer before the connection is held up.
    private static let capacity = 1_024
    /// Events that wait while answers are waited for, which the connection must not be held up for: with more, the
    /// stream ends. Some 16 MB.
    static let capacityWhileAsked = 16_384
    /// Events that are kept while nobody has taken any, and perhaps never will: the latest.
    static let capacityUnused = 16

    init(kinds: EventKinds, readers: Set<String>?, start: EventStart, scope: ClaimScope?) {
        self.kinds = kinds
        self.readers = readers
        self.start = start
        self.scope = scope
    }

    var isEnded: Bool { lock.locked { end != nil } }

    func wants(_ event: Event) -> Bool {
        if let kind = event.body.kind {
            if kind.isOfConnection { return true }
            guard kinds.contains(EventKinds(kind)) else { return false }
        }
        guard let readers, let reader = event.reader else { return true }
        return readers.contains(reader)
    }

    /// Somebody takes events from now on; whether that is news.
    func begin() -> Bool {
        lock.locked {
            defer { isInUse = true }
            return !isInUse
        }
    }

    /// From the connection's thread. Waits while the consumer is far behind, but not while somebody, perhaps the
    /// consumer itself, waits for an answer that comes over the same connection.
    ///
    /// - Returns: whether it is in the buffer, or not wanted; false when there is no more room for anything.
    func deliver(_ arrival: EventStream.Arrival, mayWait: () -> Bool) -> Bool {
        guard wants(arrival.event) else { return true }
        var hasRoom = true
        let resumed = lock.locked { () -> CheckedContinuation<Void, Never>? in
            if !isInUse, arrivals.count >= EventBuffer.capacityUnused { _ = arrivals.takeFirst() }
            while arrivals.count >= EventBuffer.capacity && end == nil && mayWait() { lock.wait() }
            guard end == nil else { return nil }
            guard arrivals.count < EventBuffer.capacityWhileAsked else {
                hasRoom = false
                return nil
            }
            arrivals.append(arrival)
            defer { waiting = nil }
            return waiting
        }
        resumed?.resume()
        return hasRoom
    }

    /// An answer is waited for: the connection's thread must not wait here.
    func makeWay() { lock.locked { lock.wake() } }

    /// No more events: what is in the buffer is still taken.
    func finish(_ error: SwipeClientError?) {
        let resumed = lock.locked { () -> CheckedContinuation<Void, Never>? in
            if end == nil { end = error.map(End.failed) ?? .finished }
            lock.wake()
            defer { waiting = nil }
            return waiting
        }
        resumed?.resume()
    }

    /// The next event; nil when the stream has ended or the task was cancelled.
    ///
    /// - Parameter endsWhenCancelled: whether the whole stream ends then, and not this call only.
    func next(endsWhenCancelled: Bool = true) async throws(SwipeClientError) -> EventStream.Arrival? {
        while true {
            if let arrival = take() { return arrival }
            switch lock.locked({ end }) {
            case .finished: return nil
            case .failed(let error): throw error
            case .none: break
            }
            await waitForNews(endsWhenCancelled)
            if Task.isCancelled { return take() }
        }
    }

    private func take() -> EventStream.Arrival? {
        lock.locked {
            guard let arrival = arrivals.takeFirst() else { return nil }
            lock.wake()
            return arrival
        }
    }

    private func waitForNews(_ endsWhenCancelled: Bool) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let resumeNow = lock.locked {
                    guard arrivals.isEmpty, end == nil, !Task.isCancelled else { return true }
                    waiting?.resume()
                    waiting = continuation
                    return false
                }
                if resumeNow { continuation.resume() }
            }
        } onCancel: {
            if endsWhenCancelled { finish(nil) } else { letGo() }
        }
    }

    /// Wakes who waits for news, without any.
    private func letGo() {
        let resumed = lock.locked { () -> CheckedContinuation<Void, Never>? in
            defer { waiting = nil }
            return waiting
        }
        resumed?.resume()
    }
}
