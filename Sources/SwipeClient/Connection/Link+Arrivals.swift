internal import SwipeProtocol

/// What the daemon sends, on the connection's thread.
extension Link {
    func handle(_ message: ServerMessage, _ line: [UInt8]) throws(SwipeClientError) {
        switch message {
        case .hello, .otherVersion: throw SwipeClientError(.protocolError, "a second greeting")
        case .event(let event): try handle(EventStream.Arrival(event: event, line: line))
        case .reply(let reply):
            guard case .integer(let id) = reply.id else { return }
            let answer = lock.locked { () -> Answer? in
                if case .success = reply.outcome { giveBackLateClaim(id) }
                return pending.take(id)
            }
            answer?(reply.outcome.mapError { SwipeClientError($0) })
        }
    }

    private func handle(_ arrival: EventStream.Arrival) throws(SwipeClientError) {
        let event = arrival.event
        if case .bye(let code) = event.body { throw SwipeClientError(code) }
        let buffers = lock.locked { () -> [EventBuffer] in
            if let last = lastSeen?.sequence, let sequence = event.sequence {
                hasServed = hasServed || sequence > last
                lastSeen?.sequence = max(last, sequence)
            }
            if case .connect(let reader) = event.body { came(reader.id) }
            return listeners.takers(of: arrival)
        }
        for buffer in buffers { deliver(arrival, to: buffer) }
    }

    func deliver(_ arrival: EventStream.Arrival, to buffer: EventBuffer) {
        guard !buffer.deliver(arrival, mayWait: { !isAsked }) else { return }
        buffer.finish(SwipeClientError(.tooSlow, "nobody takes the stream's events: too many of them wait"))
        detach(buffer)
    }

    // MARK: With the lock held

    /// The state up to that event is known. A replay that another stream asked for does not lead back.
    func note(_ sequence: UInt64) {
        guard case .running(let hello?) = state else { return }
        let last = lastSeen?.instance == hello.instance ? lastSeen?.sequence ?? 0 : 0
        lastSeen = Subscription.Point(instance: hello.instance, sequence: max(last, sequence))
    }

    /// A reader is there.
    func came(_ reader: String) {
        if claims.isMissed(reader) { claimAgain(reader) }
    }

    /// Gives a reader back that was granted when nobody waited for it any more, unless it is wanted again.
    private func giveBackLateClaim(_ id: Int64) {
        guard let reader = pending.takeLateClaim(id), !claims.isKnown(reader), !pending.isClaiming(reader)
        else { return }
        queue(.release(reader: reader), deadline: UInt64.max) { _ in }
    }

    func claimAgain(_ reader: String) {
        claims.isAsked(reader)
        queue(
            .claim(reader: reader, .tryOnly, token: claims.token(of: reader)), deadline: UInt64.max
        ) { [weak self] result in
            guard let self else { return }
            lock.locked {
                claims.answered(reader, result)
                // It may be that we wait for the reader now.
                renewSubscription()
            }
        }
    }
}
