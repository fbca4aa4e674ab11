internal import SwipeProtocol

/// What the run before this one has left at the broker: how far it had come, and states of readers.
///
/// The broker keeps one report. So none of this run's is published before the broker has had the time to say the last one, and what
/// a connection that broke has not said is asked for again.
struct LastRun: Sendable {
    /// Its report has come, or the daemon was asked by it.
    var isHeard = false
    /// How far it had come, where that was said too late to ask the daemon from there.
    var position: Subscription.Point?
    /// Where this run has begun to listen to the daemon, where it did not know from where to.
    var begunAt: Subscription.Point?
    /// Topics of states.
    var leftovers: Set<String> = []
    /// Until when this connection hears of them, and from when on this run's reports may take the place of the last one's.
    var listensUntil: UInt64?
    var reportsFrom: UInt64?
    /// A connection has lasted until then: there is nothing more to hear.
    var isOver = false

    static let maximumLeftovers = 1_024

    /// How long the daemon waits for the broker's word at the start, and for retained messages behind it.
    static let positionPatience: UInt64 = 2_000_000_000
    static let retainedPatience: UInt64 = 500_000_000
    static let leftoverPatience: UInt64 = 5_000_000_000

    mutating func listens(from now: UInt64) {
        listensUntil = now + Self.leftoverPatience
        reportsFrom = reportsFrom ?? now + Self.retainedPatience
    }

    mutating func connectionIsLost(at now: UInt64) {
        listensUntil = nil
        if let from = reportsFrom, now < from { reportsFrom = nil }
    }

    func mayReport(at now: UInt64) -> Bool { isHeard || reportsFrom.map { now >= $0 } ?? false }

    mutating func leaves(_ topic: String) {
        if leftovers.count < Self.maximumLeftovers { leftovers.insert(topic) }
    }

    /// What nobody can be asked for any more: the daemon was asked before the broker said from where.
    mutating func missing() -> Loss? {
        guard let last = position, let begun = begunAt else { return nil }
        (position, begunAt) = (nil, nil)
        guard last.instance == begun.instance else {
            return Loss(.restart, instance: nil, from: nil, to: nil)
        }
        guard last.sequence != begun.sequence else { return nil }
        // No event has that number yet: the report is not what this daemon's events have led to.
        guard last.sequence < begun.sequence else {
            return Loss(.bridgeRestart, instance: nil, from: nil, to: nil)
        }
        return Loss(.bridgeRestart, instance: last.instance, from: last.sequence + 1, to: begun.sequence)
    }
}

extension Bridge {
    mutating func listenForLastRun(at now: Moment) -> [BridgeAction] {
        guard !lastRun.isOver else { return [] }
        lastRun.listens(from: now.monotonic)
        if case .awaitingPosition = daemon {
            daemon = .awaitingPosition(until: now.monotonic + LastRun.retainedPatience)
        }
        return leftoverFilters.map { .subscribe($0) }
    }

    /// No loss of which a message would tell: a machine's first run has none before it.
    private static let noLastRun = BridgeLogLine(
        level: .info, event: "mqtt.no_last_run",
        words:
            "the broker knows of no run before this one, or may not say so: what it had not told is not known"
    )

    private var leftoverFilters: [String] {
        [topics.topic(.bridge), topics.filter(.state)].compactMap(\.self)
    }

    /// Time has passed: the daemon waits no longer, and what is retained has come.
    mutating func lastRunWasHeard(at now: Moment) -> [BridgeAction] {
        var actions: [BridgeAction] = []
        if case .awaitingPosition(let end) = daemon, now.monotonic >= end { actions += begin(after: nil) }
        if let end = lastRun.listensUntil, now.monotonic >= end {
            (lastRun.listensUntil, lastRun.isOver) = (nil, true)
            actions += leftoverFilters.map { .unsubscribe($0) }
            if !lastRun.isHeard { actions.append(.log(Self.noLastRun)) }
        }
        return actions
    }

    mutating func leftBehind(_ topic: String, _ payload: [UInt8]) -> [BridgeAction] {
        guard topic != topics.topic(.bridge) else { return takeReport(payload) }
        lastRun.leaves(topic)
        if isDaemonThere, readersKnown { takeBackLeftovers() }
        return []
    }

    private mutating func takeReport(_ payload: [UInt8]) -> [BridgeAction] {
        guard !lastRun.isHeard, !BridgeReport.isOf(identifier, payload) else { return [] }
        lastRun.isHeard = true
        let last = BridgeReport.position(payload)
        if case .awaitingPosition = daemon { return begin(after: last) }
        lastRun.position = last
        return tellWhatIsMissing()
    }

    private mutating func begin(after point: Subscription.Point?) -> [BridgeAction] {
        daemon = .away
        position = point
        return [.beginDaemon(after: point)]
    }

    private mutating func tellWhatIsMissing() -> [BridgeAction] { lastRun.missing().map { [tell($0)] } ?? [] }

    /// Where this run goes on, or begins.
    mutating func goesOn(with hello: Hello) -> [BridgeAction] {
        let start = Subscription.Point(instance: hello.instance, sequence: hello.sequence)
        let isFirst = position == nil
        guard let known = position, known.instance == hello.instance else {
            position = start
            // Of another run of the daemon, the daemon itself tells.
            if isFirst { lastRun.begunAt = start }
            return tellWhatIsMissing()
        }
        guard known.sequence > hello.sequence else { return [] }
        // No event has that number yet: the report is not what this daemon's events have led to, and leads nowhere.
        position = start
        return [tell(Loss(.bridgeRestart, instance: nil, from: nil, to: nil))]
    }

    /// This program's own state, with how far it has come: what the next run of it goes on from.
    mutating func report(at now: Moment) {
        guard let position, lastRun.mayReport(at: now.monotonic),
            !outbox.holdsOthers(than: position.instance)
        else { return }
        reportAt = now.monotonic + Self.reportInterval
        let settled = outbox.settledUpTo(position.sequence, of: position.instance)
        let report = BridgeReport(
            identifier: identifier, started: started, instance: position.instance, sequence: settled,
            swipes: counts.swipesPublished, lost: outbox.losses.totals)
        outbox.retain(topics.topic(.bridge), report.line)
    }
}
