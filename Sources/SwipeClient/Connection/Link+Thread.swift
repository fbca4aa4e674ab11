internal import Glibc
internal import SwipeProtocol

/// The connection's thread: connects, reads, writes, and connects again.
extension Link {
    /// How long a daemon may take to let us in and to greet.
    private static let greetingPatience = Duration.seconds(30)

    /// Starts the thread, with the lock held; why it did not start.
    func start() -> SwipeClientError? {
        var thread = pthread_t()
        let link = Unmanaged.passRetained(self)
        let result = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Link>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, link.toOpaque())
        guard result == 0 else {
            link.release()
            return SwipeClientError(
                .connectionLost,
                "the connection's thread does not start: \(String(cString: strerror(result)))")
        }
        pthread_detach(thread)
        state = .running(hello: nil)
        return nil
    }

    private var isEnded: Bool {
        lock.locked { if case .ended = state { true } else { false } }
    }

    private func run() {
        var backoff = Backoff()
        var wasConnected = false
        var isInterrupted = false
        while !isEnded {
            var isLetIn = false
            do throws(SwipeClientError) {
                let patience = SystemTime.deadline(after: Link.greetingPatience)
                let socket = try UnixSocket(path: path, wakeUp: wakeUp) { () throws(SwipeClientError) in
                    try look(until: patience)
                }
                isLetIn = true
                var reader = MessageReader()
                let hello = try reader.hello(socket) { () throws(SwipeClientError) in
                    try look(until: patience)
                }
                wasConnected = true
                if isInterrupted { onInterruption(end(with: hello)) }
                isInterrupted = false
                opened(hello)
                let beginning = SystemTime.now()
                let error = serve(socket, &reader)
                if wasOfUse(since: beginning) { backoff.reset() }
                throw error
            } catch {
                // A daemon that binds its socket itself lets nobody in for a moment: once there was one, no failure to
                // get in is final.
                let mayPass = !isLetIn || !error.isFinal
                let mayTryAgain = reconnects && wasConnected && mayPass && isWanted
                interrupted(error)
                guard mayTryAgain else { return end(error) }
                let milliseconds = backoff.next()
                if !isInterrupted { onInterruption(.began(retryInMilliseconds: milliseconds)) }
                isInterrupted = true
                pause(milliseconds: milliseconds)
            }
        }
    }

    /// Whether a connection, which broke, brought something new, or held for longer than any pause.
    ///
    /// A daemon that greets and then ends each connection is not asked as fast as it answers.
    private func wasOfUse(since beginning: UInt64) -> Bool {
        let longest = UInt64(Backoff.milliseconds.upperBound) * 1_000_000
        return lock.locked { hasServed } || SystemTime.now() - beginning > longest
    }

    /// Looks around while a connection is being made: how many milliseconds it may take until the next look.
    private func look(until end: UInt64) throws(SwipeClientError) -> Int32 {
        if isEnded { throw SwipeClientError(.closed, "the client was closed") }
        expire()
        guard SystemTime.now() < end else { throw SwipeClientError(.timedOut, "the daemon did not greet") }
        return SystemTime.milliseconds(until: min(end, nextDeadline ?? end))
    }

    /// Waits before the next attempt. Who waits for a connection meanwhile is told when their time is over.
    private func pause(milliseconds: Int) {
        let end = SystemTime.deadline(after: .milliseconds(milliseconds))
        while !isEnded, SystemTime.now() < end {
            expire()
            wakeUp.wait(milliseconds: SystemTime.milliseconds(until: min(end, nextDeadline ?? end)))
            wakeUp.clear()
        }
    }

    /// How an interruption ends with this greeting.
    private func end(with hello: Hello) -> Interruption {
        let last = lock.locked { lastSeen }
        guard let last, last.instance == hello.instance else { return .endedAnew }
        return .ended(since: last.sequence)
    }

    /// Whether somebody listens, or holds a reader.
    private var isWanted: Bool { lock.locked { !claims.isEmpty || !listeners.isEmpty } }

    private func opened(_ hello: Hello) {
        let waiting = lock.locked { () -> [GreetingWaiters.Continuation] in
            if case .ended = state { return [] }
            state = .running(hello: hello)
            hasServed = false
            subscribeAgain(hello)
            // After the subscription: what comes with a claim, a swipe that was held, then comes after what was missed.
            for reader in claims.readers { claimAgain(reader) }
            return waiters.takeAll()
        }
        for continuation in waiting { continuation.resume(returning: .success(hello)) }
    }

    /// Until the connection breaks: why it did.
    private func serve(_ socket: borrowing UnixSocket, _ reader: inout MessageReader) -> SwipeClientError {
        var outbox = Outbox()
        while !isEnded {
            do throws(SwipeClientError) {
                while let (message, line) = try reader.next() { try handle(message, line) }
                // After what arrived, which may have led to requests of our own.
                try sendOutgoing(socket, &outbox)
                let deadline = [nextDeadline, outbox.deadline].compactMap(\.self).min()
                switch socket.wait(
                    milliseconds: SystemTime.milliseconds(until: deadline), orToWrite: !outbox.isEmpty)
                {
                case .readable: try reader.read(socket)
                case .woken: wakeUp.clear()
                case .writable, .timedOut: break
                }
                expire()
            } catch {
                return error
            }
        }
        return SwipeClientError(.closed, "the client was closed")
    }

    private func sendOutgoing(
        _ socket: borrowing UnixSocket, _ outbox: inout Outbox
    ) throws(SwipeClientError) {
        let lines = lock.locked { () -> [EncodedLine] in
            defer { outgoing = [] }
            return outgoing
        }
        outbox.append(lines)
        guard outbox.write(to: socket) else {
            throw SwipeClientError(.connectionLost, "the connection broke")
        }
    }

    /// When the next one who waits has waited long enough.
    private var nextDeadline: UInt64? {
        lock.locked { [pending.firstDeadline, waiters.firstDeadline].compactMap(\.self).min() }
    }

    private func expire() {
        let now = SystemTime.now()
        let (answers, waiting) = lock.locked { (pending.takeLate(at: now), waiters.takeLate(at: now)) }
        for answer in answers { answer(.failure(SwipeClientError(.timedOut, "no answer in time"))) }
        let error = SwipeClientError(.timedOut, "no connection to the daemon in time")
        for continuation in waiting { continuation.resume(returning: .failure(error)) }
    }

    /// The connection is gone: what was asked is not answered any more.
    private func interrupted(_ error: SwipeClientError) {
        let lost = lock.locked { () -> [Answer] in
            if case .running = state { state = .running(hello: nil) }
            outgoing = []
            subscribed = nil
            listeners.interrupted()
            return pending.takeAll()
        }
        for answer in lost { answer(.failure(error)) }
    }

    func end(_ error: SwipeClientError) {
        let (waiting, buffers) = lock.locked { () -> ([GreetingWaiters.Continuation], [EventBuffer]) in
            if case .ended = state { return ([], []) }
            // Whoever uses the client again connects again, unless it was closed.
            state = error.code == .closed ? .ended(error) : .idle
            for scope in claims.scopes { scope.state = error.code == .closed ? .givenBack : .lost(error) }
            claims = HeldClaims()
            lastSeen = nil
            let buffers = listeners.buffers
            listeners = Listeners()
            return (waiters.takeAll(), buffers)
        }
        for continuation in waiting { continuation.resume(returning: .failure(error)) }
        for buffer in buffers { buffer.finish(error.code == .closed ? nil : error) }
    }
}
