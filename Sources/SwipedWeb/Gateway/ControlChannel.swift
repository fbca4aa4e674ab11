internal import NIOCore
internal import SwipeProtocol

/// The gateway's own socket, for `swipectl web`: a request a line, an answer a line. Who may open the socket's file is an
/// operator.
final class ControlChannel: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let gateway: Gateway

    static let maximumLine = 4 * 1_024

    init(gateway: Gateway) { self.gateway = gateway }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let line = Array(unwrapInboundIn(data).readableBytesView)
        var writer = JSONWriter()
        answer(line).write(to: &writer)
        let answer = writer.finish().withBytes { ByteBuffer(bytes: $0) }
        context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
    }

    private func answer(_ line: [UInt8]) -> JSONValue {
        guard let request = (try? JSONReader.value(of: line))?.object, let method = request["method"]?.string
        else {
            return Self.error(OperationFault(code: "line.invalid", message: "not a request"))
        }
        do throws(OperationFault) {
            return ["result": try gateway.operate(method, request["params"]?.object ?? JSONObject())]
        } catch {
            return Self.error(error)
        }
    }

    private static func error(_ fault: OperationFault) -> JSONValue {
        ["error": ["code": .string(fault.code), "message": .string(fault.message)]]
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
