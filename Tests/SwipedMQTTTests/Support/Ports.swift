import Foundation
import Synchronization

/// Ports of this machine for a test's broker, and whether anybody answers.
enum Ports {
    /// Below those that the kernel gives to whoever connects (ip(7), ip_local_port_range): none of them is taken from a broker while it is
    /// started anew, and no client that tries again and again meets itself.
    private static let range = 15_000..<32_000
    private static let next = Atomic<Int>(Int.random(in: range))

    struct Failure: Error {}

    /// One that nobody has, and that no other test of this process gets.
    static func free() throws -> Int {
        for _ in range {
            let number = next.add(1, ordering: .relaxed).oldValue
            let port = range.lowerBound + number % range.count
            if withSocket(of: port, { bind($0, $1, $2) }) == 0 { return port }
        }
        throw Failure()
    }

    /// A connection is the one sign that somebody listens.
    static func answers(_ port: Int) -> Bool { withSocket(of: port) { connect($0, $1, $2) } == 0 }

    /// The same of a socket's path.
    static func answers(_ path: String) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // The last byte stays zero, as its end.
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        } == 0
    }

    private static func withSocket(
        of port: Int, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
