internal import Glibc

/// A listening socket, looked at before it is used: on this machine's loopback, or not at all.
struct LoopbackSocket: Sendable, Hashable {
    /// Why a socket cannot be used.
    enum Fault: Error, Sendable, Hashable, CustomStringConvertible {
        case notListening(Int32)
        case notLoopback(String)
        case badAddress(String)
        case system(String, Int32)

        var description: String {
            switch self {
            case .notListening(let descriptor):
                "descriptor \(descriptor) is not a listening stream socket; look at swiped-web.socket"
            case .notLoopback(let address):
                "\(address) is not this machine's loopback (127.0.0.1 or [::1]), and the gateway serves nothing else"
            case .badAddress(let text): "'\(text)' is not an address: write 127.0.0.1:PORT or [::1]:PORT"
            case .system(let operation, let code): "\(operation): \(String(cString: strerror(code)))"
            }
        }
    }

    var descriptor: Int32
    var port: Int

    /// Connections that the kernel keeps waiting.
    static let backlog: Int32 = 512

    /// A socket that listens already.
    init(checking descriptor: Int32) throws(Fault) {
        guard Self.option(SO_ACCEPTCONN, descriptor) == 1,
            Self.option(SO_TYPE, descriptor) == Int32(SOCK_STREAM.rawValue)
        else { throw .notListening(descriptor) }
        self.descriptor = descriptor
        port = try Self.port(of: descriptor)
    }

    /// Binds one: `127.0.0.1:PORT` or `[::1]:PORT`; port 0 lets the kernel choose.
    init(listeningAt text: String) throws(Fault) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw .badAddress(text)
        }
        switch text[..<colon] {
        case "127.0.0.1", "localhost": descriptor = try Self.bindIPv4(port, text)
        case "[::1]": descriptor = try Self.bindIPv6(port, text)
        case let host: throw .notLoopback("\(host)")
        }
        self.port = try Self.port(of: descriptor)
    }

    private static func bindIPv4(_ port: UInt16, _ text: String) throws(Fault) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        return try bind(address, AF_INET, text)
    }

    private static func bindIPv6(_ port: UInt16, _ text: String) throws(Fault) -> Int32 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_addr = in6addr_loopback
        return try bind(address, AF_INET6, text)
    }

    private static func bind<Address>(_ address: Address, _ family: Int32, _ text: String) throws(Fault)
        -> Int32
    {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .system("socket", errno) }
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        let status = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
        guard status == 0, listen(descriptor, backlog) == 0 else {
            let code = errno
            close(descriptor)
            throw .system("cannot listen at \(text)", code)
        }
        return descriptor
    }

    /// The port of a socket that is bound to the loopback; of any other, what it is bound to is the fault.
    private static func port(of descriptor: Int32) throws(Fault) -> Int {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard status == 0 else { throw .system("getsockname", errno) }
        switch Int32(storage.ss_family) {
        case AF_INET:
            let address = withUnsafeBytes(of: storage) { $0.loadUnaligned(as: sockaddr_in.self) }
            let number = UInt32(bigEndian: address.sin_addr.s_addr)
            guard number == INADDR_LOOPBACK else { throw .notLoopback(words(number)) }
            return Int(UInt16(bigEndian: address.sin_port))
        case AF_INET6:
            let address = withUnsafeBytes(of: storage) { $0.loadUnaligned(as: sockaddr_in6.self) }
            let bytes = withUnsafeBytes(of: address.sin6_addr) { Array($0) }
            guard bytes == [UInt8](repeating: 0, count: 15) + [1] else {
                throw .notLoopback("an IPv6 address")
            }
            return Int(UInt16(bigEndian: address.sin6_port))
        case let family: throw .notLoopback("a socket of address family \(family)")
        }
    }

    private static func words(_ address: UInt32) -> String {
        [24, 16, 8, 0].map { "\(address >> $0 & 0xFF)" }.joined(separator: ".")
    }

    private static func option(_ name: Int32, _ descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }
}
