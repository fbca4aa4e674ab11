internal import CEpoll
internal import Glibc
internal import LoadMeasures

/// What a program costs that does nothing: the same threads wake one after the other as in the daemon (a reader at the FIFO,
/// a loop woken through an eventfd, the client), and none of them computes anything.
struct Relay {
    /// In which descriptor a relay finds its client.
    private static let clientDescriptor: Int32 = 3
    let source: Int32
    let client: Int32
    private let child: pid_t

    /// Starts this program once more, between a FIFO and a socket.
    init(fifo: String, line: Int) throws(Failure) {
        guard mkfifo(fifo, 0o600) == 0 else { throw Failure(what: "mkfifo: \(errno)") }
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw Failure(what: "socketpair: \(errno)")
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[1], Self.clientDescriptor)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            close(ends[1])
        }
        child = try spawn("/proc/self/exe", ["reportlatency", "--relay", fifo, String(line)], &actions)
        client = ends[0]
        source = open(fifo, O_WRONLY | O_CLOEXEC)
        guard source >= 0 else { throw Failure(what: "open: \(errno)") }
    }

    func end() {
        close(source)
        var status: Int32 = 0
        waitpid(child, &status, 0)
    }

    /// The relay itself: each line that comes is answered by one of `length` bytes, until the FIFO is closed.
    static func run(fifo: String, length: Int) throws(Failure) {
        let source = open(fifo, O_RDONLY | O_CLOEXEC)
        let wake = eventfd(0, 0)
        guard source >= 0, wake >= 0 else { throw Failure(what: "relay: \(errno)") }
        var loop = pthread_t()
        let context = UnsafeMutablePointer<LoopEnds>.allocate(capacity: 1)
        context.initialize(to: LoopEnds(wake: wake, client: clientDescriptor, length: length))
        let failed = pthread_create(
            &loop, nil,
            { context in
                context?.assumingMemoryBound(to: LoopEnds.self).pointee.run()
                return nil
            }, context)
        guard failed == 0 else { throw Failure(what: "pthread_create: \(failed)") }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var one: UInt64 = 1
        while case let count = read(source, &buffer, buffer.count), count > 0 {
            if buffer[count - 1] == UInt8(ascii: "\n") { write(wake, &one, 8) }
        }
    }
}

/// What the relay's loop stands between.
private struct LoopEnds {
    var wake: Int32
    var client: Int32
    var length: Int

    func run() {
        let line = [UInt8](repeating: UInt8(ascii: " "), count: max(0, length - 1)) + [UInt8(ascii: "\n")]
        var count: UInt64 = 0
        let poll = epoll_create1(0)
        var event = epoll_readable(0)
        guard epoll_ctl(poll, EPOLL_CTL_ADD, wake, &event) == 0 else { return }
        while epoll_wait(poll, &event, 1, -1) >= 0 {
            guard read(wake, &count, 8) == 8, Sockets.send(client, line) else { return }
        }
    }
}
