internal import Glibc
internal import SwipeProtocol

/// The client's connection: one thread reads, anyone writes, and it is made again when it breaks while somebody
/// listens.
///
/// Why a thread and no event loop: a command-line tool that links none starts in three milliseconds.
///
/// Here is what its users call; `Link+Thread.swift` is the thread, `Link+Subscription.swift` what is asked for,
/// `Link+Arrivals.swift` what comes, `Link+Claims.swift` what is held.
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
    ///
    /// - Parameter note: called with the result on the connection's thread, before what the daemon says next is read.
    func requestNow(
        _ call: Call, deadline: UInt64, noting note: @escaping @Sendable (JSONValue) -> Void = { _ in }
    ) async throws(SwipeClientError) -> JSONValue {
        let result = await withCheckedContinuation { continuation in
            send(call, deadline: deadline) { result in
                if case .success(let value) = result { note(value) }
                continuation.resume(returning: result)
            }
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
            queue(call, deadline: deadline, claims: call.claimedReader, answer)
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
    ///
    /// - Parameter claims: the reader that somebody claims with it who holds nothing yet.
    func queue(_ call: Call, deadline: UInt64, claims: String? = nil, _ answer: @escaping Answer) {
        let id = pending.add(deadline, claims: claims, answer)
        outgoing.append(Request(id: .integer(id), call: call).line())
    }

    // MARK: Streams

    /// Gives a stream events from now on; or ends it, where there will be none.
    func attach(_ buffer: EventBuffer) {
        guard !buffer.isEnded else { return }
        let end = lock.locked { refusal(of: buffer) }
        switch end {
        case .none: speakUp()
        case .failure(let error): buffer.finish(error)
        case .success: buffer.finish(nil)
        }
    }

    /// Adds a stream; where it gets nothing, how it ends. With the lock held.
    private func refusal(of buffer: EventBuffer) -> Result<Void, SwipeClientError>? {
        switch buffer.scope?.state {
        case .held, .none: break
        case .givenBack: return .success(())
        case .lost(let error): return .failure(error)
        }
        if case .ended(let error) = state { return .failure(error) }
        if case .idle = state, let error = start() { return .failure(error) }
        let isNew = listeners.add(buffer, asks: true)
        if case .running(let hello?) = state { ask(for: isNew ? buffer : nil, hello) }
        return nil
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
