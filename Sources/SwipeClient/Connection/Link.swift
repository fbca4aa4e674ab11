internal import Glibc
internal import SwipeProtocol

/// The client's connection: one thread reads, anyone writes, and it is made again when it breaks while somebody
/// listens.
///
/// Why a thread and no event loop: a command-line tool that links none starts in three milliseconds.
///
/// Here is what its users call; `Link+Thread.swift` is the thread, `Link+Subscription.swift` what is asked for,
/// `Link+Arrivals.swift` what comes.
final class Link: @unchecked Sendable {
    typealias Answer = PendingRequests.Answer

    enum State {
        /// Nobody has used it yet, or the connection was lost and nobody has used it since.
        case idle
        /// The thread runs; `hello` is nil while there is no connection.
        case running(hello: Hello?)
        case ended(SwipeClientError)
    }

    let path: String
    let reconnects: Bool
    let onInterruption: @Sendable (Interruption) -> Void
    let lock = Lock()
    let wakeUp = WakeUp()
    // All of the following only with the lock held.
    var state = State.idle
    var waiters = GreetingWaiters()
    var pending = PendingRequests()
    var outgoing: [EncodedLine] = []
    var listeners = Listeners()
    /// What the connection is subscribed to; nil for nothing.
    var subscribed: Interest?
    /// The last event that was seen, for `since`.
    var lastSeen: Subscription.Point?
    var claims = HeldClaims()
    /// Whether the connection brought an event that no earlier one did.
    var hasServed = false

    init(
        path: String, reconnects: Bool, onInterruption: @escaping @Sendable (Interruption) -> Void = { _ in }
    ) {
        self.path = path
        self.reconnects = reconnects
        self.onInterruption = onInterruption
    }

    // MARK: The greeting

    /// The daemon's greeting, as soon as there is a connection.
    func hello(by deadline: UInt64) async throws(SwipeClientError) -> Hello {
        let ticket = lock.locked { waiters.newTicket() }
        let result: Result<Hello, SwipeClientError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known = lock.locked { greeting(orLater: continuation, ticket, by: deadline) }
                if let known { continuation.resume(returning: known) } else { wakeUp.signal() }
            }
        } onCancel: {
            let waiting = lock.locked { waiters.take(ticket) }
            waiting?.resume(returning: .failure(Link.cancelled))
        }
        return try result.get()
    }

    /// The greeting, or why there will be none; nil where it comes later. With the lock held.
    private func greeting(
        orLater continuation: GreetingWaiters.Continuation, _ ticket: UInt64, by deadline: UInt64
    ) -> Result<Hello, SwipeClientError>? {
        switch state {
        case .ended(let error): return .failure(error)
        case .running(let hello?): return .success(hello)
        case .running(.none): break
        case .idle: if let error = start() { return .failure(error) }
        }
        // The flag is set before the handler is called, which then waits for the lock: neither is missed.
        if Task.isCancelled { return .failure(Link.cancelled) }
        waiters.add(ticket, continuation, until: deadline)
        return nil
    }

    private static let cancelled = SwipeClientError(
        .cancelled, "the task was cancelled before it was connected")

    // MARK: Requests

    func request(_ call: Call, timeout: Duration) async throws(SwipeClientError) -> JSONValue {
        let deadline = SystemTime.deadline(after: timeout)
        _ = try await hello(by: deadline)
        return try await requestNow(call, deadline: deadline)
    }

    /// Asks over the connection that there is; fails at once where there is none.
    func requestNow(_ call: Call, deadline: UInt64) async throws(SwipeClientError) -> JSONValue {
        let result = await withCheckedContinuation { continuation in
            send(call, deadline: deadline) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    private func send(_ call: Call, deadline: UInt64, _ answer: @escaping Answer) {
        let error = lock.locked { () -> SwipeClientError? in
            switch state {
            case .ended(let error): return error
            case .idle, .running(.none):
                return SwipeClientError(.connectionLost, "the connection is interrupted")
            case .running: break
            }
            queue(call, deadline: deadline, answer)
            return nil
        }
        if let error { return answer(.failure(error)) }
        speakUp()
    }

    /// Whether an answer is waited for: then no stream may hold the connection up.
    var isAsked: Bool { lock.locked { !pending.isEmpty } }

    /// Gets the thread to send what waits, also where it stands before a full buffer.
    func speakUp() {
        for buffer in lock.locked({ listeners.buffers }) { buffer.makeWay() }
        wakeUp.signal()
    }

    /// Puts a request in the queue, with the lock held.
    func queue(_ call: Call, deadline: UInt64, _ answer: @escaping Answer) {
        let id = pending.add(deadline, claims: call.claimedReader, answer)
        outgoing.append(Request(id: .integer(id), call: call).line())
    }

    // MARK: Streams and claims

    /// Gives a stream events from now on; or ends it, where there will be none.
    func attach(_ buffer: EventBuffer) {
        guard !buffer.isEnded else { return }
        let error = lock.locked { () -> SwipeClientError? in
            if case .ended(let error) = state { return error }
            if case .idle = state, let error = start() { return error }
            let isNew = listeners.add(buffer, asks: true)
            if case .running(let hello?) = state { ask(for: isNew ? buffer : nil, hello) }
            return nil
        }
        if let error { return buffer.finish(error) }
        speakUp()
    }

    /// A claim's swipes, which are kept from now on, and asked for once it is attached.
    func keep(_ buffer: EventBuffer) {
        lock.locked { _ = listeners.add(buffer, asks: false) }
    }

    /// The consumer has gone: what it alone wanted is not asked for any more.
    func detach(_ buffer: EventBuffer) {
        lock.locked {
            listeners.remove(ObjectIdentifier(buffer))
            renewSubscription()
        }
        buffer.finish(nil)
        wakeUp.signal()
    }

    func remember(token: String?, for reader: String) {
        lock.locked { claims.granted(reader, token: token) }
    }

    func forgetClaim(of reader: String) {
        lock.locked {
            claims.forget(reader)
            renewSubscription()
        }
    }

    func close() {
        end(SwipeClientError(.closed, "the client was closed"))
        wakeUp.signal()
    }
}

extension Call {
    /// The reader that this claims; nil for anything else.
    fileprivate var claimedReader: String? {
        if case .claim(let reader, _, _) = self { reader } else { nil }
    }
}
