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
        if let uid = connection.identity?.credentials.uid {
            let left = connectionsOfUser[uid, default: 1] - 1
            connectionsOfUser[uid] = left > 0 ? left : nil
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

    func publish(_ publication: Publication) {
        sequence += 1
        statistics.eventsPublished += 1
        if let reader = publication.reader {
            readers[reader.id] = reader
        } else if let gone = publication.readerID {
            readers[gone] = nil
        }
        var fanOut = FanOut(publication, sequence: sequence)
        let kind = EventKinds(publication.kind)
        for connection in connections {
            guard let subscription = connection.subscription, subscription.events.contains(kind) else {
                continue
            }
            if let wanted = subscription.readers, let id = publication.readerID, !wanted.contains(id) {
                continue
            }
            guard let delivery = fanOut.delivery(for: connection.view) else { continue }
            statistics.eventsDelivered += 1
            connection.enqueue(delivery)
            markDirty(connection)
        }
        ring.append(
            EventRing.Entry(
                sequence: sequence, kind: kind, reader: publication.readerID,
                delivery: publication.kind.isState ? fanOut.delivery(for: .status) : nil))
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
