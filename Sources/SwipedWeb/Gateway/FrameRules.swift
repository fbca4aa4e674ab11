internal import NIOCore
internal import NIOWebSocket

/// What of WebSocket's rules NIO leaves to its user (RFC 6455, 5.2 and 5.5): reserved bits, opcodes, masks.
///
/// No extension is ever agreed on, compression among them, so a reserved bit is always wrong: there is nothing to unpack.
final class FrameRules: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame

    struct Broken: Error {}

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        guard !frame.rsv1, !frame.rsv2, !frame.rsv3, frame.maskKey != nil, Self.isKnown(frame.opcode) else {
            return context.fireErrorCaught(Broken())
        }
        context.fireChannelRead(data)
    }

    private static func isKnown(_ opcode: WebSocketOpcode) -> Bool {
        [.continuation, .text, .binary, .connectionClose, .ping, .pong].contains(opcode)
    }
}

/// The numbers with which a WebSocket is closed (RFC 6455, 7.4).
enum CloseRules {
    /// What to answer to a page's close: its own number, or that it is none.
    static func answer(to payload: ByteBuffer) -> WebSocketErrorCode? {
        var payload = payload
        guard payload.readableBytes > 0 else { return nil }
        guard let number = payload.readInteger(as: UInt16.self), isAllowed(number), isText(payload) else {
            return .protocolError
        }
        return WebSocketErrorCode(codeNumber: Int(number))
    }

    /// Those that may be sent: 1004 to 1006 and 1015 are for programs to tell themselves.
    private static func isAllowed(_ number: UInt16) -> Bool {
        switch number {
        case 1000...1003, 1007...1014, 3000...4999: true
        case _: false
        }
    }

    static func isText(_ bytes: ByteBuffer) -> Bool {
        String(validating: bytes.readableBytesView, as: UTF8.self) != nil
    }
}
