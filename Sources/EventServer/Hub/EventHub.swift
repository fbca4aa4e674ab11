internal import Logging
internal import NIOCore
internal import SwipeProtocol

/// What all connections share: the readers' states, the count of events, who is connected and who gets what.
///
/// It runs on the server's event loop, so a snapshot and the stream after it are gapless without a lock.
final class EventHub {
    let limits: ServerLimits
    let instance: String
    private let daemon: String
    /// Which connections may come in.
    let door: Door
    let backend: any ServerBackend
    let loop: any EventLoop
    private let logger: Logger
    private var throttle = RefusalThrottle()

    /// The number of the last event.
    private(set) var sequence: UInt64 = 0
    var readers = KnownReaders()
    var ring: EventRing
    var statistics = ServerStatistics()
    var claims: ClaimTable
    var custody = SwipeCustody()
    private(set) var isStopping = false

    private var connections: [ConnectionHandler] = []
    private var lastConnection: UInt64 = 0
    let flushes: FlushKeeper
    let turns: TurnKeeper
    let lobby: LobbyKeeper
    private var stalls = StallWatch<ConnectionHandler>()
    private var stallTimer: Scheduled<Void>?
    private var whenEmpty: EventLoopPromise<Void>?
    private let checksCards: Bool
    #if DEBUG
        private var seenLines = SeenLines()
    #endif

    /// How often connections to which nothing is delivered are checked.
    static let stallCheck = TimeAmount.seconds(1)

    init(
        configuration: ServerConfiguration, door: Door, backend: any ServerBackend,
        loop: any EventLoop, logger: Logger
    ) {
        limits = configuration.limits
        instance = configuration.instance
        daemon = configuration.daemon
        checksCards = configuration.checksCards
        self.door = door
        self.backend = backend
        self.loop = loop
        self.logger = logger
        flushes = FlushKeeper(loop: loop)
        let turns = TurnKeeper(loop: loop)
        self.turns = turns
        lobby = LobbyKeeper(door: door, turns: turns, loop: loop)
        claims = ClaimTable(holdsForAbsent: configuration.limits.swipeHold > .zero)
        ring = EventRing(capacity: configuration.limits.eventsKept)
    }

    // MARK: Connections

    struct Refusal: Error {
        var code: ByeCode
    }

    /// Lets a connection in that has a place at the door. What has changed since then is checked again.
    func admit(_ connection: ConnectionHandler) -> Result<ClientIdentity, Refusal> {
        let roles = door.roles(of: connection.peer)
        if isStopping || roles.isEmpty {
            let code = isStopping ? ByeCode.shutdown : .denied
            door.countRefusal(code, connection.peer)
            return .failure(Refusal(code: code))
        }
        connection.indexInHub = connections.count
        connections.append(connection)
        lastConnection += 1
        statistics.connectionsAccepted += 1
        statistics.connectionsOpen = connections.count
        return .success(
            ClientIdentity(credentials: connection.peer, roles: roles, connection: lastConnection))
    }

    /// Closes the connections that the rules give less than they had: a card must not go to a client that has lost the
    /// right to it. A client that gained rights gets them with the next connection.
    func reviewAccess() {
        for connection in connections {
            guard let identity = connection.identity, identity.loses(by: door.roles(of: identity.credentials))
            else {
                continue
            }
            throttle.refused(.denied, identity.credentials)?.write(to: logger)
            connection.drop(.denied)
        }
    }

    func remove(_ connection: ConnectionHandler) {
        stalls.remove(connection)
        giveUpPlace(of: connection)
        let index = connection.indexInHub
        guard index >= 0, index < connections.count, let last = connections.popLast() else { return }
        if last !== connection {
            connections[index] = last
            last.indexInHub = index
        }
        connection.indexInHub = -1
        statistics.connectionsOpen = connections.count
        if let identity = connection.identity {
            // Later: a connection can be lost while an event is being published, and the next must not come before it.
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

    /// The connection is over, or never was one.
    func giveUpPlace(of connection: ConnectionHandler) {
        guard connection.hasPlace else { return }
        connection.hasPlace = false
        door.leave(connection.peer.uid)
    }

    func hello(for identity: ClientIdentity) -> Hello {
        Hello(
            daemon: daemon, instance: instance, sequence: sequence,
            you: Hello.You(
                uid: identity.credentials.uid, roles: identity.roles, connection: identity.connection))
    }

    // MARK: Events

    /// Gives an event its number and puts it into the queues of all subscribers. Returns it as the view `status` sees
    /// it.
    @discardableResult
    func publish(_ publication: Publication) -> Delivery? {
        sequence += 1
        statistics.eventsPublished += 1
        readers.follow(publication)
        var fanOut = FanOut(publication, sequence: sequence)
        let delivery: Delivery?
        if publication.kind == .swipe, let reader = publication.readerID {
            delivery = nil
            swiped(reader, publication, &fanOut)
        } else {
            deliver(publication, &fanOut)
            delivery = fanOut.delivery(for: .status)
        }
        ring.append(
            EventRing.Entry(
                sequence: fanOut.sequence, kind: publication.kind, reader: publication.readerID,
                delivery: publication.kind.isState ? delivery : nil))
        if publication.kind == .swipe { publishUndelivered() }
        if publication.kind == .disconnect, let reader = publication.readerID {
            perform(claims.readerGone(reader))
        }
        return delivery
    }

    private func deliver(_ publication: Publication, _ fanOut: inout FanOut) {
        let kinds = EventKinds(publication.kind)
        for connection in connections where connection.hears(kinds, of: publication.readerID) {
            guard let delivery = fanOut.delivery(for: connection.view) else { continue }
            give(delivery, to: connection)
        }
    }

    private func give(_ delivery: Delivery, to connection: ConnectionHandler) {
        statistics.eventsDelivered += 1
        connection.enqueue(delivery)
        flushes.mark(connection)
    }

    // MARK: Swipes

    /// Counts a swipe and publishes it: in full to the holder alone, where the reader is claimed.
    private func swiped(_ reader: String, _ publication: Publication, _ fanOut: inout FanOut) {
        let holder = claims.holder(of: reader)
        let origin = SwipeOrigin(
            reader: reader, attachment: publication.attachment, isSimulated: publication.isSimulated,
            sequence: fanOut.sequence)
        let mayBeKept = holder != nil && limits.swipeHold > .zero
        let kept =
            mayBeKept
            ? HeldSwipe(
                origin: origin, masked: fanOut.delivery(for: .masked), full: fanOut.delivery(for: .full))
            : nil
        let receipt = custody.receipt(for: origin, holder: holder, kept: kept)
        fanOut.receipt = receipt
        for connection in connections where connection.hears(EventKinds(.swipe), of: reader) {
            let mayHaveIt = holder == nil || holder?.connection == connection.identity?.connection
            // A claimed reader's cards in full are for the holder alone.
            let view = !mayHaveIt && connection.view == .full ? .masked : connection.view
            let delivery =
                mayHaveIt && view != .status ? fanOut.delivery(withReceipt: view) : fanOut.delivery(for: view)
            if let delivery { give(delivery, to: connection) }
        }
        if let swipe = custody.givenOut(receipt) { custody.add(swipe) }
        if case .swipe(let swipe) = fanOut.anyBody() { readers.count(reader) { $0.count(swipe) } }
    }

    /// Queues have lines with receipts no more.
    func settle(_ fates: [SwipeCustody.Fate]) {
        for fate in fates {
            if let swipe = custody.settle(fate) { decideLater(on: swipe) }
        }
    }

    /// Later: this can be while another event is being published, and before it is certain who holds the reader.
    func decideLater(on swipe: SwipeCustody.Undelivered) {
        loop.assumeIsolated().execute {
            self.custody.add(swipe)
            self.publishUndelivered()
        }
    }

    /// Keeps swipes for holders that may come back, and publishes that the others are undelivered.
    private func publishUndelivered() {
        while let notice = custody.next(claims, isConnected: { connection($0) != nil }) {
            publishUndelivered(notice.swipe, notice.reason)
        }
    }

    func publishUndelivered(_ swipe: SwipeOrigin, _ reason: UntakenReason) {
        readers.count(swipe.reader) { $0.untaken += 1 }
        publish(
            Publication(
                readerID: swipe.reader, attachment: swipe.attachment, isSimulated: swipe.isSimulated,
                .swipeUntaken(reason, swipe: swipe.sequence)))
    }

    func connection(_ number: UInt64) -> ConnectionHandler? {
        connections.first { $0.identity?.connection == number }
    }

    func farewell(_ code: ByeCode) -> EncodedLine { Event.ofServer(.bye(code)) }

    func gapLine(from: UInt64, to: UInt64, _ reason: GapReason) -> EncodedLine {
        Event.ofServer(.gap(from: from, to: to, reason))
    }

    #if DEBUG
        /// What the schema has against a line that is about to be sent. In the daemon a line with card data in clear is
        /// not checked: nothing of it may be copied there.
        func complaint(about line: EncodedLine, answering method: Method? = nil) -> String? {
            line.isSensitive && !checksCards
                ? nil : line.withBytes { seenLines.complaint(about: $0, answering: method) }
        }
    #endif

    // MARK: Clients that do not read

    func cutOff(_ connection: ConnectionHandler) {
        statistics.slowClients += 1
        if let identity = connection.identity { throttle.slowClient(identity)?.write(to: logger) }
        connection.drop(.slowClient)
    }

    /// The connection's socket is full.
    func blocked(_ connection: ConnectionHandler) {
        if stalls.add(connection) { lookForStalled() }
    }

    private func lookForStalled() {
        let allowed = UInt64(limits.stall / .nanoseconds(1))
        stallTimer = loop.assumeIsolated().scheduleTask(in: EventHub.stallCheck) {
            for client in self.stalls.look(at: EventInstant.monotonic(), allowing: allowed) {
                self.cutOff(client)
            }
            if self.stalls.needsLook() { self.lookForStalled() }
        }
    }

    // MARK: The end

    /// Says `bye` to everyone; connections to which it is undelivered after the farewell time are closed.
    func stop(_ code: ByeCode) -> EventLoopFuture<Void> {
        isStopping = true
        stallTimer?.cancel()
        lobby.turnAwayWhoWaits(code)
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
