import Foundation
import Synchronization
import Testing

/// A broker that lets in and answers pings, and confirms nothing.
final class FakeBroker: Sendable {
    private let listener: Int32
    private let greeting: [UInt8]
    private let flood: [UInt8]
    private let connections = Atomic<Int>(0)
    private let leaves = Atomic<Int>(0)
    private let floods = Atomic<Int>(0)

    var connectionCount: Int { connections.load(ordering: .relaxed) }
    /// How often a client took leave, so that a broker would forget its will.
    var leaveCount: Int { leaves.load(ordering: .relaxed) }
    /// How often the flood went out whole.
    var floodCount: Int { floods.load(ordering: .relaxed) }

    /// - Parameters:
    ///   - greeting: its CONNACK.
    ///   - flood: what it sends from then on, again and again, without reading any more.
    init(port: Int, greeting: [UInt8], flood: [UInt8] = []) throws {
        self.greeting = greeting
        self.flood = flood
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
            while let packet = Self.first(&waiting) {
                answer(packet, connection)
                while !flood.isEmpty {
                    guard Self.say(flood, to: connection) else { return }
                    floods.add(1, ordering: .relaxed)
                }
            }
        }
    }

    /// MQTT 5, 3.1, 3.2, 3.12 to 3.14: CONNECT and CONNACK, PINGREQ and PINGRESP, DISCONNECT, with 4 for "publish my will".
    private func answer(_ packet: [UInt8], _ connection: Int32) {
        if packet[0] == 0x10 { _ = Self.say(greeting, to: connection) }
        if packet[0] == 0xC0 { _ = Self.say([0xD0, 0x00], to: connection) }
        if packet[0] == 0xE0, packet.dropFirst(2).first != 0x04 { leaves.add(1, ordering: .relaxed) }
    }

    private static func say(_ bytes: [UInt8], to connection: Int32) -> Bool {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(
                    connection, $0.baseAddress?.advanced(by: done), $0.count - done,
                    Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            done += count
        }
        return true
    }

    /// Takes the first packet away, once it is whole. MQTT 5, 2.1: a byte, and the length of the rest in sevens of bits.
    private static func first(_ bytes: inout [UInt8]) -> [UInt8]? {
        var length = 0
        for (place, byte) in bytes.dropFirst().prefix(4).enumerated() {
            length |= Int(byte & 0x7F) << (7 * place)
            guard byte & 0x80 == 0 else { continue }
            let end = 2 + place + length
            guard bytes.count >= end else { return nil }
            defer { bytes.removeFirst(end) }
            return Array(bytes[..<end])
        }
        return nil
    }
}
