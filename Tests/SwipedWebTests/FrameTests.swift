import Foundation
import Testing

/// WebSocket's rules, as bytes. The Autobahn test suite has 300 more: `Benchmarks/Web/autobahn`.
@Suite(.serialized, .timeLimit(.minutes(5))) struct FrameTests {
    private typealias Client = WebSocketClient
    private static let ping = Array(#"{"id":1,"method":"ping"}"#.utf8)

    private struct Broken {
        var name: String
        var bytes: [UInt8]
        /// The number that it is closed with, and what the log calls it.
        var code: Int
        var reason: String

        init(_ name: String, _ bytes: [UInt8], _ code: Int, _ reason: String) {
            self.name = name
            self.bytes = bytes
            self.code = code
            self.reason = reason
        }
    }

    private static func blanks(_ count: Int) -> [UInt8] { [UInt8](repeating: 0x20, count: count) }

    /// A frame's head that says how long it is, and its mask.
    private static func head(_ length: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = [0x81, 0xFF]
        bytes += length
        return bytes + [1, 2, 3, 4]
    }

    private static func pieces(_ first: [UInt8], _ next: [UInt8], count: Int = 1) -> [UInt8] {
        var bytes = Client.frame(1, first, isFinal: false)
        for _ in 0..<count { bytes += Client.frame(0, next, isFinal: false) }
        return bytes
    }

    /// 8 kB that a decompressor would make 8 MB of (RFC 7692; a decompressor says 8,258,324).
    private static let bomb: [UInt8] =
        [0xEC, 0xC1, 0x01, 0x01, 0, 0, 0, 0x80, 0x90, 0xFE, 0xAF, 0xEE, 0x08, 0x0A, 0, 0]
        + [UInt8](repeating: 0, count: 8_000)

    private static let broken: [Broken] = [
        Broken("unmasked", Client.frame(1, ping, isMasked: false), 1002, "frame.malformed"),
        Broken("compressed", Client.frame(1, ping, reserved: 4), 1002, "frame.malformed"),
        Broken("compression bomb", Client.frame(1, bomb, reserved: 4), 1002, "frame.malformed"),
        Broken("reserved bit", Client.frame(1, ping, reserved: 1), 1002, "frame.malformed"),
        Broken("unknown opcode", Client.frame(3, ping), 1002, "frame.malformed"),
        Broken("unknown control opcode", Client.frame(11, []), 1002, "frame.malformed"),
        Broken("continuation of nothing", Client.frame(0, ping), 1002, "frame.malformed"),
        Broken("fragmented ping", Client.frame(9, [], isFinal: false), 1002, "frame.malformed"),
        Broken("long ping", Client.frame(9, blanks(126)), 1002, "frame.malformed"),
        Broken("text in text", pieces(ping, [], count: 0) + Client.frame(1, ping), 1002, "frame.malformed"),
        Broken("not UTF-8", Client.frame(1, [0xC3, 0x28]), 1007, "frame.malformed"),
        Broken("binary", Client.frame(2, ping), 1003, "frame.not_a_line"),
        Broken("two lines", Client.frame(1, ping + [10] + ping), 1008, "frame.not_a_line"),
        Broken("close with one byte", Client.frame(8, [3]), 1002, ""),
        Broken("close with a number that is not sent", Client.frame(8, [0x03, 0xED]), 1002, ""),
        Broken("a longer line than may be", Client.frame(1, blanks(16_385)), 1009, "frame.too_long"),
        Broken("the same in pieces", pieces(blanks(9_000), blanks(9_000)), 1009, "frame.too_long"),
        Broken("pieces without end", pieces([], [], count: 100), 1009, "frame.too_long"),
        Broken("a frame of 64 MB", head([0, 0, 0, 0, 4, 0, 0, 0]), 1009, "frame.too_long"),
        Broken("a frame of 2^64", head([UInt8](repeating: 0xFF, count: 8)), 1009, "frame.too_long"),
    ]

    @Test func brokenRulesEndTheConnection() throws {
        let gateway = try GatewayUnderTest()
        for broken in Self.broken {
            let client = try Client(gateway)
            _ = try client.line()
            try client.socket.send(broken.bytes)
            #expect(try client.closeCode() == broken.code, "\(broken.name)")
            if !broken.reason.isEmpty { try gateway.awaitLog("reason=\(broken.reason)") }
        }
    }

    @Test func whatIsAllowedIsAnswered() throws {
        let gateway = try GatewayUnderTest()
        let client = try Client(gateway)
        _ = try client.line()
        // A line in three pieces with a ping between them.
        try client.socket.send(Client.frame(1, Array(Self.ping[..<5]), isFinal: false))
        try client.socket.send(Client.frame(9, [1, 2, 3]))
        let pong = try client.next()
        #expect(pong.opcode == 10 && pong.payload == [1, 2, 3])
        try client.socket.send(Client.frame(0, Array(Self.ping[5..<9]), isFinal: false))
        try client.socket.send(Client.frame(0, Array(Self.ping[9...])))
        #expect(try client.line() == #"{"id":1,"result":{}}"#)
        // Byte by byte.
        for byte in Client.frame(1, Self.ping) { try client.socket.send([byte]) }
        #expect(try client.line() == #"{"id":1,"result":{}}"#)
        try client.socket.send(Client.frame(8, [0x03, 0xE8]))
        #expect(try client.closeCode() == 1000)
    }

    @Test func noExtensionIsAgreedOn() throws {
        let gateway = try GatewayUnderTest()
        let client = try Client(gateway, more: "Sec-WebSocket-Extensions: permessage-deflate\r\n")
        #expect(client.answer.status == 101)
        #expect(client.answer.headers["sec-websocket-extensions"] == nil)
        #expect(try Client(gateway, protocols: "other.1").answer.refusal == "request.subprotocol")
        #expect(try Client(gateway, protocols: "").answer.refusal == "request.subprotocol")
    }

    /// RFC 6455, 4.2.1: HTTP/1.1 or later, and a key of 16 bytes.
    @Test(arguments: [
        ("1.0", "dGhlIHNhbXBsZSBub25jZQ=="), ("1.1", "c2hvcnQ="), ("1.1", ""),
        ("1.1", "dGhlIHNhbXBsZSBub25jZSBhbmQ="),
    ]) func whatAsksForNoWebSocketGetsNone(version: String, key: String) throws {
        let gateway = try GatewayUnderTest()
        let socket = try RawSocket(port: gateway.port)
        try socket.send(
            "GET /v1/socket HTTP/\(version)\r\nHost: localhost:\(gateway.port)\r\nConnection: Upgrade\r\n"
                + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: \(key)\r\n"
                + "Sec-WebSocket-Protocol: swipe.1\r\nOrigin: \(GatewayUnderTest.open)\r\n\r\n")
        #expect(try socket.take(through: "\r\n").contains(" 400 "))
    }

    /// RFC 6455, 4.2.2: which version would be understood stands in the answer.
    @Test(arguments: ["Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 8\r\n", ""])
    func whatIsNoWebSocketOfThisVersionIsTold(upgrade: String) throws {
        let gateway = try GatewayUnderTest()
        let socket = try RawSocket(port: gateway.port)
        try socket.send(
            "GET /v1/socket HTTP/1.1\r\nHost: localhost:\(gateway.port)\r\n\(upgrade)"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: swipe.1\r\n"
                + "Origin: \(GatewayUnderTest.open)\r\n\r\n")
        let answer = HTTPAnswer(try socket.take(through: "\r\n\r\n") + (try socket.rest()))
        #expect(answer.status == 426 && answer.refusal == "request.upgrade", "\(answer)")
        #expect(answer.headers["sec-websocket-version"] == "13")
    }

    /// Frames sent with the upgrade itself are not lost, nor before the daemon has greeted.
    @Test func whatComesEarlyIsKept() throws {
        let gateway = try GatewayUnderTest()
        let socket = try RawSocket(port: gateway.port)
        let head =
            "GET /v1/socket HTTP/1.1\r\nHost: localhost:\(gateway.port)\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            + "Sec-WebSocket-Protocol: swipe.1\r\nOrigin: \(GatewayUnderTest.open)\r\n\r\n"
        try socket.send(Array(head.utf8) + Client.frame(1, Self.ping))
        #expect(try socket.take(through: #"{"id":1,"result":{}}"#).contains("101 Switching"))
    }
}
