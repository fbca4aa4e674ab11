internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import SwipeProtocol

/// Who uses a connection to the daemon: a page's WebSocket, or its stream of events.
protocol LinkUser: AnyObject {
    /// The daemon has greeted, and the connection has the page's role.
    func linkGreeted(_ hello: Hello)
    /// A line of the daemon's, without its end.
    func linkLine(_ line: ByteBuffer)
    /// No more lines for now.
    func linkPaused()
    /// The daemon has room again for what the page asks.
    func linkHasRoom()
    /// It is over; nothing else comes.
    func linkEnded(_ why: LinkEnd)
    /// Whether there is room for more lines.
    var takesLines: Bool { get }
}

/// Why a connection to the daemon ended.
enum LinkEnd: Error, Sendable, Hashable {
    /// The daemon does not listen, or the gateway may not connect.
    case unreachable(String)
    /// The daemon does not do what the gateway needs.
    case unsuited(String)
    /// It was closed. What the daemon said last has been passed on.
    case closed
}

/// One connection to the daemon, for one page: an ordinary client, which gives up what goes beyond the page's role before
/// anything of the page's comes through.
///
/// It reads only while its user has room, so that the daemon's own limits hold for a page as for any client.
final class DaemonLink: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum State {
        case awaitingGreeting
        case awaitingRole(Hello)
        case open
        case over
    }

    private let role: Role
    private weak var user: (any LinkUser)?
    private var state = State.awaitingGreeting
    private var context: ChannelHandlerContext?
    private var patience: Scheduled<Void>?

    /// How long the daemon may take to let the gateway in, and then to greet.
    static let connectTimeout = TimeAmount.seconds(5)
    private static let narrowID = "swiped-web"
    /// What may wait for the daemon of what a page asks.
    private static let watermarks = ChannelOptions.Types.WriteBufferWaterMark(
        low: 16 * 1_024, high: 32 * 1_024)

    private init(role: Role, user: any LinkUser) {
        self.role = role
        self.user = user
    }

    /// Connects; the user is told how it goes on.
    static func open(_ path: String, role: Role, user: any LinkUser, on loop: any EventLoop) -> DaemonLink {
        let link = DaemonLink(role: role, user: user)
        let bound = NIOLoopBound(link, eventLoop: loop)
        ClientBootstrap(group: loop)
            .channelOption(.autoRead, value: false)
            .channelOption(.writeBufferWaterMark, value: watermarks)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Listeners.turn))
            .channelOption(.maxMessagesPerRead, value: 1)
            .connectTimeout(connectTimeout)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let lines = ByteToMessageHandler(
                        DaemonLines(), maximumBufferSize: ProtocolLimits.lineOut + DaemonLines.slack)
                    try channel.pipeline.syncOperations.addHandlers([lines, bound.value])
                }
            }
            .connect(unixDomainSocketPath: path)
            .assumeIsolated()
            .whenFailure { error in link.end(.unreachable(words(error))) }
        return link
    }

    /// As the system says it, without the names of functions.
    private static func words(_ error: any Error) -> String {
        (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
    }

    // MARK: What the user does

    var hasRoom: Bool { context?.channel.isWritable ?? false }

    /// One line of the page's, without its end.
    func send(_ line: ByteBuffer) {
        guard let context else { return }
        var line = line
        line.writeInteger(UInt8(ascii: "\n"))
        context.write(wrapOutboundOut(line), promise: nil)
    }

    func send(_ line: EncodedLine) {
        guard let context else { return }
        context.write(wrapOutboundOut(line.withBytes { ByteBuffer(bytes: $0) }), promise: nil)
    }

    func flush() { context?.flush() }

    func readOn() { context?.read() }

    func close() {
        state = .over
        patience?.cancel()
        user = nil
        context?.close(promise: nil)
    }

    // MARK: The channel

    func channelActive(context: ChannelHandlerContext) {
        if case .over = state { return context.close(promise: nil) }
        self.context = context
        patience = context.eventLoop.assumeIsolated().scheduleTask(in: Self.connectTimeout) {
            self.fail("it took the connection and says nothing: does it hang?", context)
        }
        context.read()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        end(.closed)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isTooLong = error is ByteToMessageDecoderError.PayloadTooLargeError
        end(isTooLong ? .unsuited("it sends a longer line than \(ProtocolVersion.current) allows") : .closed)
        context.close(promise: nil)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { user?.linkHasRoom() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let line = unwrapInboundIn(data)
        switch state {
        case .open: user?.linkLine(line)
        case .awaitingGreeting, .awaitingRole: handshake(line, context)
        case .over: break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        switch state {
        case .awaitingGreeting, .awaitingRole: context.read()
        case .open:
            user?.linkPaused()
            if user?.takesLines == true { context.read() }
        case .over: break
        }
    }

    private func handshake(_ line: ByteBuffer, _ context: ChannelHandlerContext) {
        guard let message = try? ServerMessage(line: Array(line.readableBytesView)) else {
            return fail("it sends what is no line of \(ProtocolVersion.current)", context)
        }
        switch (state, message) {
        case (.awaitingGreeting, .hello(let hello)):
            state = .awaitingRole(hello)
            send(Request(id: .string(Self.narrowID), call: .narrow(role)).line())
            flush()
        case (.awaitingRole(var hello), .reply(let reply)):
            guard case .success(let result) = reply.outcome, let you = try? Hello.You(json: result) else {
                return fail("it does not know 'narrow': both packages must be of one version", context)
            }
            if let why = you.roles.excess(beyond: role) { return fail(why, context) }
            hello.you = you
            state = .open
            patience?.cancel()
            user?.linkGreeted(hello)
        case (_, .event(let event)) where event.body.kind == .bye:
            // What there is to say of it, it says itself. Nothing else comes before anything was asked for.
            user?.linkLine(line)
        case _: fail("it does not greet as \(ProtocolVersion.current) does", context)
        }
    }

    private func fail(_ why: String, _ context: ChannelHandlerContext) {
        end(.unsuited(why))
        context.close(promise: nil)
    }

    private func end(_ why: LinkEnd) {
        if case .over = state { return }
        state = .over
        patience?.cancel()
        let user = user
        self.user = nil
        user?.linkEnded(why)
    }
}

/// Cuts what the daemon sends into lines.
struct DaemonLines: ByteToMessageDecoder {
    typealias InboundOut = ByteBuffer
    /// A line's end, and what one read brings of the next.
    static let slack = 64 * 1_024

    mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        guard let end = buffer.readableBytesView.firstIndex(of: UInt8(ascii: "\n")),
            let line = buffer.readSlice(length: end - buffer.readerIndex)
        else { return .needMoreData }
        buffer.moveReaderIndex(forwardBy: 1)
        context.fireChannelRead(Self.wrapInboundOut(line))
        return .continue
    }

    mutating func decodeLast(
        context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
    ) throws -> DecodingState {
        while try decode(context: context, buffer: &buffer) == .continue {}
        return .needMoreData
    }
}
