internal import NIOCore
internal import SwipeProtocol

/// One client: bytes in become requests, deliveries become bytes out.
///
/// All of it runs on the server's one event loop. The hub owns what is common; this owns the socket.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private enum State {
        /// Not greeted yet, or refused.
        case starting
        /// Requests are accepted.
        case open
        /// The client sends no more; what it asked for still goes out.
        case inputClosed
        /// A `bye` is in the queue; the socket closes when it is through.
        case leaving
        /// The socket is closed.
        case closed
    }

    let hub: EventHub
    private let queueLimits: ServerLimits
    /// The client's user and groups, as the kernel names them.
    let peer: PeerCredentials
    /// Whether it counts as a connection that is in, or waits to be let in.
    var hasPlace = true
    private(set) var identity: ClientIdentity?
    private(set) var view = View.status
    /// What the client has subscribed to; nil before `subscribe`.
    var subscription: Subscription?
    /// Where the hub keeps this connection in its list; -1 when it does not.
    var indexInHub = -1
    /// Whether the hub will flush this connection at the end of its turn.
    var isDirty = false

    private var state = State.starting
    private var framer = LineFramer()
    private var queue = OutboundQueue()
    private var context: ChannelHandlerContext?
    /// The socket; nil when it must not be written to any more.
    private var descriptor: Int32?
    /// Set while the socket is full: since when, in CLOCK_MONOTONIC nanoseconds. One byte is with NIO then.
    private(set) var blockedSince: UInt64?
    /// Since when no whole line was delivered, and how many had been delivered by then.
    private var noLineSince: (time: UInt64, linesTaken: UInt64)?
    /// Whether a request is being done; the next one waits.
    private var isBusy = false
    /// How long readers, or the daemon, have taken for what this client asked of them.
    private(set) var controlTime = StopWatch()
    /// Lines that may wait before they are sent at once instead of at the end of the turn.
    private static let flushAt = 64
    /// A client that reads no replies gets no more requests read above these.
    static let pauseReadingAboveBytes = 64 * 1_024
    static let pauseReadingAboveLines = 256
    /// What may wait to be answered. Only a client that has shut down its sending side can reach this: NIO reads on to
    /// the end then, whether it was asked to or not.
    static let unansweredBytes = 128 * 1_024
    /// Whether it waits for its turn to be answered, and when it last had one, in CLOCK_MONOTONIC nanoseconds.
    var awaitsTurn = false
    var lastTurn: UInt64 = 0
    /// Lines that one client is answered before the others have their turn: a line of 20 bytes may ask for 30,000.
    static let linesPerTurn = 4

    init(hub: EventHub, peer: PeerCredentials) {
        self.hub = hub
        self.peer = peer
        queueLimits = hub.limits
    }

    // MARK: The channel's lifetime

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        descriptor = try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { $0 }
        guard descriptor != nil else { return context.close(promise: nil) }
        switch hub.admit(self) {
        case .success(let identity):
            self.identity = identity
            view = View(roles: identity.roles)
            state = .open
            send(hub.hello(for: identity).line())
            context.read()
        case .failure(let refusal):
            leave(refusal.code)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        self.context = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        close()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .some(ChannelEvent.inputClosed) = event as? ChannelEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        guard case .open = state else { return }
        state = .inputClosed
        hub.giveTurn(to: self)
    }

    /// The socket is closed, or about to be: nothing is written any more, and the hub forgets the connection.
    private func end() {
        guard state != .closed else { return }
        state = .closed
        descriptor = nil
        blockedSince = nil
        // First: what becomes of a swipe in the queue depends on who holds the reader then.
        hub.remove(self)
        queue.removeAll()
    }

    private func close() {
        guard let context, state != .closed else { return }
        end()
        context.close(promise: nil)
    }

    /// Says why, and closes when that is through. Where the `bye` does not fit any more, it is left out.
    func leave(_ code: ByeCode) {
        switch state {
        case .leaving, .closed: return
        case .starting, .open, .inputClosed: break
        }
        state = .leaving
        queue.append(Delivery(hub.farewell(code)))
        flush()
    }

    /// Closes at once, with the rest of the line that has begun and a `bye`, where the socket has room for them.
    func drop(_ code: ByeCode) {
        guard state != .closed else { return }
        if let descriptor {
            // First: what becomes of a swipe in the queue depends on who holds the reader then.
            hub.remove(self)
            // The byte that NIO has is the queue's first, and closing takes it back: the line stays whole.
            queue.removeWhatHasNotBegun()
            queue.append(Delivery(hub.farewell(code)))
            SocketWriter.makeRoom(in: descriptor)
            _ = SocketWriter.write(&queue, to: descriptor)
        }
        close()
    }

    private func closeIfDone() {
        guard queue.isEmpty, blockedSince == nil, !isBusy, !awaitsTurn else { return }
        switch state {
        case .leaving: close()
        case .inputClosed: if subscription == nil, framer.isEmpty { close() }
        case .starting, .open, .closed: break
        }
    }

    // MARK: In

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .open = state else { return }
        framer.append(unwrapInboundIn(data).readableBytesView)
        guard framer.waiting <= ConnectionHandler.unansweredBytes else { return refuseWhatWaits() }
        hub.giveTurn(to: self)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        readOn()
    }

    private var takesRequests: Bool {
        switch state {
        case .open, .inputClosed: true
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
        while takesRequests, !isBusy {
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
        if case .inputClosed = state, !isBusy, takesReplies, let rest = framer.rest() { handle(rest) }
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
        send(
            Reply.line(id: .none, error: ErrorReply(.lineTooLong, "a line is longer than \(limit) bytes")))
        leave(.tooLong)
    }

    private func refuseWhatWaits() {
        hub.statistics.linesRefused += 1
        framer.giveUp()
        leave(.tooLong)
    }

    /// Reads on, unless a request is being done or the client does not read its replies.
    private func readOn() {
        guard case .open = state, !isBusy, !awaitsTurn, takesReplies else { return }
        context?.read()
    }

    private func handle(_ line: [UInt8]) {
        do throws(RequestError) {
            let request = try Request(line: line)
            hub.statistics.requests += 1
            hub.answer(request, from: self)
        } catch {
            hub.statistics.linesRefused += 1
            reply(to: error.id, error: error.reply)
        }
    }

    /// The answer to the current request comes later; the next request waits for it.
    func beginWaiting() { isBusy = true }

    /// The answer that was waited for has been sent.
    func endWaiting() {
        guard isBusy else { return }
        isBusy = false
        hub.giveTurn(to: self)
    }

    func beginControl() {
        controlTime.start(at: EventInstant.monotonic())
        beginWaiting()
    }

    func endControl() {
        controlTime.stop(at: EventInstant.monotonic())
        endWaiting()
    }

    // MARK: Out

    /// Whether lines of a replay wait, or others that came after them.
    var isReplaying: Bool { queue.exempt > 0 }

    /// Whether the client has asked for such events, of that reader.
    func hears(_ kinds: EventKinds, of reader: String?) -> Bool {
        guard let subscription, subscription.events.contains(kinds) else { return false }
        guard let wanted = subscription.readers, let reader else { return true }
        return wanted.contains(reader)
    }

    func reply(to id: RequestID, _ method: Method, _ result: some JSONEncodable) {
        if let line = answer(to: id, method, result) { send(line) }
    }

    /// The line of an answer; nil where the answer fits no line; the client then gets an error.
    func answer(to id: RequestID, _ method: Method, _ result: some JSONEncodable) -> EncodedLine? {
        let line = Reply.line(id: id, result: result)
        #if DEBUG
            // For every reader of the line, also a program in another language: no test passes with an answer that does
            // not fit the schema.
            if let complaint = hub.complaint(about: line, answering: method) {
                reply(to: id, error: ErrorReply(.serverFailed, complaint))
                return nil
            }
        #endif
        guard line.count <= ProtocolLimits.lineOut else {
            reply(to: id, error: ErrorReply(.replyTooLong, "the answer has \(line.count) bytes"))
            return nil
        }
        return line
    }

    func reply(to id: RequestID, error: ErrorReply) {
        send(Reply.line(id: id, error: error))
    }

    func send(_ line: EncodedLine) {
        enqueue(Delivery(line))
        hub.markDirty(self)
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
        queue.append(delivery, isExempt: isReplay)
        if blockedSince == nil, queue.count >= ConnectionHandler.flushAt { flush() }
    }

    /// Leaves out states that later ones replace. Less than a quarter of the queue is not worth the search again.
    private func makeRoom(for delivery: Delivery) -> Bool {
        flush()
        if queue.hasRoom(for: delivery, within: queueLimits) { return state != .closed }
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
        guard let descriptor, blockedSince == nil else { return }
        switch SocketWriter.write(&queue, to: descriptor) {
        case .drained:
            noLineSince = nil
            closeIfDone()
        case .full: waitForRoom()
        case .failed: close()
        }
    }

    /// Whether no whole line was delivered to the client for so many nanoseconds, or a card has waited for it since
    /// then.
    func hasStalled(at now: UInt64, for nanoseconds: UInt64) -> Bool {
        guard blockedSince != nil else { return false }
        let since = [noLineSince?.time, queue.oldestCard].compactMap(\.self).min() ?? now
        return now >= since && now - since >= nanoseconds
    }

    /// Hands one byte to NIO, which waits for the socket, and goes on when that is through.
    ///
    /// Why one: what NIO has, we cannot take back. Of one byte we know whether it was sent, so that `bye` can follow a
    /// whole line; and no card data lies in a buffer that is not wiped.
    private func waitForRoom() {
        guard let context, let byte = queue.nextByte else { return }
        let now = EventInstant.monotonic()
        blockedSince = now
        if noLineSince?.linesTaken != queue.linesTaken { noLineSince = (now, queue.linesTaken) }
        hub.markBlocked(self)
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { [self] result in
            guard case .success = result, state != .closed else { return }
            blockedSince = nil
            queue.advance(1)
            flush()
            guard blockedSince == nil else { return }
            hub.giveTurn(to: self)
        }
        context.writeAndFlush(NIOAny(context.channel.allocator.buffer(integer: byte)), promise: promise)
    }
}
