internal import SwipeProtocol

/// What the broker says, and what came of what it was told.
extension Bridge {
    mutating func take(_ news: BrokerNews, of number: Int, at now: Moment) -> [BridgeAction] {
        switch news {
        case .connected: return connected(number, at: now)
        case .lost(let why, let pause): return lost(why, pause, at: now)
        case .settled(let message, let isRefused):
            guard number == connection else { return [] }
            return settled(outbox.settled(message, isRefused: isRefused), Self.rules, at: now)
        case .received(let topic, let payload, let isRetained):
            guard number == connection else { return [] }
            return received(topic, payload, isRetained: isRetained, at: now)
        case .subscriptionRefused: return number == connection ? deaf() : []
        }
    }

    private static let rules = "the broker does not take a message: look at its rules for this host"
    private static let limits = "the broker takes no such message: look at its limits (packet size, QoS)"

    private mutating func connected(_ number: Int, at now: Moment) -> [BridgeAction] {
        connection = number
        isConnected = true
        brokerComplaint = nil
        counts.connections += 1
        outbox.connected(first: topics.topic(.availability))
        let line = BridgeLogLine(
            level: .info, event: "mqtt.connected", words: "connected to the broker",
            details: ["broker": configuration.broker.host])
        return [.log(line)] + listen() + listenForLastRun(at: now)
    }

    private mutating func lost(_ why: String, _ pause: Duration, at now: Moment) -> [BridgeAction] {
        isConnected = false
        counts.brokerFailures += 1
        outbox.disconnected()
        lastRun.connectionIsLost(at: now.monotonic)
        // The same again and again is no news.
        guard why != brokerComplaint else { return [] }
        brokerComplaint = why
        return [
            .log(
                BridgeLogLine(
                    level: .warning, event: "mqtt.disconnected", words: "no connection to the broker: \(why)",
                    details: [
                        "broker": configuration.broker.host, "retry_ms": "\(Int64(pause / .milliseconds(1)))",
                    ]))
        ]
    }

    /// What came of a message that was to be handed over.
    mutating func handed(
        _ outgoing: Outbox.Outgoing, _ handing: Handing, at now: Moment
    ) -> [BridgeAction] {
        switch handing {
        case .sent(let message): outbox.sent(outgoing, as: message, at: now.monotonic)
        case .never: return settled(outbox.refused(outgoing), Self.limits, at: now)
        case .notNow: outbox.giveBack(outgoing)
        }
        return []
    }

    private mutating func settled(
        _ what: Outbox.Settled, _ refusal: String, at now: Moment
    ) -> [BridgeAction] {
        var actions: [BridgeAction] = []
        switch what {
        case .state: counts.statesPublished += 1
        case .swipe: counts.swipesPublished += 1
        case .loss(let loss):
            counts.lossesPublished += 1
            // Of the others the log has heard when they came.
            if loss.reason.isExact { actions = [Self.line(of: loss, "swipes are lost")] }
        case .answer, .unknown: break
        case .refused(let what, let topic): actions = refused(what, topic, refusal)
        }
        return actions + leave(at: now)
    }

    private mutating func refused(
        _ what: Outbox.What, _ topic: String?, _ words: String
    ) -> [BridgeAction] {
        counts.refused += 1
        let isDiscovery = discovery.map { topic?.hasPrefix($0.prefix + "/") == true } ?? false
        let kind = isDiscovery ? "discovery" : what.rawValue
        // Once a kind: what refuses one refuses each of its kind.
        guard refusedKinds.insert(kind).inserted else { return [] }
        var details = ["what": kind]
        if let topic { details["topic"] = topic }
        return [.log(BridgeLogLine(level: .error, event: "mqtt.refused", words: words, details: details))]
    }

    /// A broker that is there, and does not answer what it is told, is given up like one that is silent: else a few messages would hold
    /// up all others for ever.
    func giveUpTheSilent(at now: Moment) -> [BridgeAction] {
        let patience = 2 * UInt64(configuration.broker.keepAlive) * 1_000_000_000
        guard isConnected, let since = outbox.unansweredSince, now.monotonic >= since + patience else {
            return []
        }
        return [.giveUpBroker(connection: connection)]
    }

    /// Commands would not come, and nobody would know why.
    private mutating func deaf() -> [BridgeAction] {
        guard !isDeaf else { return [] }
        isDeaf = true
        return [
            .log(
                BridgeLogLine(
                    level: .error, event: "mqtt.deaf",
                    words: "the broker does not let this host listen: look at its rules for it"))
        ]
    }

    /// What each connection asks for: its session begins with it.
    private func listen() -> [BridgeAction] {
        let commands = desk.allowed.isEmpty ? nil : topics.filter(.command)
        return [commands, discovery?.statusTopic].compactMap(\.self).map { .subscribe($0) }
    }

    private mutating func received(
        _ topic: String, _ payload: [UInt8], isRetained: Bool, at now: Moment
    ) -> [BridgeAction] {
        if let discovery, topic == discovery.statusTopic {
            // It has started, and may have forgotten us.
            if payload == Discovery.statusOnline { outbox.sendAgain { $0.hasPrefix(discovery.prefix + "/") } }
            return []
        }
        if let reader = topics.reader(.command, in: topic) {
            // A command that was kept is one of yesterday; nothing at all is what takes a kept one from the broker.
            return isRetained || payload.isEmpty ? [] : command(payload, reader, at: now)
        }
        // What is not retained is our own, coming back.
        guard isRetained, lastRun.listensUntil != nil else { return [] }
        return leftBehind(topic, payload)
    }

    // MARK: Commands

    private mutating func command(_ payload: [UInt8], _ level: String, at now: Moment) -> [BridgeAction] {
        counts.commands += 1
        let reader = readers.first { TopicTemplate.level($0) == level }
        // A daemon that is away says so itself.
        let isThere = reader != nil || !isDaemonThere
        switch desk.take(payload, reader: reader ?? level, isThere: isThere) {
        case .success(let command):
            commandsInARow += 1
            // Whoever may write commands must not fill the log with them: the counter has all.
            guard commandsInARow <= Self.maximumCommandLines else { return [.perform(command)] }
            let line = BridgeLogLine(
                level: .info, event: "mqtt.command", words: "a command came over the broker",
                details: ["reader": command.reader, "method": command.request.method.rawValue])
            return [.log(line), .perform(command)]
        case .failure(let refusal):
            answer(Reply.line(id: refusal.id, error: refusal.reply), level, at: now)
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

    /// Lines of commands between two ticks, of a second each.
    private static let maximumCommandLines = 10
    /// How long anybody waits for an answer.
    private static let answerPatience: UInt64 = 30_000_000_000
}
