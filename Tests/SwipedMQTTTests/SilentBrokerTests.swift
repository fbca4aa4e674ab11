import Foundation
import Synchronization
import Testing

/// A broker that lets in, answers pings, and confirms nothing.
@Suite(.timeLimit(.minutes(2))) struct SilentBrokerTests {
    private final class SilentBroker: Sendable {
        private let listener: Int32
        private let connections = Atomic<Int>(0)
        private let greeting: [UInt8]

        var count: Int { connections.load(ordering: .relaxed) }

        init(port: Int, greeting: [UInt8]) throws {
            self.greeting = greeting
            listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var one: Int32 = 1
            setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = UInt16(port).bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let code = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            try #require(code == 0 && listen(listener, 4) == 0)
        }

        deinit { close(listener) }

        /// Serves one connection after the other, until there are none.
        func serve() {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                connections.add(1, ordering: .relaxed)
                converse(connection)
                close(connection)
            }
        }

        private func converse(_ connection: Int32) {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            var waiting: [UInt8] = []
            while true {
                let count = read(connection, &bytes, bytes.count)
                guard count > 0 else { return }
                waiting += bytes[..<count]
                while let packet = Self.first(&waiting) { answer(packet, connection) }
            }
        }

        /// MQTT 5, 3.1, 3.2, 3.12, 3.13: CONNECT and CONNACK, PINGREQ and PINGRESP.
        private func answer(_ kind: UInt8, _ connection: Int32) {
            if kind == 0x10 { _ = write(connection, greeting, greeting.count) }
            if kind == 0xC0 { _ = write(connection, [0xD0, 0x00], 2) }
        }

        /// Takes the first packet away, once it is whole; its first byte. MQTT 5, 2.1: a byte, and the length of the rest in sevens of bits.
        private static func first(_ bytes: inout [UInt8]) -> UInt8? {
            var length = 0
            for (place, byte) in bytes.dropFirst().prefix(4).enumerated() {
                length |= Int(byte & 0x7F) << (7 * place)
                guard byte & 0x80 == 0 else { continue }
                guard bytes.count >= 2 + place + length else { return nil }
                defer { bytes.removeFirst(2 + place + length) }
                return bytes[0]
            }
            return nil
        }
    }

    /// Nor does it cost a processor meanwhile, also where the broker wants no pings (Server Keep Alive, 0).
    @Test(arguments: [[UInt8]([0x20, 3, 0, 0, 0]), [0x20, 6, 0, 0, 3, 0x13, 0, 0]])
    func itIsGivenUp(greeting: [UInt8]) async throws {
        let scene = try BridgeUnderTest()
        let broker = try SilentBroker(port: scene.port, greeting: greeting)
        Thread.detachNewThread { broker.serve() }
        try await scene.startDaemon()
        try scene.startBridge()
        try await scene.eventually("another connection") { broker.count == 2 }
        #expect(scene.logged.contains("it does not confirm what it is told"))
        let id = try #require(scene.bridge?.processIdentifier)
        let figures = try String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8).split(separator: " ")
        // proc(5): user and system time in hundredths of a second, over ten seconds.
        let used = try #require(Int(figures[13])) + #require(Int(figures[14]))
        #expect(used < 200)
    }
}
