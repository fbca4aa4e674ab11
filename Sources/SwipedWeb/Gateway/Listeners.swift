internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import NIOWebSocket

/// Tells of requests that are no HTTP; they are answered further on.
private final class RequestErrors: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart

    private let tell: () -> Void

    init(_ tell: @escaping () -> Void) { self.tell = tell }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is HTTPParserError { tell() }
        context.fireErrorCaught(error)
    }
}

/// Makes a listening socket wait where a connection cannot be taken: no descriptor is left, as a rule. The connection that waits
/// would wake the loop again at once, and for ever: NIO's own handler for it (AcceptBackoffHandler) delays the next read, and the one
/// that failed stays asked for.
private final class AcceptPause: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private let tell: () -> Void

    private static let length = TimeAmount.seconds(1)

    init(_ tell: @escaping () -> Void) { self.tell = tell }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is IOError else { return context.fireErrorCaught(error) }
        tell()
        let channel = context.channel
        channel.setOption(.autoRead, value: false).assumeIsolated().whenSuccess {
            channel.eventLoop.assumeIsolated().scheduleTask(in: Self.length) {
                channel.setOption(.autoRead, value: true).assumeIsolated().whenComplete { _ in }
            }
        }
    }
}

/// The sockets at which pages and `swipectl web` come in.
struct Listeners {
    let gateway: NIOLoopBound<Gateway>
    let loop: any EventLoop

    /// What may wait for a page in the gateway, and in its socket: a line that waits there counts as delivered.
    private static let watermarks = ChannelOptions.Types.WriteBufferWaterMark(
        low: 8 * 1_024, high: 16 * 1_024)
    private static let sendBuffer = 64 * 1_024
    /// What is read of one connection before the others have their turn, of a page and of the daemon's lines to it: who sends without
    /// end makes nobody wait for more than that.
    static let turn = 4 * 1_024
    /// A request's headers. Browsers send along the cookies that other servers of this machine have set.
    private static var headers: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 16 * 1_024
        limits.maxHeaderListSize = maximumHeaders
        return limits
    }
    static let maximumHeaders = 32 * 1_024
    /// Larger frames are refused by their head, before anything of them is read.
    private static let maximumFrame = 16_384

    /// Serves pages at a socket.
    ///
    /// - Parameter tls: nil for plain HTTP.
    func servePages(at socket: LoopbackSocket, tls: NIOSSLContext?) -> EventLoopFuture<any Channel> {
        let own = OwnHosts(port: socket.port, isTLS: tls != nil)
        let gateway = gateway
        return loop.flatSubmit {
            gateway.value.add(own)
            return
                listener
                .childChannelOption(.writeBufferWaterMark, value: Self.watermarks)
                .childChannelOption(.socketOption(.so_sndbuf), value: Self.sendBuffer)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelOption(
                    .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.turn)
                )
                .childChannelOption(.maxMessagesPerRead, value: 1)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        if let tls {
                            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
                        }
                        try Self.prepare(
                            channel, WebConnection(gateway: gateway.value, own: own, isTLS: tls != nil))
                    }
                }
                .withBoundSocket(socket.descriptor)
        }
    }

    /// A listening socket that waits where connections cannot be taken.
    private var listener: ServerBootstrap {
        let gateway = gateway
        return ServerBootstrap(group: loop).serverChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(
                    AcceptPause { gateway.value.refused(.noDescriptor) })
            }
        }
    }

    private static func prepare(_ channel: any Channel, _ connection: WebConnection) throws {
        let bound = NIOLoopBound(connection, eventLoop: channel.eventLoop)
        let upgrader = NIOWebSocketServerUpgrader(
            maxFrameSize: maximumFrame, automaticErrorHandling: false,
            shouldUpgrade: { channel, head in
                channel.eventLoop.makeSucceededFuture(bound.value.admitSocket(head))
            },
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture { try bound.value.beginSocket(on: channel) }
            })
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withPipeliningAssistance: true,
            withServerUpgrade: (
                upgraders: [upgrader],
                completionHandler: { context in
                    context.pipeline.syncOperations.removeHandler(bound.value, promise: nil)
                }
            ),
            withErrorHandling: true, withEncoderConfiguration: .init(),
            withDecoderLimitConfiguration: headers)
        try channel.pipeline.syncOperations.addHandler(connection)
        // NIO's own handler of errors, behind it, answers.
        let decoder = try channel.pipeline.syncOperations.handler(
            type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        try channel.pipeline.syncOperations.addHandler(
            RequestErrors { bound.value.requestIsMalformed() }, position: .after(decoder))
    }

    /// Serves `swipectl web` at a Unix socket that listens.
    func serveControl(at descriptor: Int32) -> EventLoopFuture<any Channel> {
        let gateway = gateway
        return
            listener
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        ByteToMessageHandler(DaemonLines(), maximumBufferSize: ControlChannel.maximumLine),
                        ControlChannel(gateway: gateway.value),
                    ])
                }
            }
            .withBoundSocket(descriptor)
    }
}
