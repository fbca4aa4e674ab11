internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOWebSocket
internal import SwipeProtocol

/// One connection of a browser: requests, until it becomes a WebSocket or a stream of events.
final class WebConnection: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let gateway: Gateway
    private let own: OwnHosts
    private let isTLS: Bool
    private let number: UInt64
    private var context: ChannelHandlerContext?
    private var request: RequestFacts?
    /// One request a connection: who sends many at once gets one answer, and makes nobody else wait for more.
    private var hasAnswered = false
    private var body = ByteBuffer()
    private var stream: EventStream?
    /// What became of the WebSocket that was asked for.
    private var upgrade: Result<Visitor, Refusal>?

    static let maximumBody = 4 * 1_024

    init(gateway: Gateway, own: OwnHosts, isTLS: Bool) {
        self.gateway = gateway
        self.own = own
        self.isTLS = isTLS
        number = gateway.nextNumber()
    }

    // MARK: The WebSocket

    /// The headers of the answer where the page may have a WebSocket; nil where the request is answered as any other.
    func admitSocket(_ head: HTTPRequestHead) -> HTTPHeaders? {
        let facts = RequestFacts(head)
        do throws(Refusal) {
            guard try Route.of(facts, files: []) == .socket else { return nil }
            let visitor = try gateway.admit(facts, at: own)
            guard !gateway.isOwn(visitor.origin) || visitor.isOperator else { throw .notAnOperator }
            guard Self.asksForSocket(head) else { throw .requestMalformed }
            guard facts.subprotocols.contains(RequestFacts.subprotocol) else { throw .subprotocolMissing }
            try gateway.makeRoom(for: visitor.origin)
            upgrade = .success(visitor)
            return ["Sec-WebSocket-Protocol": RequestFacts.subprotocol]
        } catch {
            upgrade = .failure(error)
            return nil
        }
    }

    /// What RFC 6455, 4.1, asks of a request beyond what NIO looks at: HTTP/1.1, and a key of 16 bytes.
    private static func asksForSocket(_ head: HTTPRequestHead) -> Bool {
        guard head.version == .http1_1, let key = head.headers["Sec-WebSocket-Key"].first else {
            return false
        }
        return key.utf8.count == keyLength && key.hasSuffix("==")
    }

    /// Of 16 bytes in base64.
    private static let keyLength = 24

    /// The page's end of the WebSocket, once NIO has answered.
    func beginSocket(on channel: any Channel) throws {
        guard case .success(let visitor) = upgrade else { return }
        gateway.leftLobby(number)
        try PageChannel.install(
            in: channel, user: PageSession(visitor, gateway: gateway), maximumMessage: ProtocolLimits.lineIn,
            fragments: Self.maximumFragments)
    }

    /// Pieces that a message may come in.
    static let maximumFragments = 64

    // MARK: The channel

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func channelActive(context: ChannelHandlerContext) {
        gateway.arrived(self, number)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    private func end() {
        gateway.leftLobby(number)
        stream?.channelEnded()
        stream = nil
        context = nil
    }

    /// Makes room: nothing was asked, or not for long.
    func evict() { context?.close(promise: nil) }

    func requestIsMalformed() { gateway.refused(.requestMalformed) }

    func channelWritabilityChanged(context: ChannelHandlerContext) { stream?.roomChanged() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A WebSocket that is refused is answered as the request that it is.
        if error is NIOWebSocketUpgradeError { return }
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard !hasAnswered else { return }
            gateway.asked(number)
            gateway.counts.requests += 1
            request = RequestFacts(head)
        case .body(var part):
            // What is too long is answered at once, however much would come, and nothing more of it is kept.
            guard request != nil else { return }
            body.writeBuffer(&part)
            if body.readableBytes > Self.maximumBody { answer(context) }
        case .end: answer(context)
        }
    }

    // MARK: Answers

    private func answer(_ context: ChannelHandlerContext) {
        guard let facts = request else { return }
        (request, hasAnswered) = (nil, true)
        var origin: WebOrigin?
        do throws(Refusal) {
            if let answer = try answer(facts, &origin, context) { write(answer, context) }
        } catch {
            gateway.refused(error, facts)
            write(.refusal(error, for: origin, allowed: route(facts)?.method), context)
        }
        body.clear()
    }

    private func route(_ facts: RequestFacts) -> Route? {
        Route.named(facts.path, files: Set(gateway.files.keys))
    }

    /// - Parameter origin: set as soon as it is known that a page of it may read the answer.
    /// - Returns: nil where the answer goes on.
    private func answer(
        _ facts: RequestFacts, _ origin: inout WebOrigin?, _ context: ChannelHandlerContext
    ) throws(Refusal) -> Answer? {
        // Before the path: a name that was bent to this machine learns nothing of what is here.
        origin = try gateway.doorkeeper.origin(facts, at: own)
        switch try Route.of(facts, files: Set(gateway.files.keys)) {
        case .preflight:
            guard let origin else { throw .originMissing }
            return .preflight(for: origin, asksForPrivateNetwork: facts.asksForPrivateNetwork)
        case .file(let path):
            try gateway.doorkeeper.admitToFiles(facts)
            return gateway.files[path].map { .file($0, host: facts.hosts.first ?? "", isTLS: isTLS) }
        case .socket:
            if case .failure(let refusal) = upgrade { throw refusal }
            throw facts.asksForWebSocket ? .requestMalformed : .notAWebSocket
        case .session: return session(try gateway.admit(facts, at: own), origin)
        case .events: return try events(facts, origin, context)
        case .problems:
            _ = try gateway.admit(facts, at: own)
            examine(origin)
            return nil
        case .askForPairing:
            _ = try json(facts)
            guard let origin else { throw .originMissing }
            return try ask(origin)
        case .collectToken:
            guard let origin else { throw .originMissing }
            return try collect(try json(facts), origin)
        case .operate(let name): return try operate(name, facts, origin)
        }
    }

    private func json(_ facts: RequestFacts) throws(Refusal) -> JSONObject {
        guard body.readableBytes <= Self.maximumBody else { throw .bodyTooLong }
        let type = facts.contentType.lowercased()
        guard type == "application/json" || type.hasPrefix("application/json;"),
            let object = (try? JSONReader.value(of: Array(body.readableBytesView)))?.object
        else { throw .bodyWrong }
        return object
    }

    private func session(_ visitor: Visitor, _ origin: WebOrigin?) -> Answer {
        .json(
            [
                "origin": .string(visitor.origin.description), "role": .string(visitor.role.rawValue),
                "operator": .bool(visitor.isOperator),
            ], for: origin)
    }

    private func events(
        _ facts: RequestFacts, _ origin: WebOrigin?, _ context: ChannelHandlerContext
    ) throws(Refusal) -> Answer? {
        let visitor = try gateway.admit(facts, at: own)
        guard let query = EventQuery(facts.query, lastEvent: facts.lastEvent) else { throw .queryWrong }
        try gateway.makeRoom(for: visitor.origin)
        let answer = Answer.stream(for: origin)
        gateway.leftLobby(number)
        context.writeAndFlush(
            wrapOutboundOut(
                .head(HTTPResponseHead(version: .http1_1, status: answer.status, headers: answer.headers))),
            promise: nil)
        let stream = EventStream(visitor, query, gateway: gateway, context: context)
        self.stream = stream
        stream.start()
        return nil
    }

    /// Answers once the daemon has said what it knows.
    private func examine(_ origin: WebOrigin?) {
        let bound = NIOLoopBound(self, eventLoop: gateway.loop)
        gateway.askDoctor { outcome in
            guard let context = bound.value.context else { return }
            let answer: Answer =
                switch outcome {
                case .success(let findings): .json(["findings": findings], for: origin)
                case .failure: .json(Self.noDaemon, 503, for: origin)
                }
            bound.value.write(answer, context)
        }
    }

    private static let noDaemon: JSONValue = [
        "error": [
            "code": "daemon.unreachable", "message": "the daemon does not answer: sudo swipectl doctor",
        ]
    ]

    private func ask(_ origin: WebOrigin) throws(Refusal) -> Answer {
        let pairing = try gateway.desk.ask(origin, at: gateway.now())
        gateway.logger.notice(
            "a page asks to be paired: compare the code on it, then swipectl web pair CODE",
            metadata: ["event": "web.pairing", "origin": "\(origin)"])
        return .json(
            [
                "code": .string(pairing.code), "pairing": .string(pairing.ticket),
                "expires_in": .integer(Int64(PairingDesk.lifetime / 1_000_000_000)),
            ], 201, for: origin)
    }

    private func collect(_ body: JSONObject, _ origin: WebOrigin) throws(Refusal) -> Answer {
        guard let ticket = body["pairing"]?.string else { throw .bodyWrong }
        switch try gateway.desk.collect(ticket, by: origin, at: gateway.now()) {
        case .wait: return .json(["state": "waiting"], 202, for: origin)
        case .give(let isOperator):
            guard let token = gateway.issue(to: origin, isOperator: isOperator) else {
                return .json(
                    [
                        "error": [
                            "code": "server.failed",
                            "message": "the token cannot be kept: see the gateway's log",
                        ]
                    ],
                    500, for: origin)
            }
            return .json(["token": .string(token), "operator": .bool(isOperator)], for: origin)
        }
    }

    private func operate(_ name: String, _ facts: RequestFacts, _ origin: WebOrigin?) throws(Refusal)
        -> Answer
    {
        guard try gateway.admit(facts, at: own).isOperator else { throw .notAnOperator }
        let body = try json(facts)
        do throws(OperationFault) {
            return .json(try gateway.operate(name, body), for: origin)
        } catch {
            return .json(
                ["error": ["code": .string(error.code), "message": .string(error.message)]], 400, for: origin)
        }
    }

    private func write(_ answer: Answer, _ context: ChannelHandlerContext) {
        var head = HTTPResponseHead(version: .http1_1, status: answer.status, headers: answer.headers)
        if answer.status != .noContent {
            head.headers.add(name: "Content-Length", value: "\(answer.body.readableBytes)")
        }
        head.headers.add(name: "Connection", value: "close")
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if answer.body.readableBytes > 0 {
            context.write(wrapOutboundOut(.body(.byteBuffer(answer.body))), promise: nil)
        }
        let bound = context.loopBound
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            bound.value.close(promise: nil)
        }
    }
}
