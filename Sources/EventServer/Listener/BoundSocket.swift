internal import Glibc
internal import UnixIO

/// A listening socket file of our own: bound with the right mode from the first moment, and removed in the end only if
/// it is still ours.
///
/// Why not NIO's own bind: it leaves the mode to the umask, and does not see whether the daemon that made the file
/// still runs.
struct BoundSocket {
    /// Which file it is.
    struct Identity: Hashable {
        private let device: dev_t
        private let inode: ino_t

        /// Of the file at a path; nil where there is none.
        init?(path: String) {
            var status = stat()
            guard lstat(path, &status) == 0 else { return nil }
            (device, inode) = (status.st_dev, status.st_ino)
        }
    }

    let descriptor: Int32
    private let path: String
    private let identity: Identity?

    init(path: String, mode: UInt32, group: UInt32?) throws(ServerError) {
        let descriptor = socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw .system(operation: "socket", errno: errno) }
        do throws(ServerError) {
            try BoundSocket.removeStale(path)
            // On Linux the mode of an unbound socket becomes the mode of its file: no moment with more.
            guard fchmod(descriptor, mode & 0o600) == 0 else {
                throw .system(operation: "fchmod", errno: errno)
            }
            try BoundSocket.address(path).with { bind(descriptor, $0, $1) }.check("bind", path)
            if let group { try chown(path, uid_t.max, group).check("chown", path) }
            try chmod(path, mode).check("chmod", path)
            identity = Identity(path: path)
            try listen(descriptor, EventServer.backlog).check("listen", path)
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.path = path
    }

    /// Whether clients who look for the path find this socket.
    var isInPlace: Bool { identity != nil && identity == Identity(path: path) }

    /// Removes the file, unless something else is there by now.
    func removeFile() {
        if isInPlace { unlink(path) }
    }

    /// The path that a socket is bound to; nil where it is none, or says nothing without the folder that it begins in.
    static func path(of descriptor: Int32) -> String? {
        let path = UnixAddress.path { getsockname(descriptor, $0, $1) }
        return path.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    /// Before anything is made for it.
    static func checkLength(of path: String) throws(ServerError) {
        _ = try address(path)
    }

    /// Removes the file that a daemon left when it ended. A running one answers the connection.
    private static func removeStale(_ path: String) throws(ServerError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
        let probe = socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard probe >= 0 else { throw .system(operation: "socket", errno: errno) }
        defer { close(probe) }
        let result = try address(path).with { connect(probe, $0, $1) }
        // EAGAIN: its backlog is full, so it runs.
        if result == 0 || errno == EAGAIN { throw .alreadyRunning(path: path, pid: nil) }
        guard errno == ECONNREFUSED else { throw .file(path: path, operation: "connect", errno: errno) }
        try unlink(path).check("unlink", path)
    }

    private static func address(_ path: String) throws(ServerError) -> UnixAddress {
        guard let address = UnixAddress(path: path) else { throw .pathTooLong(path: path) }
        return address
    }
}

extension Int32 {
    /// What a C call returned: -1 becomes the error.
    fileprivate func check(_ operation: String, _ path: String) throws(ServerError) {
        guard self != -1 else { throw .file(path: path, operation: operation, errno: errno) }
    }
}
