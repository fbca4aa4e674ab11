internal import NIOCore
internal import NIOHTTP1
internal import SwipeProtocol

/// A page that only listens: the daemon's lines as server-sent events. It can say nothing to the daemon.
final class EventStream: LinkUser, ConnectedPage {
    let visitor: Visitor
    private let gateway: Gateway
    private let number: UInt64
    private let query: EventQuery
    private var context: ChannelHandlerContext?
    private var link: DaemonLink?
    private var instance = ""
    private(set) var blockedSince: UInt64?
    private var statisticsTimer: RepeatedTask?
    private var isOver = false

    /// How long a page has to read the end.
    private static let closeTimeout = TimeAmount.seconds(2)
    private static let statisticsInterval = TimeAmount.seconds(5)

    /// - Parameter context: of the handler whose response this is; its head is written.
    init(_ visitor: Visitor, _ query: EventQuery, gateway: Gateway, context: ChannelHandlerContext) {
        self.visitor = visitor
        self.query = query
        self.gateway = gateway
        self.context = context
        number = gateway.nextNumber()
    }

    func start() {
        gateway.joined(self, number)
        link = gateway.link(as: visitor.role, user: self)
    }

    /// The page has gone, or its channel has.
    func channelEnded() {
        statisticsTimer?.cancel()
        context = nil
        link?.close()
        link = nil
        gateway.left(number)
    }

    func roomChanged() {
        guard let context else { return }
        if context.channel.isWritable {
            blockedSince = nil
            link?.readOn()
        } else if blockedSince == nil {
            blockedSince = gateway.now()
        }
    }

    // MARK: The daemon

    var takesLines: Bool { context?.channel.isWritable ?? false }

    func linkGreeted(_ hello: Hello) {
        gateway.daemonGreeted()
        instance = hello.instance
        write("event: hello\n", hello.line().withBytes { ByteBuffer(bytes: $0.dropLast()) })
        context?.flush()
        link?.send(query.line)
        if query.wantsStatistics { askForStatistics() }
        link?.flush()
    }

    private func askForStatistics() {
        link?.send(EventQuery.statisticsLine)
        let bound = NIOLoopBound(self, eventLoop: gateway.loop)
        statisticsTimer = gateway.loop.scheduleRepeatedTask(
            initialDelay: Self.statisticsInterval, delay: Self.statisticsInterval
        ) { _ in
            bound.value.link?.send(EventQuery.statisticsLine)
            bound.value.link?.flush()
        }
    }

    func linkLine(_ line: ByteBuffer) {
        gateway.counts.linesToPages += 1
        let object = (try? JSONReader.value(of: Array(line.readableBytesView)))?.object
        if let id = object?["id"]?.string {
            let name = id == EventQuery.statisticsID ? "stats" : "snapshot"
            return write("event: \(object?["error"] == nil ? name : "error")\n", line)
        }
        if let sequence = object?["seq"]?.integer { return write("id: \(instance):\(sequence)\n", line) }
        write("", line)
    }

    func linkPaused() { context?.flush() }

    func linkHasRoom() {}

    func linkEnded(_ why: LinkEnd) {
        link = nil
        if why != .closed { gateway.daemonFailed(why) }
        finish()
    }

    func end(_ why: PageEnd) {
        link?.close()
        link = nil
        if why == .slow { context?.close(promise: nil) } else { finish() }
    }

    private func finish() {
        guard let context, !isOver else { return }
        isOver = true
        let bound = context.loopBound
        gateway.loop.scheduleTask(in: Self.closeTimeout) { bound.value.close(promise: nil) }
        context.writeAndFlush(NIOAny(HTTPServerResponsePart.end(nil))).whenComplete { _ in
            bound.value.close(promise: nil)
        }
    }

    private func write(_ fields: String, _ line: ByteBuffer) {
        guard let context else { return }
        var event = ByteBuffer(string: "\(fields)data: ")
        event.writeImmutableBuffer(line)
        event.writeString("\n\n")
        context.write(NIOAny(HTTPServerResponsePart.body(.byteBuffer(event))), promise: nil)
    }
}
