internal import SwipeProtocol

/// What the daemon is asked for: what the streams want together, and the readers that a claim waits for.
///
/// All of it with the lock held, unless it says otherwise.
extension Link {
    /// What is wanted now; nil for nothing.
    private var interest: Interest? {
        let missed = claims.missed
        guard !missed.isEmpty else { return listeners.interest }
        var interest = listeners.interest ?? Interest()
        interest.add(EventKinds(.connect), of: missed)
        return interest
    }

    /// Asks for what a new stream wants as well, from where it begins; without one, for what is wanted now.
    func ask(for buffer: EventBuffer?, _ hello: Hello) {
        guard let buffer else { return renewSubscription() }
        subscribe(since: buffer.start.point(in: hello), for: [ObjectIdentifier(buffer)])
    }

    /// Asks for what is wanted now, where that is something else than before.
    func renewSubscription() {
        guard case .running(.some) = state, interest != subscribed else { return }
        subscribe(since: nil, for: [])
    }

    /// Asks for everything again on a new connection.
    func subscribeAgain(_ hello: Hello) {
        let known = lastSeen
        if known?.instance != hello.instance { listeners.forgetNumbers() }
        let goesOn = known != nil && listeners.isAnyInformed
        let point = goesOn ? known : Subscription.Point(instance: hello.instance, sequence: hello.sequence)
        if !goesOn { lastSeen = point }
        let returning = listeners.returning
        if var point, !returning.isEmpty {
            // A replay that was broken off begins again where it stopped.
            point.sequence = min(point.sequence, listeners.replaysFrom ?? point.sequence)
            subscribe(since: point, for: returning)
        }
        let beginning = listeners.beginning
        if !beginning.isEmpty { subscribe(since: nil, for: beginning) }
        renewSubscription()
    }

    /// One subscription serves all streams; these are told of the readers that its answer lists.
    private func subscribe(since: Subscription.Point?, for targets: Set<Listeners.ID>) {
        subscribed = interest
        guard let interest else { return queue(.unsubscribe, deadline: UInt64.max) { _ in } }
        queue(.subscribe(interest.subscription(since: since)), deadline: UInt64.max) { [weak self] result in
            self?.answered(targets, result)
        }
        guard since != nil else { return }
        listeners.replayBegins(for: targets)
        // Its answer comes behind what is replayed.
        queue(.barrier, deadline: UInt64.max) { [weak self] result in
            guard let self, case .success = result else { return }
            lock.locked { listeners.replayEnded() }
        }
    }

    // MARK: Without the lock

    private func answered(_ targets: Set<Listeners.ID>, _ result: Result<JSONValue, SwipeClientError>) {
        switch result {
        case .success(let json):
            do throws(WireError) { inform(targets, try Snapshot(json: json)) } catch {
                refuse(targets, SwipeClientError(.protocolError, "subscribe: \(error)"))
            }
        case .failure(let error):
            // A connection that broke asks again when it is back.
            if error.reply != nil { refuse(targets, error) }
        }
    }

    /// Tells streams that are new, or that missed something, which readers there are.
    private func inform(_ targets: Set<Listeners.ID>, _ snapshot: Snapshot) {
        let readers = snapshot.readers ?? []
        let informed = lock.locked {
            note(snapshot.sequence)
            for reader in readers { came(reader.id) }
            return listeners.inform(targets, at: snapshot.sequence)
        }
        let events = readers.map { reader in
            Event(
                sequence: nil, time: SystemTime.wallTime(),
                monotonicNanoseconds: SystemTime.now(), reader: reader.id, attachment: reader.attachment,
                isSimulated: reader.isSimulated, body: .connect(reader))
        }
        for stream in informed {
            for event in events { deliver(EventStream.Arrival(event: event, line: nil), to: stream.buffer) }
            for arrival in stream.early { deliver(arrival, to: stream.buffer) }
        }
    }

    /// The daemon does not give these streams what they want: they end with what it said.
    private func refuse(_ targets: Set<Listeners.ID>, _ error: SwipeClientError) {
        let buffers = lock.locked { () -> [EventBuffer] in
            let buffers = targets.compactMap { listeners.remove($0) }
            if !buffers.isEmpty { renewSubscription() }
            return buffers
        }
        for buffer in buffers { buffer.finish(error) }
    }
}
