internal import NIOCore
internal import SwipeProtocol

extension EventHub {
    /// Answers a request, now or when the backend has.
    ///
    /// What a client's roles do not allow is refused first, so that a client that may not ask learns nothing of readers
    /// and claims.
    func answer(_ request: Request, from connection: ConnectionHandler) {
        let method = request.call.method
        if let refusal = method.need.refusal(of: method, to: connection.identity?.roles ?? []) {
            return connection.reply(to: request.id, error: refusal)
        }
        switch request.call {
        case .ping: connection.reply(to: request.id, .ping, EmptyResult())
        case .barrier: barrier(request.id, connection)
        case .readers: connection.reply(to: request.id, .readers, readerList())
        case .subscribe(let subscription): subscribe(connection, subscription, request.id)
        case .unsubscribe:
            connection.subscription = nil
            connection.reply(to: request.id, .unsubscribe, EmptyResult())
        case .schema: connection.reply(to: request.id, .schema, ProtocolSchema.encoded)
        case .stats(let reader): stats(reader, request.id, connection)
        case .claim(let reader, let mode, let token): claim(reader, mode, token, request.id, connection)
        case .release(let reader): release(reader, request.id, connection)
        case .retain(let reader): retain(reader, request.id, connection)
        case .control(let control, let reader): self.control(control, reader, request.id, connection)
        }
    }

    /// Answers after what other threads have published: that waits in the loop, which reads requests before it.
    private func barrier(_ id: RequestID, _ connection: ConnectionHandler) {
        connection.beginWaiting()
        loop.assumeIsolated().execute {
            connection.reply(to: id, .barrier, EmptyResult())
            connection.endWaiting()
        }
    }

    private func readerList() -> ReaderList {
        ReaderList(
            readers: listedReaders(nil), audioInputs: audioInputs.values.sorted { $0.id < $1.id },
            unusedInputs: unusedInputs)
    }

    func listedReaders(_ wanted: Set<String>?) -> [ReaderInfo] {
        readers.values.filter { wanted?.contains($0.id) ?? true }.sorted { $0.id < $1.id }.map { reader in
            var reader = reader
            reader.claimedBy = claims.holder(of: reader.id)
            return reader
        }
    }

    private func stats(_ reader: String?, _ id: RequestID, _ connection: ConnectionHandler) {
        if let reader, counts[reader] == nil {
            return connection.reply(to: id, error: EventHub.unknown(reader))
        }
        var report = report()
        report.readers.removeAll { reader != nil && $0.id != reader }
        connection.reply(to: id, .stats, report)
    }

    func report() -> ServerReport {
        var statistics = statistics
        statistics.connectionsRefused = door.refused
        statistics.connectionsLimit = limits.connections
        statistics.descriptorsLimit = limits.descriptors
        return ServerReport(
            statistics: statistics, at: EventInstant.monotonic(), sequence: sequence,
            readers: counts.all.map { id, counts in
                ServerReport.Reader(
                    id: id, info: readers[id], isClaimed: claims.holder(of: id) != nil, counts: counts)
            }.sorted { $0.id < $1.id })
    }

    // MARK: Subscriptions

    private func subscribe(_ connection: ConnectionHandler, _ subscription: Subscription, _ id: RequestID) {
        if let since = subscription.since, since.instance == instance, since.sequence > sequence {
            return connection.reply(
                to: id,
                error: ErrorReply(
                    .parameterInvalid,
                    "since.seq is \(since.sequence), and no event has a number above \(sequence) yet"))
        }
        if let since = subscription.since {
            // One replay at a time: what waits for a connection is bounded.
            let kept =
                since.instance == instance && !connection.isReplaying
                ? ring.entries(after: since.sequence, upTo: sequence) : nil
            if let kept { return replay(kept, since: since.sequence, connection, subscription, id) }
        }
        let wantsReaders = subscription.wantsSnapshot || subscription.since != nil
        let snapshot = Snapshot(
            sequence: sequence, readers: wantsReaders ? listedReaders(subscription.readers) : nil)
        // An answer that does not fit is an error, and an error changes nothing: the last subscription holds.
        guard let answer = connection.answer(to: id, .subscribe, snapshot) else { return }
        connection.subscription = subscription
        if let since = subscription.since { tellOfGap(since, connection) }
        connection.send(answer)
    }

    /// Says what cannot be replayed. A client that has everything misses nothing, also while its last replay still
    /// waits.
    private func tellOfGap(_ since: Subscription.Point, _ connection: ConnectionHandler) {
        if since.instance != instance {
            connection.enqueue(Delivery(gapLine(from: 0, to: 0, .restart)))
        } else if since.sequence < sequence {
            let reason: GapReason = connection.isReplaying ? .notKept : .ring
            connection.enqueue(Delivery(gapLine(from: since.sequence + 1, to: sequence, reason)))
        }
    }

    /// Sends what was missed: states as they were, and a `gap` where something is missing that is never kept.
    private func replay(
        _ entries: [EventRing.Entry], since: UInt64, _ connection: ConnectionHandler,
        _ subscription: Subscription,
        _ id: RequestID
    ) {
        connection.subscription = subscription
        connection.reply(to: id, .subscribe, Snapshot(sequence: since, readers: nil))
        var missing: (from: UInt64, to: UInt64)?
        func endGap() {
            guard let (from, to) = missing else { return }
            connection.enqueue(Delivery(gapLine(from: from, to: to, .notKept)), isReplay: true)
            missing = nil
        }
        for entry in entries {
            guard !subscription.events.isDisjoint(with: entry.kinds),
                subscription.readers.map(entry.concerns) ?? true
            else { continue }
            if let delivery = entry.delivery {
                endGap()
                connection.enqueue(delivery, isReplay: true)
            } else {
                missing = (missing?.from ?? max(entry.first, since + 1), entry.sequence)
            }
        }
        endGap()
    }

    // MARK: Controls

    private func control(
        _ control: ControlRequest, _ reader: String?, _ id: RequestID, _ connection: ConnectionHandler
    ) {
        guard let identity = connection.identity else { return }
        if let refusal = refusal(of: control, reader, identity) {
            return connection.reply(to: id, error: refusal)
        }
        connection.beginControl()
        let (backend, loop) = (backend, loop)
        let waiting = NIOLoopBound(connection, eventLoop: loop)
        Task {
            let result = await backend.control(control, reader: reader, by: identity)
            loop.execute {
                switch result {
                case .success(let value): waiting.value.reply(to: id, control.method, value)
                case .failure(let error): waiting.value.reply(to: id, error: error)
                }
                waiting.value.endControl()
            }
        }
    }

    private func refusal(
        of control: ControlRequest, _ reader: String?, _ identity: ClientIdentity
    ) -> ErrorReply? {
        // A sound input that nothing is plugged into can be set up all the same, by an administrator.
        if let reader, readers[reader] == nil, audioInputs[reader] == nil, control.method != .simulate {
            return EventHub.unknown(reader)
        }
        guard control.method.controlsReader, !identity.roles.contains(.admin) else { return nil }
        let isHeld = reader.map { claims.isHeld($0, by: identity.connection) } ?? false
        return isHeld ? nil : ErrorReply(.claimRequired, "claim the reader first")
    }
}
