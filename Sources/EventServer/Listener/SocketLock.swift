internal import Glibc

/// Keeps a second daemon from a socket's path, also while the socket's file is gone: a lock on a file next to it.
///
/// The kernel gives the lock up with the process, however that ends; the next one then uses the file.
struct SocketLock {
    private let descriptor: Int32
    private let path: String

    /// How often the file may be replaced under our hands.
    private static let attempts = 16

    /// - Throws: ``ServerError/alreadyRunning(path:pid:)`` where another daemon has it.
    init(forSocket socketPath: String) throws(ServerError) {
        let path = socketPath + ".lock"
        for _ in 0..<SocketLock.attempts {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw .file(path: path, operation: "open", errno: errno) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let number = errno
                defer { close(descriptor) }
                guard number == EWOULDBLOCK else {
                    throw .file(path: path, operation: "flock", errno: number)
                }
                throw .alreadyRunning(path: socketPath, pid: SocketLock.holder(descriptor))
            }
            // The daemon that had it may have removed the file between our two calls.
            guard SocketLock.isAt(path, descriptor) else {
                close(descriptor)
                continue
            }
            let pid = "\(getpid())\n"
            ftruncate(descriptor, 0)
            _ = pwrite(descriptor, pid, pid.utf8.count, 0)
            self.descriptor = descriptor
            self.path = path
            return
        }
        throw .file(path: path, operation: "flock", errno: EBUSY)
    }

    /// Whether the file is still there, so that the next daemon comes to this lock.
    var isInPlace: Bool { SocketLock.isAt(path, descriptor) }

    /// Removes the file, where it is still this one, and gives the lock up.
    func release() {
        if isInPlace { unlink(path) }
        close(descriptor)
    }

    private static func isAt(_ path: String, _ descriptor: Int32) -> Bool {
        var (file, ours) = (stat(), stat())
        return lstat(path, &file) == 0 && fstat(descriptor, &ours) == 0 && file.st_dev == ours.st_dev
            && file.st_ino == ours.st_ino
    }

    /// The process that wrote its number there.
    private static func holder(_ descriptor: Int32) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return Int32(String(decoding: bytes.prefix(max(0, count)).prefix { $0 != 10 }, as: UTF8.self))
    }
}
