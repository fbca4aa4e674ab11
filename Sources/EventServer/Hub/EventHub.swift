internal import Logging
internal import NIOCore
internal import SwipeProtocol

/// What all connections share: the readers' states, the count of events, who is connected and who hears what.
///
/// It lives on the server's event loop, so a snapshot and the stream after it are gapless without a lock.
final class EventHub {
    let limits: ServerLimits
    let instance: String
    private let daemon: String
    private let access: AccessPolicy
    let backend: any ServerBackend
    let loop: any EventLoop
    var logger: RefusalLogger

    /// The number of the last event.
    private(set) var sequence: UInt64 = 0
    private(set) var readers: [String: ReaderInfo] = [:]
    var ring: EventRing
    var statistics = ServerStatistics()
    private(set) var statisticsOfReader: [String: ReaderStatistics] = [:]
    var claims: ClaimTable
    /// Swipes that are kept for claimants whose connection is gone, by reader. Locked memory, wiped when let go.
    var held: [String: Delivery] = [:]
    private(set) var isStopping = false

    private var connections: [ConnectionHandler] = []
    private var connectionsOfUser: [UInt32: Int] = [:]
    private var lastConnection: UInt64 = 0
    private var dirty: [ConnectionHandler] = []
    private var isFlushScheduled = false
    private var blocked: [ConnectionHandler] = []
    private var stallTimer: Scheduled<Void>?
    private var whenEmpty: EventLoopPromise<Void>?

    /// How often connections that take nothing are looked at.
    private static let stallCheck = TimeAmount.seconds(1)

    init(
        configuration: ServerConfiguration, access: @escaping AccessPolicy, backend: any ServerBackend,
        loop: any EventLoop, logger: Logger
    ) {
        limits = configuration.limits
        instance = configuration.instance
        daemon = configuration.daemon
        self.access = access
        self.backend = backend
        self.loop = loop
        self.logger = RefusalLogger(logger)
        claims = ClaimTable(holdsForAbsent: configuration.limits.swipeHold > .zero)
        ring = EventRing(capacity: configuration.limits.eventsKept)
    }

    // MARK: Connections

    struct Refusal: Error {
        var code: ByeCode
    }

    func admit(_ connection: ConnectionHandler, _ credentials: PeerCredentials) -> Result<
        ClientIdentity, Refusal
    > {
        let roles = access(credentials)
        let ofUser = connectionsOfUser[credentials.uid, default: 0]
        let code: ByeCode? =
            if isStopping {
                .shutdown
            } else if roles.isEmpty {
                .denied
            } else if connections.count >= limits.connections || ofUser >= limits.connectionsPerUser {
                .tooMany
            } else {
                nil
            }
        if let code {
            statistics.connectionsRefused += 1
            logger.refused(code, credentials)
            return .failure(Refusal(code: code))
        }
        connectionsOfUser[credentials.uid] = ofUser + 1
        connection.indexInHub = connections.count
        connections.append(connection)
        lastConnection += 1
        statistics.connectionsAccepted += 1
        statistics.connectionsOpen = connections.count
        return .success(ClientIdentity(credentials: credentials, roles: roles, connection: lastConnection))
    }

    func remove(_ connection: ConnectionHandler) {
        blocked.removeAll { $0 === connection }
        let index = connection.indexInHub
        guard index >= 0, index < connections.count, let last = connections.popLast() else { return }
        if last !== connection {
            connections[index] = last
            last.indexInHub = index
        }
        connection.indexInHub = -1
        statistics.connectionsOpen = connections.count
        if let identity = connection.identity {
            let left = connectionsOfUser[identity.credentials.uid, default: 1] - 1
            connectionsOfUser[identity.credentials.uid] = left > 0 ? left : nil
            // Later: a connection can be lost while an event is being given out, and the next must not overtake it.
            loop.assumeIsolated().execute {
                self.perform(
                    self.claims.disconnected(identity.connection, newToken: ServerConfiguration.newInstance))
            }
        }
        if connections.isEmpty {
            whenEmpty?.succeed()
            whenEmpty = nil
        }
    }

    func hello(for identity: ClientIdentity) -> Hello {
        Hello(
            daemon: daemon, instance: instance, sequence: sequence,
            you: Hello.You(
                uid: identity.credentials.uid, roles: identity.roles, connection: identity.connection))
    }

    // MARK: Events

    /// Gives an event its number and to everyone who wants it. Returns it as the view `status` sees it.
    @discardableResult
    func publish(_ publication: Publication) -> Delivery? {
        sequence += 1
        statistics.eventsPublished += 1
        follow(publication)
        var fanOut = FanOut(publication, sequence: sequence)
        let isTaken = deliver(publication, &fanOut)
        let delivery = publication.kind == .swipe ? nil : fanOut.delivery(for: .status)
        ring.append(
            EventRing.Entry(
                sequence: sequence, kind: EventKinds(publication.kind), reader: publication.readerID,
                delivery: publication.kind.isState ? delivery : nil))
        if publication.kind == .swipe, let reader = publication.readerID {
            swiped(reader, publication, &fanOut, isTaken)
        }
        if publication.kind == .disconnect, let reader = publication.readerID {
            perform(claims.readerGone(reader))
        }
        return delivery
    }

    /// Keeps the state that the event leads to.
    private func follow(_ publication: Publication) {
        guard let id = publication.readerID else { return }
        if let reader = publication.reader {
            readers[id] = reader
            statisticsOfReader[id, default: ReaderStatistics()].follow(
                reader.state, at: publication.instant.monotonicNanoseconds)
        } else if publication.kind == .disconnect {
            readers[id] = nil
            statisticsOfReader[id]?.powerOff(at: publication.instant.monotonicNanoseconds)
        }
    }

    /// Whether somebody who may see card data got it: for a swipe on a claimed reader, the claimant.
    private func deliver(_ publication: Publication, _ fanOut: inout FanOut) -> Bool {
        let kind = EventKinds(publication.kind)
        let holder = publication.kind == .swipe ? publication.readerID.flatMap(claims.holder(of:)) : nil
        var isTaken = false
        for connection in connections {
            guard let subscription = connection.subscription, subscription.events.contains(kind) else {
                continue
            }
            if let wanted = subscription.readers, let id = publication.readerID, !wanted.contains(id) {
                continue
            }
            let isHolder = holder == nil || holder?.connection == connection.identity?.connection
            // A claimed reader's cards in full are for the claimant alone.
            let view = !isHolder && connection.view == .full ? .masked : connection.view
            guard let delivery = fanOut.delivery(for: view) else { continue }
            statistics.eventsDelivered += 1
            connection.enqueue(delivery)
            markDirty(connection)
            if isHolder && view != .status { isTaken = true }
        }
        return isTaken
    }

    /// Counts a swipe, and sees to one that nobody took.
    private func swiped(_ reader: String, _ publication: Publication, _ fanOut: inout FanOut, _ isTaken: Bool)
    {
        if case .swipe(let swipe) = publication.body(.status) {
            statisticsOfReader[reader, default: ReaderStatistics()].count(swipe)
        }
        guard !isTaken else { return }
        if claims.isAway(reader) {
            held[reader] = fanOut.delivery(for: .full)
            return
        }
        statisticsOfReader[reader, default: ReaderStatistics()].untaken += 1
        publish(
            Publication(
                readerID: reader, attachment: publication.attachment, isSimulated: publication.isSimulated,
                .swipeUntaken(.noSubscriber)))
    }

    func connection(_ number: UInt64) -> ConnectionHandler? {
        connections.first { $0.identity?.connection == number }
    }

    func farewell(_ code: ByeCode) -> EncodedLine { ownLine(.bye(code)) }

    func gapLine(from: UInt64, to: UInt64, _ reason: GapReason) -> EncodedLine {
        ownLine(.gap(from: from, to: to, reason))
    }

    private func ownLine(_ body: EventBody) -> EncodedLine {
        let now = EventInstant.now()
        return Event(
            sequence: nil, time: now.wall, monotonicNanoseconds: now.monotonicNanoseconds, body: body
        ).line()
    }

    // MARK: Sending

    /// Sends what the connection's queue holds when everything that is due now is in it.
    func markDirty(_ connection: ConnectionHandler) {
        guard !connection.isDirty else { return }
        connection.isDirty = true
        dirty.append(connection)
        guard !isFlushScheduled else { return }
        isFlushScheduled = true
        loop.assumeIsolated().execute { self.flush() }
    }

    private func flush() {
        isFlushScheduled = false
        let connections = dirty
        dirty.removeAll(keepingCapacity: true)
        for connection in connections {
            connection.isDirty = false
            connection.flush()
        }
    }

    // MARK: Clients that do not read

    func cutOff(_ connection: ConnectionHandler) {
        statistics.slowClients += 1
        logger.slowClient(connection.identity)
        connection.drop(.slowClient)
    }

    func markBlocked(_ connection: ConnectionHandler) {
        if !blocked.contains(where: { $0 === connection }) { blocked.append(connection) }
        guard stallTimer == nil else { return }
        stallTimer = loop.assumeIsolated().scheduleTask(in: EventHub.stallCheck) { self.checkStalled() }
    }

    private func checkStalled() {
        stallTimer = nil
        blocked.removeAll { $0.blockedSince == nil }
        let now = EventInstant.monotonic()
        let allowed = UInt64(limits.stall / .nanoseconds(1))
        for connection in blocked {
            if let since = connection.blockedSince, now &- since >= allowed { cutOff(connection) }
        }
        guard !blocked.isEmpty else { return }
        stallTimer = loop.assumeIsolated().scheduleTask(in: EventHub.stallCheck) { self.checkStalled() }
    }

    // MARK: The end

    /// Says `bye` to everyone; those who have not taken it after the farewell time are closed.
    func stop(_ code: ByeCode) -> EventLoopFuture<Void> {
        isStopping = true
        stallTimer?.cancel()
        let done = loop.makePromise(of: Void.self)
        if connections.isEmpty { done.succeed() } else { whenEmpty = done }
        for connection in connections { connection.leave(code) }
        let patience = TimeAmount.nanoseconds(Int64(limits.farewell / .nanoseconds(1)))
        let timer = loop.assumeIsolated().scheduleTask(in: patience) {
            for connection in self.connections { connection.drop(code) }
        }
        done.futureResult.assumeIsolated().whenComplete { _ in timer.cancel() }
        return done.futureResult
    }
}
