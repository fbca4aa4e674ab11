import Foundation
import Testing

/// A WebSocket as bytes: right frames and wrong ones.
final class WebSocketClient {
    struct Frame {
        var opcode: UInt8
        var payload: [UInt8]
        var text: String { String(decoding: payload, as: UTF8.self) }
        var closeCode: Int? {
            opcode == 8 && payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : nil
        }
    }

    let socket: RawSocket
    /// What the gateway answered to the upgrade.
    let answer: HTTPAnswer

    /// Asks for an upgrade; ``answer`` says what became of it.
    init(
        _ gateway: GatewayUnderTest, origin: String? = GatewayUnderTest.open, host: String? = nil,
        protocols: String = "swipe.1", token: String? = nil, more: String = "", receiveBuffer: Int32? = nil
    ) throws {
        socket = try RawSocket(port: gateway.port, receiveBuffer: receiveBuffer)
        let offered = token.map { "\(protocols), swipe.token.\($0)" } ?? protocols
        var text = "GET /v1/socket HTTP/1.1\r\nHost: \(host ?? "localhost:\(gateway.port)")\r\n"
        text += "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        text += "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        if !offered.isEmpty { text += "Sec-WebSocket-Protocol: \(offered)\r\n" }
        if let origin { text += "Origin: \(origin)\r\n" }
        try socket.send(text + more + "\r\n")
        let head = try socket.take(through: "\r\n\r\n")
        let first = HTTPAnswer(head)
        answer = first.status == 101 ? first : HTTPAnswer(head + (try socket.rest()))
    }

    /// A frame as a client sends it.
    static func frame(
        _ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true, isMasked: Bool = true, reserved: UInt8 = 0
    ) -> [UInt8] {
        var bytes: [UInt8] = [(isFinal ? 0x80 : 0) | reserved << 4 | opcode]
        let mask: UInt8 = isMasked ? 0x80 : 0
        if payload.count < 126 {
            bytes.append(mask | UInt8(payload.count))
        } else if payload.count < 65_536 {
            bytes += [mask | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        } else {
            bytes.append(mask | 127)
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
        }
        guard isMasked else { return bytes + payload }
        let key: [UInt8] = [1, 2, 3, 4]
        return bytes + key + payload.enumerated().map { $1 ^ key[$0 % 4] }
    }

    func send(_ text: String) throws { try socket.send(Self.frame(1, Array(text.utf8))) }

    func next() throws -> Frame {
        let head = try socket.take(2)
        var length = Int(head[1] & 0x7F)
        if length == 126 { length = try socket.take(2).reduce(0) { $0 << 8 | Int($1) } }
        if length == 127 { length = try socket.take(8).reduce(0) { $0 << 8 | Int($1) } }
        return Frame(opcode: head[0] & 0x0F, payload: try socket.take(length))
    }

    /// The next line of the daemon's.
    func line() throws -> String {
        let frame = try next()
        try #require(frame.opcode == 1, "\(frame)")
        return frame.text
    }

    /// The next line that has this in it.
    func line(with text: String) throws -> String {
        while true {
            let line = try line()
            if line.contains(text) { return line }
        }
    }

    /// The number with which the gateway closes; nil where it only closes.
    func closeCode() throws -> Int? {
        while true {
            do {
                let frame = try next()
                if frame.opcode == 8 { return frame.closeCode }
            } catch RawSocket.Failure.ended { return nil }
        }
    }
}
