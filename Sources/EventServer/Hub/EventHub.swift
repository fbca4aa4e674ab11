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
    private(set) var readers: [String: ReaderInfo] = [:]
    /// The sound inputs that are given to readers, whether something is in their jacks or not.
    private(set) var audioInputs: [String: AudioInputInfo] = [:]
    private(set) var unusedInputs: [UnusedInputInfo] = []
    var ring: EventRing
    var statistics = ServerStatistics()
    private(set) var counts = ReaderCounts()
    var claims: ClaimTable
    /// Swipes that are kept for holders whose connection is gone, by reader. Locked memory, wiped when released.
    var held: [String: HeldSwipe] = [:]
    private(set) var isStopping = false

    private var connections: [ConnectionHandler] = []
    private var lastConnection: UInt64 = 0
    private var dirty: [ConnectionHandler] = []
    private var isFlushScheduled = false
    private var pace = FlushPace()
    private var blocked: [ConnectionHandler] = []
    var turns = RequestTurns()
    var lobby = Lobby()
    var isLettingInScheduled = false
    var areTurnsScheduled = false
    /// Whether a client's requests are being answered: what follows from that for others comes after.
    var isServing = false
    /// Undelivered swipes for which the event is still to be published.
    private var untaken: [SwipeReceipt] = []
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
        blocked.removeAll { $0 === connection }
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
        follow(publication)
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
        if publication.kind == .swipe { tellOfUntaken() }
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
            counts.change(id) { $0.follow(reader.state, at: publication.instant.monotonicNanoseconds) }
        } else if publication.kind == .disconnect {
            readers[id] = nil
            counts.change(id) { $0.powerOff(at: publication.instant.monotonicNanoseconds) }
        }
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
        markDirty(connection)
    }

    // MARK: Swipes

    /// Counts a swipe and publishes it: in full to the holder alone, where the reader is claimed.
    private func swiped(_ reader: String, _ publication: Publication, _ fanOut: inout FanOut) {
        if case .swipe(let swipe) = publication.body(.status) { counts.change(reader) { $0.count(swipe) } }
        let holder = claims.holder(of: reader)
        let origin = SwipeOrigin(
            reader: reader, attachment: publication.attachment, isSimulated: publication.isSimulated,
            sequence: fanOut.sequence)
        let mayBeKept = holder != nil && limits.swipeHold > .zero
        let receipt = receipt(
            for: origin,
            kept: mayBeKept
                ? HeldSwipe(
                    origin: origin, masked: fanOut.delivery(for: .masked), full: fanOut.delivery(for: .full))
                : nil)
        fanOut.receipt = receipt
        for connection in connections where connection.hears(EventKinds(.swipe), of: reader) {
            let mayHaveIt = holder == nil || holder?.connection == connection.identity?.connection
            // A claimed reader's cards in full are for the holder alone.
            let view = !mayHaveIt && connection.view == .full ? .masked : connection.view
            let delivery =
                mayHaveIt && view != .status ? fanOut.delivery(withReceipt: view) : fanOut.delivery(for: view)
            if let delivery { give(delivery, to: connection) }
        }
        if receipt.givenOut() { untaken.append(receipt) }
    }

    func receipt(for origin: SwipeOrigin, kept: HeldSwipe?) -> SwipeReceipt {
        SwipeReceipt(origin, holder: claims.holder(of: origin.reader), kept: kept) { [self] receipt in
            // Later: this can be while another event is being published.
            loop.assumeIsolated().execute { self.nobodyTook(receipt) }
        }
    }

    /// Handles a swipe that was in queues which were dropped.
    private func nobodyTook(_ receipt: SwipeReceipt) {
        untaken.append(receipt)
        tellOfUntaken()
    }

    /// Keeps a swipe for a holder that may come back, or publishes that it is undelivered.
    private func tellOfUntaken() {
        let receipts = untaken
        untaken = []
        for receipt in receipts {
            let reader = receipt.origin.reader
            if let kept = receipt.kept, claims.isAway(reader, wasHeldBy: receipt.holder) {
                // Only the latest is kept.
                if let older = held.updateValue(kept, forKey: reader) {
                    sayUntaken(older.origin, .claimantGone)
                }
            } else {
                sayUntaken(receipt.origin, reason(receipt))
            }
        }
    }

    private func reason(_ receipt: SwipeReceipt) -> UntakenReason {
        guard let holder = receipt.holder else { return receipt.wasQueued ? .clientGone : .noSubscriber }
        let isThere = !receipt.wasQueued && connection(holder.connection) != nil
        return isThere ? .noSubscriber : .claimantGone
    }

    func sayUntaken(_ swipe: SwipeOrigin, _ reason: UntakenReason) {
        counts.change(swipe.reader) { $0.untaken += 1 }
        publish(
            Publication(
                readerID: swipe.reader, attachment: swipe.attachment, isSimulated: swipe.isSimulated,
                .swipeUntaken(reason, swipe: swipe.sequence)))
    }

    func describe(unusedInputs inputs: [UnusedInputInfo]) { unusedInputs = inputs }

    /// - Parameter input: nil where it is none any more.
    func describe(audioInput id: String, _ input: AudioInputInfo?) { audioInputs[id] = input }

    func countCommunicationError(of reader: String) {
        counts.change(reader) { $0.communicationErrors += 1 }
    }

    func countOverruns(of reader: String, _ count: Int) {
        counts.change(reader) { $0.overruns &+= UInt64(clamping: count) }
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

    // MARK: Sending

    /// Sends what the connection's queue holds when everything that is due now is in it.
    func markDirty(_ connection: ConnectionHandler) {
        guard !connection.isDirty else { return }
        connection.isDirty = true
        dirty.append(connection)
        guard !isFlushScheduled else { return }
        isFlushScheduled = true
        if let pause = pace.pause(at: EventInstant.monotonic()) {
            _ = loop.assumeIsolated().scheduleTask(in: pause) { self.flush() }
        } else {
            loop.assumeIsolated().execute { self.flush() }
        }
    }

    private func flush() {
        isFlushScheduled = false
        let start = EventInstant.monotonic()
        let connections = dirty
        dirty.removeAll(keepingCapacity: true)
        for connection in connections {
            connection.isDirty = false
            connection.flush()
        }
        pace.flushed(from: start, to: EventInstant.monotonic())
    }

    // MARK: Clients that do not read

    func cutOff(_ connection: ConnectionHandler) {
        statistics.slowClients += 1
        if let identity = connection.identity { throttle.slowClient(identity)?.write(to: logger) }
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
            if connection.hasStalled(at: now, for: allowed) { cutOff(connection) }
        }
        guard !blocked.isEmpty else { return }
        stallTimer = loop.assumeIsolated().scheduleTask(in: EventHub.stallCheck) { self.checkStalled() }
    }

    // MARK: The end

    /// Says `bye` to everyone; connections to which it is undelivered after the farewell time are closed.
    func stop(_ code: ByeCode) -> EventLoopFuture<Void> {
        isStopping = true
        stallTimer?.cancel()
        turnAwayWhoWaits(code)
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
