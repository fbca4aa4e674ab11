internal import NIOCore
internal import NIOWebSocket
internal import SwipeProtocol

/// A page's WebSocket and its own connection to the daemon: each message is a line, each line a message.
final class PageSession: MessageUser, LinkUser, ConnectedPage {
    let visitor: Visitor
    private let gateway: Gateway
    private let number: UInt64
    private var page: PageChannel?
    private var link: DaemonLink?
    /// What the page said before the daemon had greeted: no more than one read brings.
    private var early: [ByteBuffer]? = []
    private(set) var blockedSince: UInt64?

    init(_ visitor: Visitor, gateway: Gateway) {
        self.visitor = visitor
        self.gateway = gateway
        number = gateway.nextNumber()
    }

    // MARK: The page

    func messagesBegin(on page: PageChannel) {
        self.page = page
        gateway.joined(self, number)
        link = gateway.link(as: visitor.role, user: self)
    }

    func message(_ text: ByteBuffer, isBinary: Bool) {
        guard !isBinary, !text.readableBytesView.contains(UInt8(ascii: "\n")) else {
            gateway.refused(.frameNotALine, origin: visitor.origin)
            page?.close(isBinary ? .unacceptableData : .policyViolation)
            return
        }
        gateway.counts.linesFromPages += 1
        if early != nil { early?.append(text) } else { link?.send(text) }
    }

    func messagesPaused() {
        guard early == nil, let link else { return }
        link.flush()
        if link.hasRoom { page?.readOn() }
    }

    func roomChanged() {
        guard let page else { return }
        if page.hasRoom {
            blockedSince = nil
            if early == nil { link?.readOn() }
        } else if blockedSince == nil {
            blockedSince = gateway.now()
        }
    }

    func refused(_ why: Refusal) {
        gateway.refused(why, origin: visitor.origin)
        drop()
    }

    func messagesEnded() {
        drop()
        page = nil
        gateway.left(number)
    }

    private func drop() {
        link?.close()
        link = nil
    }

    // MARK: The daemon

    var takesLines: Bool { page?.hasRoom ?? false }

    func linkGreeted(_ hello: Hello) {
        gateway.daemonGreeted()
        page?.send(Self.payload(hello.line()))
        page?.flush()
        for line in early ?? [] { link?.send(line) }
        early = nil
        link?.flush()
        page?.readOn()
    }

    func linkLine(_ line: ByteBuffer) {
        gateway.counts.linesToPages += 1
        page?.send(line)
    }

    func linkPaused() { page?.flush() }

    func linkHasRoom() { if early == nil { page?.readOn() } }

    func linkEnded(_ why: LinkEnd) {
        link = nil
        page?.flush()
        switch why {
        case .closed: page?.close(.goingAway)
        case .unreachable, .unsuited:
            gateway.daemonFailed(why)
            page?.close(Self.tryAgainLater, "daemon.unreachable")
        }
    }

    // MARK: The gateway

    func end(_ why: PageEnd) {
        drop()
        switch why {
        case .slow: page?.cut()
        case .revoked: page?.close(.policyViolation)
        case .crowded: page?.close(Self.tryAgainLater, Refusal.tooManyPages.rawValue)
        case .shutdown: page?.close(.goingAway)
        }
    }

    /// From IANA's registry of close codes.
    private static let tryAgainLater = WebSocketErrorCode.unknown(1013)

    /// Without the line's end: a message has one of its own.
    static func payload(_ line: EncodedLine) -> ByteBuffer {
        line.withBytes { ByteBuffer(bytes: $0.dropLast()) }
    }
}
