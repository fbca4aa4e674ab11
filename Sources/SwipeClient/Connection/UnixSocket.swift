internal import Glibc
internal import UnixIO

/// A connected stream socket, and a second descriptor that wakes whoever waits for it.
struct UnixSocket: ~Copyable {
    enum Readiness {
        case readable, writable, woken, timedOut
    }

    private let descriptor: Int32
    let wakeUp: WakeUp

    /// How long one attempt waits where as many wait to be let in as the daemon's socket takes.
    private static let roomMilliseconds = 100

    /// Connects.
    ///
    /// - Parameter look: called between attempts, while the daemon lets nobody in; throws when it is enough.
    init(
        path: String, wakeUp: WakeUp, look: () throws(SwipeClientError) -> Int32
    ) throws(SwipeClientError) {
        guard let address = UnixAddress(path: path) else {
            throw SwipeClientError(.noDaemon, "\(path): longer than a socket path can be")
        }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw UnixSocket.error(path, "socket") }
        do throws(SwipeClientError) {
            try UnixSocket.connect(descriptor, address, path, look)
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.wakeUp = wakeUp
    }

    private static func connect(
        _ descriptor: Int32, _ address: UnixAddress, _ path: String,
        _ look: () throws(SwipeClientError) -> Int32
    ) throws(SwipeClientError) {
        // connect(2) waits that long for room, then fails with EAGAIN; sending never waits here anyway.
        var patience = timeval(tv_sec: 0, tv_usec: roomMilliseconds * 1_000)
        setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        while true {
            if address.with({ Glibc.connect(descriptor, $0, $1) }) == 0 { return }
            guard errno == EAGAIN || errno == EINTR else { throw error(path, "connect") }
            _ = try look()
        }
    }

    deinit { close(descriptor) }

    private static func error(_ path: String, _ operation: String) -> SwipeClientError {
        switch errno {
        case EACCES, EPERM: SwipeClientError(.denied, "\(path): this user may not connect")
        case ENOENT, ECONNREFUSED, ENOTSOCK: SwipeClientError(.noDaemon, "\(path): no daemon listens there")
        case let number:
            SwipeClientError(.noDaemon, "\(path): \(operation): \(String(cString: strerror(number)))")
        }
    }

    /// Waits for bytes, for a wake-up, or for that many milliseconds (-1: for ever).
    ///
    /// - Parameter writes: whether to wait for room as well.
    func wait(milliseconds: Int32, orToWrite writes: Bool = false) -> Readiness {
        var descriptors = [
            pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor, events: Int16(writes ? POLLIN | POLLOUT : POLLIN), revents: 0),
        ]
        let count = poll(&descriptors, 2, milliseconds)
        if count <= 0 { return count == 0 ? .timedOut : .woken }
        if descriptors[0].revents != 0 { return .woken }
        return descriptors[1].revents == Int16(POLLOUT) ? .writable : .readable
    }

    /// What is there to read; empty at the end of the stream.
    func read(into buffer: inout [UInt8]) -> Int {
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count >= 0 { return count }
            if errno != EINTR { return 0 }
        }
    }

    /// Writes what there is room for: how many bytes, 0 where there is none, nil when the peer is gone.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int? {
        while true {
            let count = send(
                descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            if count >= 0 { return count }
            if errno == EAGAIN { return 0 }
            if errno != EINTR { return nil }
        }
    }
}

/// A socket pair to oneself: makes a thread that waits in `poll` look around.
final class WakeUp: Sendable {
    /// Readable while somebody has signalled.
    let descriptor: Int32
    private let writer: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        // Without descriptors left the client still works; it only notices requests when something else happens.
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        _ = socketpair(AF_UNIX, type, 0, &ends)
        descriptor = ends[0]
        writer = ends[1]
    }

    deinit {
        close(descriptor)
        close(writer)
    }

    func signal() {
        // A full queue is a signal too.
        var byte: UInt8 = 1
        _ = Glibc.write(writer, &byte, 1)
    }

    func clear() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while Glibc.read(descriptor, &bytes, bytes.count) > 0 {}
    }

    /// Waits for a signal, or for that many milliseconds.
    func wait(milliseconds: Int32) {
        var descriptors = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&descriptors, 1, milliseconds)
    }
}
