internal import NIOCore
internal import SwipeProtocol

/// One client: bytes in become requests, deliveries become bytes out.
///
/// All of it runs on the server's one event loop. The hub owns what is common; this owns the socket.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private enum State {
        /// Not greeted yet, or turned away.
        case starting
        /// Requests are taken.
        case open
        /// The peer sends no more; what it asked for still goes out.
        case inputClosed
        /// A `bye` is in the queue; the socket closes when it is through.
        case leaving
        /// The socket is closed.
        case closed
    }

    let hub: EventHub
    private let queueLimits: ServerLimits
    private(set) var identity: ClientIdentity?
    private(set) var view = View.status
    /// What the client wants to hear of; nil before `subscribe`.
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
    /// Set while the socket takes nothing: since when, in CLOCK_MONOTONIC nanoseconds.
    private(set) var blockedSince: UInt64?
    /// Whether a request is being done; the next one waits.
    private var isBusy = false

    /// Lines that may wait before they are sent at once instead of at the end of the turn.
    private static let flushAt = 64
    /// A client that reads no replies gets no more requests read above this.
    private static let pauseReadingAbove = 64 * 1_024

    init(hub: EventHub) {
        self.hub = hub
        queueLimits = hub.limits
    }

    // MARK: The channel's life

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        descriptor = try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { $0 }
        guard let descriptor, let credentials = PeerCredentials(descriptor: descriptor) else {
            return context.close(promise: nil)
        }
        switch hub.admit(self, credentials) {
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
        takeLines()
        closeIfDone()
    }

    /// The socket is closed, or about to be: nothing is written any more, and the hub forgets the connection.
    private func end() {
        guard state != .closed else { return }
        state = .closed
        descriptor = nil
        queue.removeAll()
        blockedSince = nil
        hub.remove(self)
    }

    private func close() {
        guard let context, state != .closed else { return }
        end()
        context.close(promise: nil)
    }

    /// Says why, and closes when that is through. What does not fit any more is not said.
    func leave(_ code: ByeCode) {
        switch state {
        case .leaving, .closed: return
        case .starting, .open, .inputClosed: break
        }
        state = .leaving
        queue.append(Delivery(hub.farewell(code)))
        flush()
    }

    /// Closes at once, with a last word where the socket takes it.
    func drop(_ code: ByeCode) {
        guard state != .closed else { return }
        if !queue.isInsideLine {
            queue.removeAll()
            queue.append(Delivery(hub.farewell(code)))
            if let descriptor, blockedSince == nil || queue.count == 1 {
                _ = SocketWriter.write(&queue, to: descriptor)
            }
        }
        close()
    }

    private func closeIfDone() {
        guard queue.isEmpty, blockedSince == nil, !isBusy else { return }
        switch state {
        case .leaving: close()
        case .inputClosed: if subscription == nil { close() }
        case .starting, .open, .closed: break
        }
    }

    // MARK: In

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .open = state else { return }
        framer.append(unwrapInboundIn(data).readableBytesView)
        takeLines()
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

    private func takeLines() {
        while takesRequests, !isBusy, queue.bytes <= ConnectionHandler.pauseReadingAbove,
            let frame = framer.next()
        {
            switch frame {
            case .line(let line): handle(line)
            case .tooLong:
                hub.statistics.linesRefused += 1
                let limit = ProtocolLimits.lineIn
                send(
                    Reply.line(
                        id: .none, error: ErrorReply(.lineTooLong, "a line is longer than \(limit) bytes")))
                leave(.tooLong)
            }
        }
        // What the peer sent before its end, newline or not, is answered.
        if case .inputClosed = state, !isBusy, queue.bytes <= ConnectionHandler.pauseReadingAbove,
            let rest = framer.rest()
        {
            handle(rest)
        }
        flush()
    }

    /// Reads on, unless a request is being done or the client does not take its replies.
    private func readOn() {
        guard case .open = state, !isBusy, queue.bytes <= ConnectionHandler.pauseReadingAbove else { return }
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
        takeLines()
        readOn()
        closeIfDone()
    }

    // MARK: Out

    func reply(to id: RequestID, _ result: some JSONEncodable) {
        let line = Reply.line(id: id, result: result)
        guard line.count <= ProtocolLimits.lineOut else {
            return reply(to: id, error: ErrorReply(.replyTooLong, "the answer has \(line.count) bytes"))
        }
        send(line)
    }

    func reply(to id: RequestID, error: ErrorReply) {
        send(Reply.line(id: id, error: error))
    }

    private func send(_ line: EncodedLine) {
        enqueue(Delivery(line))
        hub.markDirty(self)
    }

    /// Puts a line in the queue. A client that is so far behind that it does not fit is cut off.
    func enqueue(_ delivery: Delivery, isReplay: Bool = false) {
        switch state {
        case .starting, .open, .inputClosed: break
        case .leaving, .closed: return
        }
        if !isReplay, !queue.hasRoom(for: delivery, within: queueLimits), !makeRoom(for: delivery) {
            hub.cutOff(self)
            return
        }
        queue.append(delivery, isExempt: isReplay)
        if blockedSince == nil, queue.count >= ConnectionHandler.flushAt { flush() }
    }

    /// Leaves out states that later ones replace. Less than a quarter of the queue is not worth the search again.
    private func makeRoom(for delivery: Delivery) -> Bool {
        flush()
        if queue.hasRoom(for: delivery, within: queueLimits) { return state != .closed }
        let removed = queue.coalesce { from, to in Delivery(hub.gapLine(from: from, to: to, .coalesced)) }
        hub.statistics.eventsCoalesced += UInt64(removed)
        return removed >= queueLimits.queueEvents / 4 && queue.hasRoom(for: delivery, within: queueLimits)
    }

    /// Sends as much as the socket takes.
    func flush() {
        guard let descriptor, blockedSince == nil else { return }
        switch SocketWriter.write(&queue, to: descriptor) {
        case .drained: closeIfDone()
        case .full: waitForRoom()
        case .failed: close()
        }
    }

    /// Hands the rest of one line to NIO, which waits for the socket, and goes on when that is through.
    private func waitForRoom() {
        guard let context, let (line, skipped) = queue.takeFirst() else { return }
        blockedSince = EventInstant.monotonic()
        hub.markBlocked(self)
        let rest = UnsafeRawBufferPointer(rebasing: line.unsafeBytes[skipped...])
        let buffer = context.channel.allocator.buffer(bytes: rest)
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { [self] result in
            if line.isSensitive { buffer.wipe() }
            guard case .success = result, state != .closed else { return }
            blockedSince = nil
            flush()
            if blockedSince == nil {
                takeLines()
                readOn()
            }
        }
        context.writeAndFlush(NIOAny(buffer), promise: promise)
    }
}

extension ByteBuffer {
    /// Zeroes the storage itself, whoever shares it: nobody reads it any more.
    fileprivate func wipe() {
        withVeryUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            UnsafeMutableRawPointer(mutating: base).initializeMemory(
                as: UInt8.self, repeating: 0, count: bytes.count)
        }
    }
}
