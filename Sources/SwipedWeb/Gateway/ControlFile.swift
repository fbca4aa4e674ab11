internal import Glibc

/// The control socket where systemd does not hand one over: its file is for the gateway's own user alone.
enum ControlFile {
    static let backlog: Int32 = 16

    private static func isSocket(_ path: String) -> Bool {
        var facts = stat()
        errno = 0
        return lstat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFSOCK
    }

    /// A listening socket at a path; a file that is left over there from an earlier run goes, and one where another gateway listens
    /// stays.
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
        let mask = umask(0o177)
        defer { umask(mask) }
        let status = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Int32 in
                let length = socklen_t(MemoryLayout<sockaddr_un>.size)
                // A descriptor that could not connect can still be bound.
                guard connect(descriptor, address, length) != 0 else {
                    errno = EADDRINUSE
                    return -1
                }
                guard isSocket(path) || errno == ENOENT else {
                    errno = EEXIST
                    return -1
                }
                unlink(path)
                return bind(descriptor, address, length)
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
