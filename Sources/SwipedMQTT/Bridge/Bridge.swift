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
    var lastRun = LastRun()
    var readers: Set<String> = []
    var readersAsked = false
    var readersKnown = false
    var readersChanged = false
    var statisticsAt: UInt64 = 0
    var reportAt: UInt64 = 0
    var stopBy: UInt64?
    var counts = BridgeCounts()
    /// What the log has heard already.
    var brokerComplaint: String?
    private var daemonComplaint: String?
    var refusedKinds: Set<String> = []
    var isDeaf = false
    /// Commands since the last tick.
    var commandsInARow = 0
    var outbox: Outbox

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
        daemon = .awaitingPosition(until: now.monotonic + LastRun.positionPatience)
        discovery = configuration.discovery.map { Discovery(prefix: $0, topics: topics) }
        desk = CommandDesk(allowed: configuration.commands)
        outbox = Outbox(limit: configuration.queue)
        statisticsAt = now.monotonic
        outbox.retain(topics.topic(.availability), Self.offline)
        if let discovery { outbox.retain(discovery.hostTopic, discovery.machine) }
    }

    var hello: Hello? { if case .there(let hello) = daemon { hello } else { nil } }
    var isDaemonThere: Bool { hello != nil }

    // MARK: What happens

    mutating func handle(_ input: BridgeInput, at now: Moment) -> [BridgeAction] {
        switch input {
        case .daemonConnected(let hello): daemonConnected(hello)
        case .daemonLost(let why):
            daemonLost(BridgeLogLine(level: .warning, event: "mqtt.daemon_lost", words: why))
        case .daemonShowsTooLittle(let why):
            daemonLost(BridgeLogLine(level: .error, event: "mqtt.role_too_small", words: why))
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

    // MARK: The daemon

    private mutating func daemonConnected(_ hello: Hello) -> [BridgeAction] {
        daemon = .there(hello)
        daemonComplaint = nil
        // A daemon that lets in late does not call back whoever takes leave already.
        outbox.retain(topics.topic(.availability), stopBy == nil ? Self.online : Self.offline)
        readersAsked = false
        let line = BridgeLogLine(
            level: .info, event: "mqtt.daemon_connected", words: "connected to the daemon",
            details: ["daemon": hello.daemon, "instance": hello.instance])
        return [.log(line)] + goesOn(with: hello) + askReaders()
    }

    private mutating func daemonLost(_ line: BridgeLogLine) -> [BridgeAction] {
        daemon = .away
        (readersAsked, readersKnown) = (false, false)
        outbox.retain(topics.topic(.availability), Self.offline)
        counts.daemonFailures += 1
        guard line.words != daemonComplaint else { return [] }
        daemonComplaint = line.words
        return [.log(line)]
    }

    private mutating func take(_ event: Event, at now: Moment) -> [BridgeAction] {
        guard let instance = hello?.instance else { return [] }
        if let sequence = event.sequence {
            let last = position?.instance == instance ? position?.sequence ?? 0 : 0
            position = Subscription.Point(instance: instance, sequence: max(last, sequence))
        }
        if case .gap(let from, let to, let reason) = event.body { return missed(from, to, reason, instance) }
        if case .bye = event.body { return [] }
        if case .swipe = event.body {
            publish(event, instance, at: now)
            return []
        }
        if case .connect(let reader) = event.body { retain(reader) }
        if case .update(let reader) = event.body { retain(reader) }
        return askReaders()
    }

    private mutating func publish(_ event: Event, _ instance: String, at now: Moment) {
        guard let reader = event.reader, let sequence = event.sequence,
            let line = PublishedSwipe.line(event, instance: instance, configuration.fields)
        else { return }
        counts.swipes += 1
        outbox.add(
            Outbox.Swipe(
                topic: topics.topic(.swipe, reader: reader), payload: line, instance: instance,
                sequence: sequence, deadline: now.monotonic + life(of: event, at: now)))
    }

    /// What is left of its time: since the swipe, and not since this program, which may have stood still, got to read of it.
    private func life(of event: Event, at now: Moment) -> UInt64 {
        let whole = UInt64(configuration.expirySeconds) * 1_000_000_000
        let age = now.awake - min(now.awake, event.monotonicNanoseconds)
        return whole - min(whole, age)
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
        return Self.line(of: loss, "swipes may be missing")
    }

    static func line(of loss: Loss, _ words: String) -> BridgeAction {
        var details = ["reason": loss.reason.rawValue]
        if loss.reason.isExact { details["count"] = "\(loss.count)" }
        if let from = loss.from, let to = loss.to { (details["from"], details["to"]) = ("\(from)", "\(to)") }
        return .log(BridgeLogLine(level: .warning, event: "mqtt.loss", words: words, details: details))
    }

    // MARK: Time

    private mutating func tick(at now: Moment) -> [BridgeAction] {
        var actions = lastRunWasHeard(at: now)
        commandsInARow = 0
        actions += giveUpTheSilent(at: now)
        if isConnected { outbox.tryAgain() }
        outbox.expire(at: now.monotonic)
        // The daemon did not say, or said it to the connection before.
        if isDaemonThere, !readersKnown, !readersAsked { actions += askReaders() }
        if configuration.statisticsSeconds > 0, now.monotonic >= statisticsAt, isDaemonThere {
            statisticsAt = now.monotonic + UInt64(configuration.statisticsSeconds) * 1_000_000_000
            actions.append(.askStatistics)
        }
        if now.monotonic >= reportAt, stopBy == nil { report(at: now) }
        if let stopBy, outbox.isEmpty || !isConnected || now.monotonic >= stopBy { actions += end() }
        return actions
    }

    private mutating func stop(at now: Moment) -> [BridgeAction] {
        report(at: now)
        outbox.retain(topics.topic(.availability), Self.offline)
        stopBy = stopBy ?? now.monotonic + Self.farewell
        return outbox.isEmpty || !isConnected ? [.end] : []
    }

    /// What the broker has not confirmed in time may not be with it, such as that this machine is offline: the will says that.
    private func end() -> [BridgeAction] {
        isConnected && !outbox.isEmpty ? [.giveUpBroker(connection: connection), .end] : [.end]
    }

    /// The end, once all is said: how far it has come last, so that the next run misses nothing that was confirmed meanwhile.
    mutating func leave(at now: Moment) -> [BridgeAction] {
        guard stopBy != nil, outbox.isEmpty else { return [] }
        report(at: now)
        return outbox.isEmpty ? [.end] : []
    }
}
