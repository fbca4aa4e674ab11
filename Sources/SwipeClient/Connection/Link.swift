internal import Glibc
internal import SwipeProtocol

/// The client's connection: one thread reads, anyone writes, and it is made again when it breaks while somebody
/// listens.
///
/// Why a thread and no event loop: a command-line tool that links none starts in three milliseconds.
final class Link: @unchecked Sendable {
    typealias Answer = @Sendable (Result<JSONValue, SwipeClientError>) -> Void

    private struct Pending {
        var answer: Answer
        var deadline: UInt64
    }

    private struct Listener {
        weak var stream: EventStream?
        /// Whether it has been told which readers there are.
        var isInformed = false
        /// The last event it was given; another stream's replay repeats what is before it.
        var seen: UInt64 = 0
    }

    private enum State {
        /// Nobody has used it yet, or the connection was lost and nobody has used it since.
        case idle
        /// The thread runs; `hello` is nil while there is no connection.
        case running(hello: Hello?)
        case ended(SwipeClientError)
    }

    private let path: String
    private let reconnects: Bool
    private let onInterruption: @Sendable (Interruption) -> Void
    private let lock = Lock()
    private let wakeUp = WakeUp()
    // All of the following only with the lock held.
    private var state = State.idle
    private var waitingForHello: [CheckedContinuation<Result<Hello, SwipeClientError>, Never>] = []
    private var pending: [Int64: Pending] = [:]
    private var lastID: Int64 = 0
    private var outgoing: [EncodedLine] = []
    private var listeners: [ObjectIdentifier: Listener] = [:]
    /// The last event that was seen, for `since`.
    private var lastSeen: Subscription.Point?
    private var subscribeID: Int64?
    /// Whether the subscription follows an interruption: its readers, if there are any, are news to all streams.
    private var isBack = false
    private var claims = HeldClaims()

    private static let backoffMilliseconds: ClosedRange<Int32> = 50...5_000

    init(
        path: String, reconnects: Bool, onInterruption: @escaping @Sendable (Interruption) -> Void = { _ in }
    ) {
        self.path = path
        self.reconnects = reconnects
        self.onInterruption = onInterruption
    }

    // MARK: From any thread

    func hello() async throws(SwipeClientError) -> Hello {
        let result: Result<Hello, SwipeClientError> = await withCheckedContinuation { continuation in
            lock.locked {
                switch state {
                case .ended(let error): continuation.resume(returning: .failure(error))
                case .running(let hello?): continuation.resume(returning: .success(hello))
                case .running(.none): waitingForHello.append(continuation)
                case .idle:
                    waitingForHello.append(continuation)
                    start()
                }
            }
        }
        return try result.get()
    }

    func request(_ call: Call, timeout: Duration) async throws(SwipeClientError) -> JSONValue {
        _ = try await hello()
        let deadline = Link.now() &+ UInt64(max(0, timeout / .nanoseconds(1)))
        let result = await withCheckedContinuation { continuation in
            send(call, deadline: deadline) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    func attach(_ stream: EventStream) async throws(SwipeClientError) {
        lock.locked { listeners[ObjectIdentifier(stream)] = Listener(stream: stream) }
        let hello = try await hello()
        let beginning = Subscription.Point(instance: hello.instance, sequence: 0)
        lock.locked { subscribe(since: stream.start == .kept ? beginning : nil) }
        wakeUp.signal()
    }

    func forget(_ stream: ObjectIdentifier) {
        _ = lock.locked { listeners.removeValue(forKey: stream) }
    }

    func remember(token: String?, for reader: String) {
        lock.locked { claims.granted(reader, token: token) }
    }

    func forgetClaim(of reader: String) {
        lock.locked { claims.forget(reader) }
    }

    /// Whether an answer is waited for: then no stream may hold the connection up.
    var isAsked: Bool { lock.locked { !pending.isEmpty } }

    func close() {
        end(SwipeClientError(.closed, "the client was closed"))
        wakeUp.signal()
    }

    private func send(_ call: Call, deadline: UInt64, _ answer: @escaping Answer) {
        let (error, streams) = lock.locked { () -> (SwipeClientError?, [EventStream]) in
            switch state {
            case .ended(let error): return (error, [])
            case .idle, .running(.none):
                return (SwipeClientError(.connectionLost, "the connection is interrupted"), [])
            case .running: break
            }
            queue(call, Pending(answer: answer, deadline: deadline))
            return (nil, listeners.values.compactMap(\.stream))
        }
        if let error { return answer(.failure(error)) }
        for stream in streams { stream.makeWay() }
        wakeUp.signal()
    }

    // MARK: With the lock held

    @discardableResult
    private func queue(_ call: Call, _ request: Pending?) -> Int64 {
        lastID += 1
        pending[lastID] = request
        outgoing.append(Request(id: .integer(lastID), call: call).line())
        return lastID
    }

    /// One subscription to everything serves all streams; each takes what it wants.
    private func subscribe(since: Subscription.Point?) {
        subscribeID = queue(.subscribe(Subscription(wantsSnapshot: true, since: since)), nil)
    }

    private func claimAgain(_ reader: String) {
        claims.isAsked(reader)
        let answer: Answer = { [weak self] result in
            self?.lock.locked { self?.claims.answered(reader, result) }
        }
        queue(
            .claim(reader: reader, .tryOnly, token: claims.token(of: reader)),
            Pending(answer: answer, deadline: UInt64.max))
    }

    private func start() {
        state = .running(hello: nil)
        var thread = pthread_t()
        let link = Unmanaged.passRetained(self)
        pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Link>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, link.toOpaque())
        pthread_detach(thread)
    }

    // MARK: The thread

    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    private static func wallTime() -> WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }

    private var isEnded: Bool {
        lock.locked { if case .ended = state { true } else { false } }
    }

    private func run() {
        var backoff = Link.backoffMilliseconds.lowerBound
        var wasConnected = false
        var isInterrupted = false
        while !isEnded {
            do throws(SwipeClientError) {
                let socket = try UnixSocket(path: path, wakeUp: wakeUp)
                var reader = MessageReader()
                let hello = try reader.hello(socket) { isEnded }
                wasConnected = true
                backoff = Link.backoffMilliseconds.lowerBound
                if isInterrupted { onInterruption(end(with: hello)) }
                isInterrupted = false
                opened(hello)
                throw serve(socket, &reader)
            } catch {
                let mayTryAgain = reconnects && wasConnected && error.code != .denied && isWanted
                interrupted(error)
                guard mayTryAgain else { return end(error) }
                if !isInterrupted { onInterruption(.began) }
                isInterrupted = true
            }
            wakeUp.clear()
            if isEnded { return }
            wakeUp.wait(milliseconds: backoff)
            backoff = min(backoff * 2, Link.backoffMilliseconds.upperBound)
        }
    }

    /// How an interruption ends with this greeting.
    private func end(with hello: Hello) -> Interruption {
        let last = lock.locked { lastSeen }
        guard let last, last.instance == hello.instance else { return .endedAnew }
        return .ended(since: last.sequence)
    }

    /// Whether somebody listens, or holds a reader.
    private var isWanted: Bool {
        lock.locked { !claims.isEmpty || listeners.values.contains { $0.stream != nil } }
    }

    private func opened(_ hello: Hello) {
        let waiting = lock.locked { () -> [CheckedContinuation<Result<Hello, SwipeClientError>, Never>] in
            if case .ended = state { return [] }
            state = .running(hello: hello)
            // Another run of the daemon counts from 1 again.
            if lastSeen?.instance != hello.instance { for key in listeners.keys { listeners[key]?.seen = 0 } }
            isBack = lastSeen != nil && !listeners.isEmpty
            if isBack {
                subscribe(since: lastSeen)
            } else {
                lastSeen = Subscription.Point(instance: hello.instance, sequence: hello.sequence)
                if !listeners.isEmpty { subscribe(since: nil) }
            }
            // After the subscription: what comes with a claim, a swipe that was held, then comes after what was missed.
            for reader in claims.readers { claimAgain(reader) }
            defer { waitingForHello = [] }
            return waitingForHello
        }
        for continuation in waiting { continuation.resume(returning: .success(hello)) }
    }

    /// Until the connection breaks: why it did.
    private func serve(_ socket: borrowing UnixSocket, _ reader: inout MessageReader) -> SwipeClientError {
        while true {
            let (lines, deadline) = lock.locked { () -> ([EncodedLine], UInt64?) in
                defer { outgoing = [] }
                return (outgoing, pending.values.map(\.deadline).min())
            }
            for line in lines {
                guard line.withBytes({ socket.write($0) }) else {
                    return SwipeClientError(.connectionLost, "the connection broke")
                }
            }
            do throws(SwipeClientError) {
                while let (message, line) = try reader.next() { try handle(message, line) }
                switch socket.wait(milliseconds: Link.milliseconds(until: deadline)) {
                case .readable: try reader.read(socket)
                case .woken: wakeUp.clear()
                case .timedOut: expire()
                }
            } catch {
                return error
            }
            if isEnded { return SwipeClientError(.closed, "the client was closed") }
        }
    }

    private static func milliseconds(until deadline: UInt64?) -> Int32 {
        guard let deadline else { return -1 }
        let now = now()
        guard deadline > now else { return 0 }
        return Int32(clamping: (deadline - now) / 1_000_000 + 1)
    }

    private func expire() {
        let now = Link.now()
        let late = lock.locked { () -> [Pending] in
            let late = pending.filter { $0.value.deadline <= now }
            for id in late.keys { pending[id] = nil }
            return Array(late.values)
        }
        for request in late { request.answer(.failure(SwipeClientError(.timedOut, "no answer in time"))) }
    }

    private func handle(_ message: ServerMessage, _ line: [UInt8]) throws(SwipeClientError) {
        switch message {
        case .hello: throw SwipeClientError(.protocolError, "a second greeting")
        case .event(let event): try handle(event, line)
        case .reply(let reply): handle(reply)
        }
    }

    private func handle(_ event: Event, _ line: [UInt8]) throws(SwipeClientError) {
        if case .bye(let code) = event.body { throw SwipeClientError(code) }
        let streams = lock.locked { () -> [EventStream] in
            if let last = lastSeen?.sequence, let sequence = event.sequence {
                lastSeen?.sequence = max(last, sequence)
            }
            if case .connect(let reader) = event.body { came(reader.id) }
            return takers(of: event)
        }
        for stream in streams { stream.deliver(EventStream.Arrival(event: event, line: line)) }
    }

    /// The streams that have not had the event, with the lock held.
    private func takers(of event: Event) -> [EventStream] {
        listeners.compactMap { key, listener in
            guard listener.isInformed else { return nil }
            guard let sequence = event.sequence else { return listener.stream }
            // A swipe is never repeated; one that was held for us comes late, with its old number.
            guard sequence > listener.seen || event.body.kind == .swipe else { return nil }
            listeners[key]?.seen = max(listener.seen, sequence)
            return listener.stream
        }
    }

    /// A reader is there, with the lock held.
    private func came(_ reader: String) {
        if claims.isMissed(reader) { claimAgain(reader) }
    }

    private func handle(_ reply: Reply) {
        guard case .integer(let id) = reply.id else { return }
        let (isSubscription, request) = lock.locked { () -> (Bool, Pending?) in
            (id == subscribeID, pending.removeValue(forKey: id))
        }
        if isSubscription, case .success(let json) = reply.outcome { subscribed(json) }
        request?.answer(reply.outcome.mapError { SwipeClientError($0) })
    }

    /// Tells streams that are new, or that missed something, which readers there are.
    private func subscribed(_ json: JSONValue) {
        guard let snapshot = try? Snapshot(json: json) else { return }
        let streams = lock.locked { () -> [EventStream] in
            lastSeen?.sequence = snapshot.sequence
            if case .running(let hello?) = state { lastSeen?.instance = hello.instance }
            for reader in snapshot.readers ?? [] { came(reader.id) }
            let new = listeners.filter { isBack || !$0.value.isInformed }
            isBack = false
            for key in new.keys {
                listeners[key]?.isInformed = true
                listeners[key]?.seen = snapshot.sequence
            }
            return new.values.compactMap(\.stream)
        }
        let events = (snapshot.readers ?? []).map { reader in
            Event(
                sequence: nil, time: Link.wallTime(),
                monotonicNanoseconds: Link.now(), reader: reader.id, attachment: reader.attachment,
                isSimulated: reader.isSimulated, body: .connect(reader))
        }
        for stream in streams {
            for event in events { stream.deliver(EventStream.Arrival(event: event, line: nil)) }
        }
    }

    /// The connection is gone: what was asked is not answered any more.
    private func interrupted(_ error: SwipeClientError) {
        let lost = lock.locked { () -> [Pending] in
            if case .running = state { state = .running(hello: nil) }
            defer {
                pending = [:]
                outgoing = []
            }
            return Array(pending.values)
        }
        for request in lost { request.answer(.failure(error)) }
    }

    private func end(_ error: SwipeClientError) {
        let (waiting, streams) = lock.locked {
            () -> ([CheckedContinuation<Result<Hello, SwipeClientError>, Never>], [EventStream]) in
            if case .ended = state { return ([], []) }
            // Whoever uses the client again connects again, unless it was closed.
            state = error.code == .closed ? .ended(error) : .idle
            claims = HeldClaims()
            lastSeen = nil
            let streams = listeners.values.compactMap(\.stream)
            listeners = [:]
            defer { waitingForHello = [] }
            return (waitingForHello, streams)
        }
        for continuation in waiting { continuation.resume(returning: .failure(error)) }
        for stream in streams { stream.finish(error.code == .closed ? nil : error) }
    }
}
