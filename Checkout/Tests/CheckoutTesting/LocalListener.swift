import Foundation

/// A socket of this machine that takes connections. Its descriptor is open for as long as anybody has it: the kernel gives the
/// number of a closed one to the next service, whose connections a thread that is late would then take.
package final class LocalListener: Sendable {
    package let port: UInt16
    private let descriptor: Int32

    package init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var local = Self.address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &local) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 256) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isListening else {
            close(descriptor)
            throw TestFailure("nobody can listen")
        }
        self.descriptor = descriptor
        port = UInt16(bigEndian: local.sin_port)
    }

    deinit { close(descriptor) }

    /// Its address for a client.
    package var url: String { "http://127.0.0.1:\(port)" }

    /// The next connection; nil once it is stopped. It waits: on a thread of its own.
    package func next() -> Int32? {
        let connection = accept(descriptor, nil, nil)
        return connection >= 0 ? connection : nil
    }

    /// From now on connections are refused.
    package func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// A connection to a port of this machine.
    package static func connection(to port: UInt16) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var remote = address(port: port)
        let isConnected = withUnsafePointer(to: &remote) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
