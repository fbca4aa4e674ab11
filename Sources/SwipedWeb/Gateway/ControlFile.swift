internal import Glibc

/// The control socket where systemd does not hand one over: its file is for the gateway's own user alone.
enum ControlFile {
    static let backlog: Int32 = 16

    /// A listening socket at a path; a file that is left over there from an earlier run goes.
    static func listen(at path: String) throws(LoopbackSocket.Fault) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw .system("'\(path)' as a socket", ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .system("socket", errno) }
        unlink(path)
        let mask = umask(0o177)
        defer { umask(mask) }
        let status = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0, Glibc.listen(descriptor, backlog) == 0 else {
            let code = errno
            close(descriptor)
            throw .system("'\(path)' as a socket", code)
        }
        return descriptor
    }
}
