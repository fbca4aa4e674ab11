internal import Glibc
internal import UnixIO

/// Plain blocking sockets, for programs that put load on daemons.
package enum Sockets {
    /// Connects to `/path` or to `PORT` of this machine; -1 when nobody listens.
    package static func connect(_ address: String) -> Int32 {
        if let port = UInt16(address) { return connect(port: port) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let status = UnixAddress(path: address)?.with { Glibc.connect(descriptor, $0, $1) }
        if status == 0 { return descriptor }
        close(descriptor)
        return -1
    }

    private static func connect(port: UInt16) -> Int32 {
        let descriptor = local(port, Int32(SOCK_STREAM.rawValue))
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        return descriptor
    }

    /// Sends datagrams to that port of this machine; -1 on failure.
    package static func datagrams(to port: UInt16) -> Int32 { local(port, Int32(SOCK_DGRAM.rawValue)) }

    private static func local(_ port: UInt16, _ type: Int32) -> Int32 {
        let descriptor = socket(AF_INET, type | Int32(SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if status == 0 { return descriptor }
        close(descriptor)
        return -1
    }

    /// Sends everything; false when the peer is gone.
    @discardableResult
    package static func send(_ descriptor: Int32, _ bytes: some Collection<UInt8>) -> Bool {
        Whole.send(bytes, to: descriptor) == 0
    }

    /// As many descriptors as the machine allows.
    package static func raiseLimit() {
        var limit = rlimit(rlim_cur: 65_536, rlim_max: 65_536)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
