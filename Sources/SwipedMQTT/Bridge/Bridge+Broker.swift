internal import SwipeProtocol

/// What the broker says, and what came of what it was told.
extension Bridge {
    mutating func take(_ news: BrokerNews, of number: Int, at now: Moment) -> [BridgeAction] {
        switch news {
        case .connected:
            connection = number
            isConnected = true
            counts.connections += 1
            outbox.connected(first: topics.topic(.availability))
            return [
                .log(
                    BridgeLogLine(
                        level: .info, event: "mqtt.connected", words: "connected to the broker",
                        details: ["broker": configuration.broker.host]))
            ] + listen() + listenAtFirst(at: now)
        case .lost(let why, let pause):
            let wasThere = isConnected
            isConnected = false
            counts.brokerFailures += 1
            outbox.disconnected()
            let isNews = wasThere || counts.brokerFailures == 1
            return isNews
                ? [
                    .log(
                        BridgeLogLine(
                            level: .warning, event: "mqtt.disconnected",
                            words: "no connection to the broker: \(why)",
                            details: [
                                "broker": configuration.broker.host,
                                "retry_ms": "\(Int64(pause / .milliseconds(1)))",
                            ]))
                ] : []
        case .settled(let message, let isRefused):
            guard number == connection else { return [] }
            return settled(outbox.settled(message, isRefused: isRefused))
        case .received(let topic, let payload, let isRetained):
            guard number == connection else { return [] }
            return received(topic, payload, isRetained: isRetained, at: now)
        }
    }

    private mutating func settled(_ what: Outbox.Settled) -> [BridgeAction] {
        switch what {
        case .state: counts.statesPublished += 1
        case .swipe: counts.swipesPublished += 1
        case .loss: counts.lossesPublished += 1
        case .answer, .unknown: break
        case .refused:
            counts.refused += 1
            // Once: a rule of the broker's refuses each message of its kind.
            guard counts.refused == 1 else { return [] }
            return [
                .log(
                    BridgeLogLine(
                        level: .error, event: "mqtt.refused",
                        words: "the broker does not take a message: look at its rules for this host"))
            ]
        }
        return stopBy != nil && outbox.isEmpty ? [.end] : []
    }

    /// What each connection asks for: its session begins with it.
    private func listen() -> [BridgeAction] {
        let commands = desk.allowed.isEmpty ? nil : topics.filter(.command)
        return [commands, discovery?.statusTopic].compactMap(\.self).map { .subscribe($0) }
    }

    /// What the run before this one has left at the broker.
    private mutating func listenAtFirst(at now: Moment) -> [BridgeAction] {
        guard !hasListened else { return [] }
        hasListened = true
        listensForLeftovers = now.monotonic + Self.leftoverPatience
        if case .awaitingPosition = daemon {
            daemon = .awaitingPosition(until: now.monotonic + Self.retainedPatience)
        }
        return leftoverFilters.map { .subscribe($0) }
    }

    var leftoverFilters: [String] {
        [topics.topic(.bridge), topics.filter(.state)].compactMap(\.self)
    }

    private mutating func received(
        _ topic: String, _ payload: [UInt8], isRetained: Bool, at now: Moment
    ) -> [BridgeAction] {
        if let discovery, topic == discovery.statusTopic {
            // It has started, and may have forgotten us.
            if payload == Discovery.statusOnline { outbox.sendAgain { $0.hasPrefix(discovery.prefix + "/") } }
            return []
        }
        if let reader = readers.first(where: { topics.topic(.command, reader: $0) == topic }) {
            // A command that was kept is one of yesterday.
            return isRetained ? [] : command(payload, reader, at: now)
        }
        // What is not retained is our own, coming back.
        guard isRetained, listensForLeftovers != nil else { return [] }
        if topic == topics.topic(.bridge) { return takePosition(BridgeReport.position(payload)) }
        leftovers.insert(topic)
        if isDaemonThere, readersKnown { takeBackLeftovers() }
        return []
    }

    private mutating func takePosition(_ last: Subscription.Point?) -> [BridgeAction] {
        if case .awaitingPosition = daemon { return begin(after: last) }
        // Too late to ask the daemon: it is only known which numbers are missing.
        guard let last, let begunAt, last.instance == begunAt.instance, last.sequence < begunAt.sequence
        else { return [] }
        self.begunAt = nil
        return [
            tell(
                Loss(
                    .bridgeRestart, instance: last.instance, from: last.sequence + 1, to: begunAt.sequence))
        ]
    }

    mutating func begin(after point: Subscription.Point?) -> [BridgeAction] {
        daemon = .away
        position = point
        return [.beginDaemon(after: point)]
    }

    // MARK: Commands

    private mutating func command(_ payload: [UInt8], _ reader: String, at now: Moment) -> [BridgeAction] {
        counts.commands += 1
        switch desk.take(payload, reader: reader) {
        case .success(let command):
            let line = BridgeLogLine(
                level: .info, event: "mqtt.command", words: "a command came over the broker",
                details: ["reader": reader, "method": command.request.method.rawValue])
            return [.log(line), .perform(command)]
        case .failure(let refusal):
            answer(Reply.line(id: refusal.id, error: refusal.reply), reader, at: now)
            return []
        }
    }

    mutating func answered(
        _ command: CommandDesk.Command, _ result: Result<JSONValue, ErrorReply>, at now: Moment
    ) -> [BridgeAction] {
        desk.done()
        switch result {
        case .success(let value): answer(Reply.line(id: command.id, result: value), command.reader, at: now)
        case .failure(let error): answer(Reply.line(id: command.id, error: error), command.reader, at: now)
        }
        return []
    }

    private mutating func answer(_ line: EncodedLine, _ reader: String, at now: Moment) {
        outbox.add(
            Outbox.Answer(
                topic: topics.topic(.response, reader: reader),
                payload: line.withBytes { Array($0.dropLast()) },
                deadline: now.monotonic + Self.answerPatience))
    }

    /// How long anybody waits for an answer.
    private static let answerPatience: UInt64 = 30_000_000_000
}
