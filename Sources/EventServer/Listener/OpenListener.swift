internal import Glibc
internal import Logging

/// The socket that clients connect to, and its file: put back where the file is the daemon's own and is lost.
struct OpenListener {
    /// How long after the file could not be put back that is tried again, and how often it is looked at where the kernel gives
    /// no watch for it; in nanoseconds.
    static let retryNanoseconds: UInt64 = 5_000_000_000

    private enum File {
        /// Ours, and how it is made.
        case own(BoundSocket, mode: UInt32, group: UInt32?)
        /// systemd's: which file it was when we were given the socket.
        case given(BoundSocket.Identity?)
    }

    private(set) var descriptor: Int32
    private let path: String?
    private var file: File
    private var lock: SocketLock?
    private let watch: SocketFileWatch
    /// What was said last of a file that is lost; nil while it is there.
    private var complaint: String?

    /// - Parameter watch: makes the watch, once the socket is there.
    init(
        _ listener: ServerConfiguration.Listener,
        watch makeWatch: () -> SocketFileWatch = SocketFileWatch.init
    ) throws(ServerError) {
        switch listener {
        case .path(let path, let mode, let group):
            try BoundSocket.checkLength(of: path)
            let lock = try SocketLock(forSocket: path)
            do throws(ServerError) {
                let socket = try BoundSocket(path: path, mode: mode, group: group)
                (descriptor, file) = (socket.descriptor, .own(socket, mode: mode, group: group))
            } catch {
                lock.release()
                throw error
            }
            (self.path, self.lock) = (path, lock)
        case .descriptor(let given):
            let path = BoundSocket.path(of: given)
            // Where the folder is not the daemon's there is no lock, and systemd starts no second one.
            if let path {
                do throws(ServerError) { lock = try SocketLock(forSocket: path) } catch {
                    if case .alreadyRunning = error { throw error }
                }
            }
            descriptor = given
            (self.path, file) = (path, .given(path.flatMap(BoundSocket.Identity.init(path:))))
            _ = fcntl(given, F_SETFL, fcntl(given, F_GETFL) | O_NONBLOCK)
        }
        watch = makeWatch()
        if let path { watch.watch(path) }
    }

    /// To poll, with ``descriptor``: ``look(_:)`` is due when there is something to read.
    var watchDescriptor: Int32 { watch.descriptor }

    private var isInPlace: Bool {
        switch file {
        case .own(let socket, _, _): socket.isInPlace
        case .given(let identity):
            identity != nil && identity == path.flatMap(BoundSocket.Identity.init(path:))
        }
    }

    /// Sees to a file that is lost: says so once, and puts back what is the daemon's own.
    ///
    /// - Parameter takeIn: accepts the connections that wait at the old socket, which is closed then.
    /// - Returns: whether to look again after ``retryNanoseconds``.
    mutating func look(_ logger: Logger, takeIn: (Int32) -> Void) -> Bool {
        watch.drain()
        guard let path, !isInPlace else {
            complaint = nil
            return watch.isBlind
        }
        switch file {
        case .given:
            say(
                "the socket's file is gone and clients cannot connect: systemctl restart swiped.socket makes it again",
                path, logger)
            return watch.isBlind
        case .own(_, let mode, let group):
            return putBack(path, mode, group, logger, takeIn)
        }
    }

    private mutating func putBack(
        _ path: String, _ mode: UInt32, _ group: UInt32?, _ logger: Logger, _ takeIn: (Int32) -> Void
    ) -> Bool {
        do throws(ServerError) {
            if lock?.isInPlace != true {
                let old = lock
                lock = try SocketLock(forSocket: path)
                old?.release()
            }
            let socket = try BoundSocket(path: path, mode: mode, group: group)
            takeIn(descriptor)
            close(descriptor)
            (descriptor, file) = (socket.descriptor, .own(socket, mode: mode, group: group))
            watch.watch(path)
            complaint = nil
            logger.warning(
                "the socket's file was gone, it is made again",
                metadata: ["event": "daemon.socket_restored", "path": "\(path)"])
            return watch.isBlind || !isInPlace
        } catch {
            say(
                "the socket's file is gone and cannot be made again, clients cannot connect: \(error)", path,
                logger)
            return true
        }
    }

    private mutating func say(_ words: String, _ path: String, _ logger: Logger) {
        guard complaint != words else { return }
        complaint = words
        logger.error("\(words)", metadata: ["event": "daemon.socket_lost", "path": "\(path)"])
    }

    /// Clients cannot connect any more.
    func end() {
        if case .own(let socket, _, _) = file { socket.removeFile() }
        close(descriptor)
        watch.close()
        lock?.release()
    }
}
