internal import NIOCore
internal import SwipeProtocol

extension EventHub {
    /// Answers a request, now or when the backend has.
    ///
    /// What a client's roles do not allow is refused first, so that a client that may not ask learns nothing of readers
    /// and claims.
    func answer(_ request: Request, from connection: ConnectionHandler) -> Answer {
        statistics.requests += 1
        let (id, method) = (request.id, request.call.method)
        guard let identity = connection.identity else { return .given }
        if let refusal = method.need.refusal(of: method, to: identity.roles) {
            return .line(error(id, refusal))
        }
        return switch request.call {
        case .ping: .line(line(id, .ping, EmptyResult()))
        case .barrier: barrier(id, connection)
        case .readers: .line(line(id, .readers, readers.list(claims)))
        case .subscribe(let subscription): subscribe(subscription, id, isReplaying: connection.isReplaying)
        case .unsubscribe:
            .subscribed(nil, [Answer.Line(delivery: Delivery(line(id, .unsubscribe, EmptyResult())))])
        case .narrow(let role): narrow(identity, to: role, id)
        case .schema: .line(line(id, .schema, ProtocolSchema.encoded))
        case .stats(let reader): .line(stats(reader, id))
        case .claim(let reader, let mode, let token): claim(reader, mode, token, id, identity)
        case .release(let reader): release(reader, id, connection)
        case .retain(let reader): retain(reader, id, connection)
        case .control(let control, let reader): self.control(control, reader, id, identity, connection)
        }
    }

    // MARK: Lines

    /// The line of an answer, or of the error where it does not fit one.
    func line(_ id: RequestID, _ method: Method, _ result: some JSONEncodable) -> EncodedLine {
        switch fitting(id, method, result) {
        case .success(let line): line
        case .failure(let refusal): error(id, refusal)
        }
    }

    func error(_ id: RequestID, _ reply: ErrorReply) -> EncodedLine { Reply.line(id: id, error: reply) }

    private func fitting(
        _ id: RequestID, _ method: Method, _ result: some JSONEncodable
    ) -> Result<EncodedLine, ErrorReply> {
        let line = Reply.line(id: id, result: result)
        #if DEBUG
            // For every reader of the line, also a program in another language: no test passes with an answer that does
            // not fit the schema.
            if let complaint = complaint(about: line, answering: method) {
                return .failure(ErrorReply(.serverFailed, complaint))
            }
        #endif
        return line.count <= ProtocolLimits.lineOut
            ? .success(line) : .failure(ErrorReply(.replyTooLong, "the answer has \(line.count) bytes"))
    }

    /// Answers after what other threads have published: that waits in the loop, which reads requests before it.
    private func barrier(_ id: RequestID, _ connection: ConnectionHandler) -> Answer {
        loop.assumeIsolated().execute {
            connection.answered([Delivery(self.line(id, .barrier, EmptyResult()))])
        }
        return .later
    }

    /// From the answer on the connection sees and may do less. What it holds stays its own.
    private func narrow(_ identity: ClientIdentity, to role: Role, _ id: RequestID) -> Answer {
        var identity = identity
        identity.roles = identity.roles.narrowed(to: role)
        return .narrowed(identity, line(id, .narrow, hello(for: identity).you))
    }

    private func stats(_ reader: String?, _ id: RequestID) -> EncodedLine {
        if let reader, readers.counts[reader] == nil { return error(id, EventHub.unknown(reader)) }
        var report = report()
        report.readers.removeAll { reader != nil && $0.id != reader }
        return line(id, .stats, report)
    }

    func report() -> ServerReport {
        var statistics = statistics
        statistics.connectionsRefused = door.refused
        statistics.connectionsLimit = limits.connections
        statistics.descriptorsLimit = limits.descriptors
        return ServerReport(
            statistics: statistics, at: EventInstant.monotonic(), sequence: sequence,
            readers: readers.figures(claims))
    }

    // MARK: Subscriptions

    private func subscribe(_ subscription: Subscription, _ id: RequestID, isReplaying: Bool) -> Answer {
        if let since = subscription.since, since.instance == instance, since.sequence > sequence {
            return .line(
                error(
                    id,
                    ErrorReply(
                        .parameterInvalid,
                        "since.seq is \(since.sequence), and no event has a number above \(sequence) yet")))
        }
        if let since = subscription.since {
            // One replay at a time: what waits for a connection is bounded.
            let kept =
                since.instance == instance && !isReplaying
                ? ring.entries(after: since.sequence, upTo: sequence) : nil
            if let kept { return replay(kept, since: since.sequence, subscription, id) }
        }
        let wantsReaders = subscription.wantsSnapshot || subscription.since != nil
        let snapshot = Snapshot(
            sequence: sequence, readers: wantsReaders ? readers.listed(subscription.readers, claims) : nil)
        switch fitting(id, .subscribe, snapshot) {
        // An answer that does not fit is an error, and an error changes nothing: the last subscription holds.
        case .failure(let refusal): return .line(error(id, refusal))
        case .success(let answer):
            let missed = subscription.since.flatMap { gap(since: $0, isReplaying: isReplaying) }
            return .subscribed(
                subscription, [missed, answer].compactMap { $0.map { Answer.Line(delivery: Delivery($0)) } })
        }
    }

    /// Says what cannot be replayed. A client that has everything misses nothing, also while its last replay still
    /// waits.
    private func gap(since: Subscription.Point, isReplaying: Bool) -> EncodedLine? {
        guard since.instance == instance else { return gapLine(from: 0, to: 0, .restart) }
        guard since.sequence < sequence else { return nil }
        return gapLine(from: since.sequence + 1, to: sequence, isReplaying ? .notKept : .ring)
    }

    /// What was missed: states as they were, and a `gap` where something is missing that is never kept.
    private func replay(
        _ entries: [EventRing.Entry], since: UInt64, _ subscription: Subscription, _ id: RequestID
    ) -> Answer {
        let snapshot = line(id, .subscribe, Snapshot(sequence: since, readers: nil))
        var lines = [Answer.Line(delivery: Delivery(snapshot))]
        var missing: (from: UInt64, to: UInt64)?
        func endGap() {
            guard let (from, to) = missing else { return }
            lines.append(
                Answer.Line(delivery: Delivery(gapLine(from: from, to: to, .notKept)), isReplay: true))
            missing = nil
        }
        for entry in entries {
            guard !subscription.events.isDisjoint(with: entry.kinds),
                subscription.readers.map(entry.concerns) ?? true
            else { continue }
            if let delivery = entry.delivery {
                endGap()
                lines.append(Answer.Line(delivery: delivery, isReplay: true))
            } else {
                missing = (missing?.from ?? max(entry.first, since + 1), entry.sequence)
            }
        }
        endGap()
        return .subscribed(subscription, lines)
    }

    // MARK: Controls

    private func control(
        _ control: ControlRequest, _ reader: String?, _ id: RequestID, _ identity: ClientIdentity,
        _ connection: ConnectionHandler
    ) -> Answer {
        if let refusal = refusal(of: control, reader, identity) { return .line(error(id, refusal)) }
        let (backend, loop) = (backend, loop)
        let waiting = NIOLoopBound((hub: self, connection: connection), eventLoop: loop)
        Task {
            let result = await backend.control(control, reader: reader, by: identity)
            loop.execute {
                let (hub, connection) = waiting.value
                let line =
                    switch result {
                    case .success(let value): hub.line(id, control.method, value)
                    case .failure(let error): hub.error(id, error)
                    }
                connection.answered([Delivery(line)])
            }
        }
        return .control
    }

    private func refusal(
        of control: ControlRequest, _ reader: String?, _ identity: ClientIdentity
    ) -> ErrorReply? {
        if let reader, !readers.canBeSetUp(reader), control.method != .simulate {
            return EventHub.unknown(reader)
        }
        guard control.method.controlsReader, !identity.roles.contains(.admin) else { return nil }
        let isHeld = reader.map { claims.isHeld($0, by: identity.connection) } ?? false
        return isHeld ? nil : ErrorReply(.claimRequired, "claim the reader first")
    }
}
