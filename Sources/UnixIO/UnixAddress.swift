package import Glibc

/// The address of a Unix socket (unix(7)).
package struct UnixAddress: Sendable {
    private var address = sockaddr_un()
    private let length: socklen_t

    /// The address of a path; nil where it is longer than an address has room for, or has a zero in it.
    package init?(path: String) { self.init(name: Array(path.utf8), isAbstract: false) }

    /// The address of a path or, after `@`, of an abstract name.
    package init?(pathOrAbstractName name: String) {
        self.init(name: Array(name.utf8), isAbstract: name.hasPrefix("@"))
    }

    private init?(name: [UInt8], isAbstract: Bool) {
        // One byte stays zero: the end of the path.
        guard name.count < MemoryLayout.size(ofValue: address.sun_path), !name.contains(0) else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        let name = isAbstract ? [0] + name.dropFirst() : name
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? MemoryLayout<sa_family_t>.size
        // An abstract name ends where its length says.
        length = socklen_t(start + name.count + (isAbstract ? 0 : 1))
    }

    /// For `bind`, `connect` and `sendto`.
    package func with<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    /// The path that `getsockname` or `getpeername` say; nil where there is none.
    package static func path(
        _ ask: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> String? {
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask($0, &length) }
        }
        guard result == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
        let path = withUnsafeBytes(of: &address.sun_path) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        return path.isEmpty ? nil : path
    }
}
