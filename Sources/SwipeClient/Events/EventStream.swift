public import SwipeProtocol

/// Where a stream of events begins.
public enum EventStart: Sendable, Hashable {
    /// With the readers that are there, then what happens from now on.
    case now
    /// With what the daemon still keeps: the changes of state since it started, of which it keeps the last 1,024.
    /// Swipes are never kept.
    case kept
    /// With what the daemon still keeps of what came after that event, which a program noted before it ended; a `gap` says what
    /// is missing. Where it is another run of the daemon by now, with the readers that are there.
    case after(Subscription.Point)

    /// What the daemon is asked to go back to; nil for nothing.
    func point(in hello: Hello) -> Subscription.Point? {
        switch self {
        case .now: nil
        case .kept: Subscription.Point(instance: hello.instance, sequence: 0)
        case .after(let point): point
        }
    }
}

/// The events of a client: `for try await event in client.events()`.
///
/// The stream goes on over interruptions: the client connects again, asks for what it missed, and a `gap` event says
/// what nobody can give it any more. Readers that are there when a stream starts come first, as `connect` events
/// without a number; after a `gap` that a restart of the daemon left, they come again. A consumer that stops consuming
/// holds the connection up after 1,024 events, until the daemon cuts it off. Requests go on meanwhile, for which the
/// connection has to be read: a stream of which 16,384 events wait then ends as ``SwipeClientError/Code/tooSlow``. A
/// consumer that lets go of the stream holds nothing up.
///
/// What an interruption cannot mend is thrown: ``SwipeClientError/Code/denied`` where the daemon gives this user no role
/// any more, ``SwipeClientError/Code/protocolError`` where it speaks another version of the protocol.
///
/// The streams of one client share a connection, which asks the daemon for the kinds and the readers that any of them
/// wants: for nothing more, and for nothing once they are gone.
///
/// A stream keeps its client alive.
public final class EventStream: AsyncSequence, Sendable {
    /// One event.
    public typealias Element = Event
    /// How a stream ends other than by its consumer's choice.
    public typealias Failure = SwipeClientError

    /// An event, and the line that it came in; nil for one that this library made.
    package struct Arrival: Sendable {
        package var event: Event
        package var line: [UInt8]?
    }

    let buffer: EventBuffer
    private let client: SwipeClient

    init(
        kinds: EventKinds, readers: Set<String>?, start: EventStart, client: SwipeClient,
        scope: ClaimScope? = nil
    ) {
        buffer = EventBuffer(kinds: kinds, readers: readers, start: start, scope: scope)
        self.client = client
    }

    deinit { client.link.detach(buffer) }

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

    /// The next event with its line; nil when the client was closed or the task cancelled.
    package func nextArrival() async throws(SwipeClientError) -> Arrival? {
        if buffer.begin() { client.link.attach(buffer) }
        return try await buffer.next()
    }
}
