internal import SwipeProtocol

/// From the daemon's events to messages for the broker: a value, which decides; its owner acts.
struct Bridge {
    enum DaemonState {
        /// Not connected for the first time yet: the broker may know how far the bridge before this one has come.
        case awaitingPosition(until: UInt64)
        case away
        case there(Hello)
    }

    let configuration: MQTTConfiguration
    let topics: HostTopics
    /// Nil where Home Assistant is not told.
    let discovery: Discovery?
    var desk: CommandDesk
    /// Names this run of the program.
    let identifier: String
    let started: WallTime

    var daemon: DaemonState
    var connection = 0
    var isConnected = false
    /// How far the daemon's events have come.
    var position: Subscription.Point?
    /// The number at which this run has begun to listen, where it did not know where to.
    var begunAt: Subscription.Point?
    var readers: Set<String> = []
    /// Topics of states that a run before this one has left.
    var leftovers: Set<String> = []
    var listensForLeftovers: UInt64?
    var hasListened = false
    var readersAsked = false
    var readersKnown = false
    var readersChanged = false
    var statisticsAt: UInt64 = 0
    var reportAt: UInt64 = 0
    var stopBy: UInt64?
    var counts = BridgeCounts()
    var outbox: Outbox

    /// How long the daemon waits for the broker's word at the start, and for retained messages behind it.
    static let positionPatience: UInt64 = 2_000_000_000
    static let retainedPatience: UInt64 = 500_000_000
    static let leftoverPatience: UInt64 = 5_000_000_000
    /// How often this program's own state is published at most.
    static let reportInterval: UInt64 = 1_000_000_000
    /// How long the last messages may take when the program ends.
    static let farewell: UInt64 = 1_500_000_000

    static let online = Array("online".utf8)
    static let offline = Array("offline".utf8)

    init(_ configuration: MQTTConfiguration, topics: HostTopics, identifier: String, at now: Moment) {
        self.configuration = configuration
        self.topics = topics
        self.identifier = identifier
        started = now.wall
        daemon = .awaitingPosition(until: now.monotonic + Self.positionPatience)
        discovery = configuration.discovery.map { Discovery(prefix: $0, topics: topics) }
        desk = CommandDesk(allowed: configuration.commands)
        outbox = Outbox(limit: configuration.queue)
        statisticsAt = now.monotonic
        outbox.retain(topics.topic(.availability), Self.offline)
        if let discovery { outbox.retain(discovery.hostTopic, discovery.machine) }
    }

    var hello: Hello? { if case .there(let hello) = daemon { hello } else { nil } }
    var isBrokerThere: Bool { isConnected }
    var isDaemonThere: Bool { hello != nil }

    // MARK: What happens

    mutating func handle(_ input: BridgeInput, at now: Moment) -> [BridgeAction] {
        switch input {
        case .daemonConnected(let hello): daemonConnected(hello)
        case .daemonLost(let why): daemonLost(why)
        case .daemonUnsuited(let why):
            [.log(BridgeLogLine(level: .error, event: "mqtt.daemon_unsuited", words: why)), .fail]
        case .event(let event): take(event, at: now)
        case .readers(let list): readersAre(list)
        case .statistics(let figures): take(figures)
        case .broker(let number, let news): take(news, of: number, at: now)
        case .answered(let command, let result): answered(command, result, at: now)
        case .tick: tick(at: now)
        case .stop: stop(at: now)
        }
    }

    /// The next message that may be sent now; the owner says what became of it.
    mutating func next(at now: Moment) -> Outbox.Outgoing? {
        outbox.next(at: now.monotonic, lossTopic: topics.topic(.loss)) { [self] entry, totals in
            BridgeReport.loss(entry, totals, bridge: identifier, at: now.wall)
        }
    }

    mutating func sent(_ outgoing: Outbox.Outgoing, as message: Int32?) {
        if let message { outbox.sent(outgoing, as: message) } else { outbox.giveBack(outgoing) }
    }

    // MARK: The daemon

    private mutating func daemonConnected(_ hello: Hello) -> [BridgeAction] {
        daemon = .there(hello)
        if position?.instance != hello.instance {
            position = Subscription.Point(instance: hello.instance, sequence: hello.sequence)
            if begunAt == nil { begunAt = position }
        }
        outbox.retain(topics.topic(.availability), Self.online)
        readersAsked = false
        let details = ["daemon": hello.daemon, "instance": hello.instance]
        return [
            .log(
                BridgeLogLine(
                    level: .info, event: "mqtt.daemon_connected", words: "connected to the daemon",
                    details: details))
        ] + askReaders()
    }

    private mutating func daemonLost(_ why: String) -> [BridgeAction] {
        let wasThere = isDaemonThere
        daemon = .away
        (readersAsked, readersKnown) = (false, false)
        outbox.retain(topics.topic(.availability), Self.offline)
        counts.daemonFailures += 1
        guard wasThere || counts.daemonFailures == 1 else { return [] }
        return [.log(BridgeLogLine(level: .warning, event: "mqtt.daemon_lost", words: why))]
    }

    private mutating func take(_ event: Event, at now: Moment) -> [BridgeAction] {
        guard let instance = hello?.instance else { return [] }
        if let sequence = event.sequence {
            let last = position?.instance == instance ? position?.sequence ?? 0 : 0
            position = Subscription.Point(instance: instance, sequence: max(last, sequence))
        }
        switch event.body {
        case .swipe:
            publish(event, instance, at: now)
            return []
        case .gap(let from, let to, let reason): return missed(from, to, reason, instance)
        case .connect(let reader), .update(let reader):
            retain(reader)
            return askReaders()
        case .disconnect, .activate, .deactivate, .ready, .unready, .swipeStart, .autodetectStart,
            .autodetectComplete, .testComplete, .prompt, .promptClosed, .claimRequested, .claimReleased,
            .swipeUntaken, .unknown:
            return askReaders()
        case .bye: return []
        }
    }

    private mutating func publish(_ event: Event, _ instance: String, at now: Moment) {
        guard let reader = event.reader, let sequence = event.sequence,
            let line = PublishedSwipe.line(event, instance: instance, configuration.fields)
        else { return }
        counts.swipes += 1
        outbox.add(
            Outbox.Swipe(
                topic: topics.topic(.swipe, reader: reader), payload: line, instance: instance,
                sequence: sequence,
                deadline: now.monotonic + UInt64(configuration.expirySeconds) * 1_000_000_000))
    }

    private mutating func missed(
        _ from: UInt64, _ to: UInt64, _ gap: GapReason, _ instance: String
    ) -> [BridgeAction] {
        guard let reason = Loss.Reason(gap) else { return askReaders() }
        let isKnown = to > 0
        let loss = Loss(
            reason, instance: isKnown ? instance : nil, from: isKnown ? from : nil, to: isKnown ? to : nil)
        return [tell(loss)] + askReaders()
    }

    mutating func tell(_ loss: Loss) -> BridgeAction {
        outbox.add(loss)
        var details = ["reason": loss.reason.rawValue]
        if let from = loss.from, let to = loss.to { (details["from"], details["to"]) = ("\(from)", "\(to)") }
        return .log(
            BridgeLogLine(
                level: .warning, event: "mqtt.loss", words: "swipes may be missing", details: details))
    }

    // MARK: Time

    private mutating func tick(at now: Moment) -> [BridgeAction] {
        var actions: [BridgeAction] = []
        if case .awaitingPosition(let end) = daemon, now.monotonic >= end { actions += begin(after: nil) }
        if let end = listensForLeftovers, now.monotonic >= end {
            listensForLeftovers = nil
            if isConnected { actions += leftoverFilters.map { .unsubscribe($0) } }
        }
        outbox.expire(at: now.monotonic)
        if configuration.statisticsSeconds > 0, now.monotonic >= statisticsAt, isDaemonThere {
            statisticsAt = now.monotonic + UInt64(configuration.statisticsSeconds) * 1_000_000_000
            actions.append(.askStatistics)
        }
        if now.monotonic >= reportAt { report(at: now) }
        if let stopBy, outbox.isEmpty || !isConnected || now.monotonic >= stopBy { actions.append(.end) }
        return actions
    }

    /// This program's own state, with how far it has come: what the next run of it goes on from.
    private mutating func report(at now: Moment) {
        guard stopBy == nil, let position else { return }
        reportAt = now.monotonic + Self.reportInterval
        let settled = outbox.settledUpTo(position.sequence, of: position.instance)
        let report = BridgeReport(
            identifier: identifier, started: started, instance: position.instance, sequence: settled,
            swipes: counts.swipesPublished, lost: outbox.losses.totals)
        outbox.retain(topics.topic(.bridge), report.line)
    }

    private mutating func stop(at now: Moment) -> [BridgeAction] {
        report(at: now)
        outbox.retain(topics.topic(.availability), Self.offline)
        stopBy = now.monotonic + Self.farewell
        return outbox.isEmpty || !isConnected ? [.end] : []
    }
}
