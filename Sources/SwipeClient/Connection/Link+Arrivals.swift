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
        // Behind it: a stream that ends with the claim has been told.
        if case .claimReleased(let why, let holder) = event.body, let reader = event.reader {
            claimEnded(reader, why, of: holder)
        }
    }

    func deliver(_ arrival: EventStream.Arrival, to buffer: EventBuffer) {
        guard !buffer.deliver(arrival, mayWait: { !isAsked }) else { return }
        buffer.finish(
            SwipeClientError(.tooSlow, "the program does not read the stream's events: too many of them wait")
        )
        detach(buffer)
    }

    // MARK: With the lock held

    /// The state up to that event is known. A replay that another stream asked for does not lead back.
    func note(_ sequence: UInt64) {
        guard case .running(let hello?) = state else { return }
        let last = lastSeen?.instance == hello.instance ? lastSeen?.sequence ?? 0 : 0
        lastSeen = Subscription.Point(instance: hello.instance, sequence: max(last, sequence))
    }
}
