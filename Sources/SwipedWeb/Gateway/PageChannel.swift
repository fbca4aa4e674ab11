package import NIOCore
package import NIOWebSocket

/// What is done with a page's messages.
package protocol MessageUser: AnyObject {
    func messagesBegin(on page: PageChannel)
    /// A whole message.
    func message(_ text: ByteBuffer, isBinary: Bool)
    /// No more messages for now.
    func messagesPaused()
    /// The page has room again, or none any more.
    func roomChanged()
    /// The page broke a rule; it is being closed.
    func refused(_ why: Refusal)
    func messagesEnded()
}

/// A page's WebSocket: whole messages in both directions, the closing handshake, and nothing that grows while a page does not
/// read.
package final class PageChannel: ChannelInboundHandler {
    package typealias InboundIn = WebSocketFrame
    package typealias OutboundOut = WebSocketFrame

    private enum State {
        case open
        /// Our close is sent; the page's answer is waited for.
        case closing
        case closed
    }

    private var user: (any MessageUser)?
    private var state = State.open
    private var context: ChannelHandlerContext?
    /// Whether more messages are wanted.
    private var wantsMore = false

    /// How long a page has to answer a close.
    private static let closeTimeout = TimeAmount.seconds(2)

    init(user: any MessageUser) { self.user = user }

    /// The handlers of a WebSocket after NIO's decoder, in their order.
    ///
    /// - Parameter fragments: how many pieces a message may come in.
    package static func install(
        in channel: any Channel, user: any MessageUser, maximumMessage: Int, fragments: Int
    ) throws {
        try channel.pipeline.syncOperations.addHandlers([
            FrameRules(),
            NIOWebSocketFrameAggregator(
                minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: fragments,
                maxAccumulatedFrameSize: maximumMessage),
            PageChannel(user: user),
        ])
    }

    // MARK: What the user does

    package var hasRoom: Bool { context?.channel.isWritable ?? false }

    package func send(_ payload: ByteBuffer, isBinary: Bool = false) {
        guard case .open = state, let context else { return }
        let frame = WebSocketFrame(fin: true, opcode: isBinary ? .binary : .text, data: payload)
        context.write(wrapOutboundOut(frame), promise: nil)
    }

    package func flush() { context?.flush() }

    /// Reads on where there is room for what answers may come.
    package func readOn() {
        wantsMore = true
        guard let context, context.channel.isWritable else { return }
        wantsMore = false
        context.read()
    }

    /// Says why, and closes when the page has answered, or has not in time.
    ///
    /// - Parameter reason: a code for programs, where the number does not say all.
    func close(_ code: WebSocketErrorCode, _ reason: String = "") {
        guard case .open = state, let context else { return }
        state = .closing
        sendClose(code, context, reason)
        closeLater(context)
    }

    /// Closes at once: the page does not read.
    func cut() { context?.close(promise: nil) }

    private func sendClose(
        _ code: WebSocketErrorCode?, _ context: ChannelHandlerContext, _ reason: String = ""
    ) {
        var data = ByteBuffer()
        if let code {
            data.write(webSocketErrorCode: code)
            data.writeString(reason)
        }
        context.writeAndFlush(
            wrapOutboundOut(WebSocketFrame(fin: true, opcode: .connectionClose, data: data)), promise: nil)
    }

    // MARK: The channel

    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        try? context.channel.syncOptions?.setOption(.autoRead, value: false)
        user?.messagesBegin(on: self)
    }

    package func handlerRemoved(context: ChannelHandlerContext) { end() }

    package func channelInactive(context: ChannelHandlerContext) { end() }

    private func end() {
        state = .closed
        context = nil
        let user = user
        self.user = nil
        user?.messagesEnded()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case is FrameRules.Broken: refuse(.frameMalformed, .protocolError)
        case NIOWebSocketFrameAggregator.Error.accumulatedFrameSizeIsTooLarge,
            NIOWebSocketFrameAggregator.Error.tooManyFragments:
            refuse(.frameTooLong, .messageTooLarge)
        case is NIOWebSocketFrameAggregator.Error: refuse(.frameMalformed, .protocolError)
        case NIOWebSocketError.invalidFrameLength: refuse(.frameTooLong, .messageTooLarge)
        case is NIOWebSocketError: refuse(.frameMalformed, .protocolError)
        case _: context.close(promise: nil)
        }
    }

    /// After a broken rule nothing that follows can be trusted to be a frame.
    private func refuse(_ why: Refusal, _ code: WebSocketErrorCode) {
        guard case .open = state, let context else { return }
        user?.refused(why)
        leave(code, context)
    }

    /// Says the last word, and lets go once the page has had time to read it: closing at once, with something still to be read,
    /// would take it back.
    private func leave(_ code: WebSocketErrorCode?, _ context: ChannelHandlerContext) {
        state = .closing
        sendClose(code, context)
        context.close(mode: .output, promise: nil)
        closeLater(context)
    }

    private func closeLater(_ context: ChannelHandlerContext) {
        let bound = context.loopBound
        context.eventLoop.scheduleTask(in: Self.closeTimeout) { bound.value.close(promise: nil) }
        context.read()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch state {
        case .open: take(frame, context)
        case .closing: if frame.opcode == .connectionClose { context.close(promise: nil) }
        case .closed: break
        }
    }

    private func take(_ frame: WebSocketFrame, _ context: ChannelHandlerContext) {
        switch frame.opcode {
        case .text, .binary:
            let isBinary = frame.opcode == .binary
            let payload = frame.unmaskedData
            guard isBinary || CloseRules.isText(payload) else {
                return refuse(.frameMalformed, .dataInconsistentWithMessage)
            }
            user?.message(payload, isBinary: isBinary)
        case .ping:
            context.write(
                wrapOutboundOut(WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)),
                promise: nil)
        case .connectionClose:
            leave(CloseRules.answer(to: frame.unmaskedData), context)
        case _: break
        }
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        context.flush()
        switch state {
        case .open: user?.messagesPaused()
        case .closing: context.read()
        case .closed: break
        }
    }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, wantsMore { readOn() }
        user?.roomChanged()
    }
}
