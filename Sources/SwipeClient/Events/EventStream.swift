public import SwipeProtocol

/// Where a stream of events begins.
public enum EventStart: Sendable, Hashable {
    /// With the readers that are there, then what happens from now on.
    case now
    /// With what the daemon still keeps: the changes of state since it started, of which it keeps the last 1,024.
    /// Swipes are never kept.
    case kept
}

/// The events of a client: `for try await event in client.events()`.
///
/// The stream goes on over interruptions: the client connects again, asks for what it missed, and a `gap` event says
/// what nobody can give it any more. Readers that are there when a stream starts come first, as `connect` events
/// without a number; after a `gap` that a restart of the daemon left, they come again. A consumer that stops consuming
/// holds the connection up after 1,024 events, until the daemon cuts it off; requests go on meanwhile.
///
/// A stream keeps its client alive.
public final class EventStream: AsyncSequence, Sendable {
    /// One event.
    public typealias Element = Event
    /// How a stream ends other than by its consumer's choice.
    public typealias Failure = SwipeClientError

    private enum End {
        case finished
        case failed(SwipeClientError)
    }

    /// An event, and the line that it came in; nil for one that this library made.
    package struct Arrival: Sendable {
        package var event: Event
        package var line: [UInt8]?
    }

    let kinds: EventKinds
    let readers: Set<String>?
    let start: EventStart
    private let client: SwipeClient
    private var link: Link { client.link }
    private let lock = Lock()
    private nonisolated(unsafe) var buffer: [Arrival] = []
    private nonisolated(unsafe) var waiting: CheckedContinuation<Void, Never>?
    private nonisolated(unsafe) var end: End?
    private nonisolated(unsafe) var isAttached = false

    /// Events that wait for the consumer before the connection is held up.
    private static let capacity = 1_024

    init(kinds: EventKinds, readers: Set<String>?, start: EventStart, client: SwipeClient) {
        self.kinds = kinds
        self.readers = readers
        self.start = start
        self.client = client
    }

    deinit { client.link.forget(ObjectIdentifier(self)) }

    /// Takes events one after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let stream: EventStream

        /// The next event; nil when the client was closed or the task cancelled.
        public mutating func next() async throws(SwipeClientError) -> Event? {
            try await stream.nextArrival()?.event
        }

        /// The next event; nil when the client was closed or the task cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(SwipeClientError)
            -> Event?
        {
            try await stream.nextArrival()?.event
        }
    }

    /// Starts taking events. Several iterators of one stream share its events.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream: self) }

    func wants(_ event: Event) -> Bool {
        if let kind = event.body.kind {
            if kind.isOfConnection { return true }
            guard kinds.contains(EventKinds(kind)) else { return false }
        }
        guard let readers, let reader = event.reader else { return true }
        return readers.contains(reader)
    }

    /// From the connection's thread. Waits while the consumer is far behind, but not while somebody, perhaps the
    /// consumer itself, waits for an answer that comes over the same connection.
    func deliver(_ arrival: Arrival) {
        guard wants(arrival.event) else { return }
        let resumed = lock.locked { () -> CheckedContinuation<Void, Never>? in
            while buffer.count >= EventStream.capacity && end == nil && !link.isAsked { lock.wait() }
            guard end == nil else { return nil }
            buffer.append(arrival)
            defer { waiting = nil }
            return waiting
        }
        resumed?.resume()
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

    /// The next event with its line; nil when the client was closed or the task cancelled.
    package func nextArrival() async throws(SwipeClientError) -> Arrival? {
        if lock.locked({
            defer { isAttached = true }
            return !isAttached
        }) {
            try await link.attach(self)
        }
        while true {
            if let arrival = take() { return arrival }
            switch lock.locked({ end }) {
            case .finished: return nil
            case .failed(let error): throw error
            case .none: break
            }
            await waitForNews()
        }
    }

    private func take() -> Arrival? {
        lock.locked {
            guard !buffer.isEmpty else { return nil }
            lock.wake()
            return buffer.removeFirst()
        }
    }

    private func waitForNews() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let resumeNow = lock.locked {
                    guard buffer.isEmpty, end == nil else { return true }
                    waiting?.resume()
                    waiting = continuation
                    return false
                }
                if resumeNow { continuation.resume() }
            }
        } onCancel: {
            finish(nil)
        }
    }
}
