internal import NIOCore
internal import SwipeProtocol

/// One client: bytes in become requests, deliveries become bytes out.
///
/// All of it runs on the server's one event loop. The hub owns what is common; this owns the socket.
final class ConnectionHandler: ChannelInboundHandler, Stallable {
    typealias InboundIn = ByteBuffer

    private enum State {
        /// The socket is not open yet.
        case starting
        /// Requests are accepted.
        case open(ClientSession)
        /// The client sends no more; what it asked for still goes out.
        case inputClosed(ClientSession)
        /// A `bye` is in the queue; the socket closes when it is through. No session: the client was refused.
        case leaving(ClientSession?)
        /// The socket is closed.
        case closed
    }

    let hub: EventHub
    private let queueLimits: ServerLimits
    /// The client's user and groups, as the kernel names them.
    let peer: PeerCredentials
    /// Whether it counts as a connection that is in, or waits to be let in.
    var hasPlace = true
    /// Where the hub keeps this connection in its list; -1 when it does not.
    var indexInHub = -1
    /// Whether the hub will flush this connection at the end of its turn.
    var isDirty = false
    /// Whether it waits for its turn to be answered, and when it last had one, in CLOCK_MONOTONIC nanoseconds.
    var awaitsTurn = false
    var lastTurn: UInt64 = 0

    private var state = State.starting
    /// Nil before it is open, and when it must not be written to any more.
    private var socket: ClientSocket?
    private var framer = LineFramer()
    private var queue = OutboundQueue()

    /// Lines that may wait before they are sent at once instead of at the end of the turn.
    private static let flushAt = 64
    /// A client that reads no replies gets no more requests read above these.
    static let pauseReadingAboveBytes = 64 * 1_024
    static let pauseReadingAboveLines = 256
    /// What may wait to be answered. Only a client that has shut down its sending side can reach this: NIO reads on to
    /// the end then, whether it was asked to or not.
    static let unansweredBytes = 128 * 1_024
    /// Lines that one client is answered before the others have their turn: a line of 20 bytes may ask for 30,000.
    static let linesPerTurn = 4

    private var session: ClientSession? {
        switch state {
        case .open(let session), .inputClosed(let session): session
        case .leaving(let session): session
        case .starting, .closed: nil
        }
    }

    private var isClosed: Bool { if case .closed = state { true } else { false } }

    /// Who it is; nil for a connection that is not let in, or closed.
    var identity: ClientIdentity? { session?.identity }
    var view: View { session?.view ?? .status }
    var controlTime: StopWatch { session?.controlTime ?? StopWatch() }

    init(hub: EventHub, peer: PeerCredentials) {
        self.hub = hub
        self.peer = peer
        queueLimits = hub.limits
    }

    // MARK: The channel's lifetime

    func channelActive(context: ChannelHandlerContext) {
        let descriptor = try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { $0 }
        guard let descriptor else { return context.close(promise: nil) }
        socket = ClientSocket(context: context, descriptor: descriptor)
        switch hub.admit(self) {
        case .success(let identity):
            state = .open(ClientSession(identity))
            enqueue(Delivery(hub.hello(for: identity).line()))
            hub.flushes.mark(self)
            context.read()
        case .failure(let refusal):
            leave(refusal.code)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        close()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .some(ChannelEvent.inputClosed) = event as? ChannelEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        guard case .open(let session) = state else { return }
        state = .inputClosed(session)
        hub.turns.giveTurn(to: self)
    }

    /// The socket is closed, or about to be: nothing is written any more, and the hub forgets the connection.
    private func end() {
        guard !isClosed else { return }
        // First: what becomes of a swipe in the queue depends on who holds the reader then.
        hub.remove(self)
        (state, socket) = (.closed, nil)
        queue.removeAll()
        settle()
    }

    private func close() {
        guard let context = socket?.context else { return }
        end()
        context.close(promise: nil)
    }

    /// Says why, and closes when that is through. Where the `bye` does not fit any more, it is left out.
    func leave(_ code: ByeCode) {
        switch state {
        case .leaving, .closed: return
        case .starting: state = .leaving(nil)
        case .open(let session), .inputClosed(let session): state = .leaving(session)
        }
        queue.append(Delivery(hub.farewell(code)))
        flush()
    }

    /// Closes at once, with the rest of the line that has begun and a `bye`, where the socket has room for them.
    func drop(_ code: ByeCode) {
        if let descriptor = socket?.descriptor {
            // First: what becomes of a swipe in the queue depends on who holds the reader then.
            hub.remove(self)
            // The byte that NIO has is the queue's first, and closing takes it back: the line stays whole.
            queue.removeWhatHasNotBegun()
            queue.append(Delivery(hub.farewell(code)))
            SocketWriter.makeRoom(in: descriptor)
            _ = SocketWriter.write(&queue, to: descriptor)
            settle()
        }
        close()
    }

    private func closeIfDone() {
        guard queue.isEmpty, !isBlocked, session?.isBusy != true, !awaitsTurn else { return }
        switch state {
        case .leaving: close()
        case .inputClosed(let session): if session.subscription == nil, framer.isEmpty { close() }
        case .starting, .open, .closed: break
        }
    }

    // MARK: In

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .open = state else { return }
        framer.append(unwrapInboundIn(data).readableBytesView)
        guard framer.waiting <= ConnectionHandler.unansweredBytes else { return refuseWhatWaits() }
        hub.turns.giveTurn(to: self)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        readOn()
    }

    /// Whether the client's next request may be done now.
    private var takesRequests: Bool {
        switch state {
        case .open(let session), .inputClosed(let session): !session.isBusy
        case .starting, .leaving, .closed: false
        }
    }

    /// Whether the client reads its replies, so that it may have more.
    private var takesReplies: Bool {
        queue.bytes <= ConnectionHandler.pauseReadingAboveBytes
            && queue.count <= ConnectionHandler.pauseReadingAboveLines
    }

    /// Answers some of the lines that have arrived, as long as the client reads the answers; returns whether there may
    /// be more.
    func takeTurn() -> Bool {
        var left = ConnectionHandler.linesPerTurn
        while takesRequests {
            if left == 0 {
                // Within its turn: flushing is most of the work, and would put events off where the hub does it.
                flush()
                return true
            }
            left -= 1
            if !takesReplies {
                flush()
                if !takesReplies { break }
            }
            guard let frame = framer.next() else { break }
            switch frame {
            case .line(let line): handle(line)
            case .tooLong: refuseLongLine()
            }
        }
        // What the peer sent before its end, newline or not, is answered.
        if case .inputClosed(let session) = state, !session.isBusy, takesReplies, let rest = framer.rest() {
            handle(rest)
        }
        flush()
        return false
    }

    /// All that could be answered is.
    func turnEnded() {
        readOn()
        closeIfDone()
    }

    private func refuseLongLine() {
        hub.statistics.linesRefused += 1
        let limit = ProtocolLimits.lineIn
        enqueue(
            Delivery(
                Reply.line(id: .none, error: ErrorReply(.lineTooLong, "a line is longer than \(limit) bytes"))
            ))
        leave(.tooLong)
    }

    private func refuseWhatWaits() {
        hub.statistics.linesRefused += 1
        framer.giveUp()
        leave(.tooLong)
    }

    /// Reads on, unless a request is being done or the client does not read its replies.
    private func readOn() {
        guard case .open(let session) = state, !session.isBusy, !awaitsTurn, takesReplies else { return }
        socket?.context.read()
    }

    private func handle(_ line: [UInt8]) {
        do throws(RequestError) {
            let request = try Request(line: line)
            act(on: hub.answer(request, from: self))
        } catch {
            hub.statistics.linesRefused += 1
            enqueue(Delivery(Reply.line(id: error.id, error: error.reply)))
        }
    }

    /// Its turn ends with sending what is in the queue.
    private func act(on answer: Answer) {
        switch answer {
        case .line(let line): enqueue(Delivery(line))
        case .subscribed(let wanted, let lines):
            session?.subscription = wanted
            for line in lines { enqueue(line.delivery, isReplay: line.isReplay) }
        case .narrowed(let identity, let line):
            session?.identity = identity
            enqueue(Delivery(line))
        case .given: break
        case .later: session?.isBusy = true
        case .control:
            session?.controlTime.start(at: EventInstant.monotonic())
            session?.isBusy = true
        }
    }

    /// The answer to a request, and what follows from it for this client. A request that waited for it is done.
    func answered(_ lines: [Delivery]) {
        for line in lines { enqueue(line) }
        hub.flushes.mark(self)
        guard let session, session.isBusy else { return }
        session.controlTime.stop(at: EventInstant.monotonic())
        session.isBusy = false
        hub.turns.giveTurn(to: self)
    }

    // MARK: Out

    /// Whether lines of a replay wait, or others that came after them.
    var isReplaying: Bool { queue.exempt > 0 }

    /// Whether the client has asked for such events, of that reader.
    func hears(_ kinds: EventKinds, of reader: String?) -> Bool {
        guard let subscription = session?.subscription, subscription.events.contains(kinds) else {
            return false
        }
        guard let wanted = subscription.readers, let reader else { return true }
        return wanted.contains(reader)
    }

    /// Puts a line in the queue. A client whose queue has no room for it is cut off.
    func enqueue(_ delivery: Delivery, isReplay: Bool = false) {
        switch state {
        case .starting, .open, .inputClosed: break
        case .leaving, .closed: return
        }
        if !isReplay, !queue.hasRoom(for: delivery, within: queueLimits), !makeRoom(for: delivery) {
            hub.cutOff(self)
            return
        }
        #if DEBUG
            // As for answers above: the client notices that something is wrong, and what.
            if let complaint = hub.complaint(about: delivery.line) {
                queue.append(Delivery(Reply.line(id: .none, error: ErrorReply(.serverFailed, complaint))))
                return leave(.shutdown)
            }
        #endif
        if let receipt = delivery.receipt { hub.custody.queued(receipt) }
        queue.append(delivery, isExempt: isReplay)
        if !isBlocked, queue.count >= ConnectionHandler.flushAt { flush() }
    }

    /// Leaves out states that later ones replace. Less than a quarter of the queue is not worth the search again.
    private func makeRoom(for delivery: Delivery) -> Bool {
        flush()
        if queue.hasRoom(for: delivery, within: queueLimits) { return !isClosed }
        let (lines, bytes) = (queue.limitedCount, queue.limitedBytes)
        let removed = queue.coalesce(for: identity?.connection ?? 0) { from, to in
            Delivery(hub.gapLine(from: from, to: to, .coalesced))
        }
        hub.statistics.eventsCoalesced += UInt64(removed)
        let isWorthIt =
            lines - queue.limitedCount >= queueLimits.queueEvents / 4
            || bytes - queue.limitedBytes >= queueLimits.queueBytes / 4
        return isWorthIt && queue.hasRoom(for: delivery, within: queueLimits)
    }

    /// Sends as much as the socket has room for.
    func flush() {
        guard let descriptor = socket?.descriptor, !isBlocked else { return }
        let outcome = SocketWriter.write(&queue, to: descriptor)
        settle()
        switch outcome {
        case .drained:
            socket?.noLineSince = nil
            closeIfDone()
        case .full: waitForRoom()
        case .failed: close()
        }
    }

    /// Says what became of the queue's swipes.
    private func settle() {
        let fates = queue.takeFates()
        if !fates.isEmpty { hub.settle(fates) }
    }

    var isBlocked: Bool { socket?.blockedSince != nil }

    /// Whether no whole line was delivered to the client for so many nanoseconds, or a card has waited for it since
    /// then.
    func hasStalled(at now: UInt64, for nanoseconds: UInt64) -> Bool {
        guard isBlocked else { return false }
        let since = [socket?.noLineSince?.time, queue.oldestCard].compactMap(\.self).min() ?? now
        return now >= since && now - since >= nanoseconds
    }

    /// Hands one byte to NIO, which waits for the socket, and goes on when that is through.
    ///
    /// Why one: what NIO has, we cannot take back. Of one byte we know whether it was sent, so that `bye` can follow a
    /// whole line; and no card data lies in a buffer that is not wiped.
    private func waitForRoom() {
        guard let context = socket?.context, let byte = queue.nextByte else { return }
        let now = EventInstant.monotonic()
        socket?.blockedSince = now
        if socket?.noLineSince?.linesTaken != queue.linesTaken {
            socket?.noLineSince = (now, queue.linesTaken)
        }
        hub.blocked(self)
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { [self] result in
            guard case .success = result, !isClosed else { return }
            socket?.blockedSince = nil
            queue.advance(1)
            settle()
            flush()
            guard !isBlocked else { return }
            hub.turns.giveTurn(to: self)
        }
        context.writeAndFlush(NIOAny(context.channel.allocator.buffer(integer: byte)), promise: promise)
    }
}
