internal import Glibc
internal import Logging
internal import NIOCore
internal import SwipeProtocol
internal import UnixIO

/// Accepts connections, on a thread of its own: a connection that is refused costs the loop nothing, and a user who
/// connects without end costs it little. See docs/decisions/0320-who-connects-takes-turns.md.
///
/// Why not NIO's server channel: it goes on asking for connections when the kernel has no descriptor for them (2.101),
/// and makes a channel of each before its user is known.
struct Porter {
    /// Connections that are accepted before those are handed over.
    private static let connectionsAtOnce = 64
    /// Of this time taking connections may have the second, and what is paid off of one long turn; nanoseconds.
    static let windowNanoseconds: UInt64 = 1_000_000
    static let shareNanoseconds: UInt64 = 200_000
    static let longestDebt = 10 * shareNanoseconds
    /// How long nothing is taken after the kernel would give no descriptor, in nanoseconds.
    static let pauseWithoutDescriptor: UInt64 = 100_000_000

    private let door: Door
    private let wakePipe: WakePipe
    private let logger: Logger
    private let handOver: @Sendable ([Guest]) -> Void
    private var listener: OpenListener
    /// Closed to accept a connection for which there is no descriptor, and to refuse it; -1 where the kernel gives
    /// none.
    private var spare: Int32
    private var share = TimeShare(shareNanoseconds, of: windowNanoseconds, longestDebt: longestDebt)
    /// Until when nothing is taken, and when the file is to be looked at again; nanoseconds of CLOCK_MONOTONIC.
    private var takesNothingUntil: UInt64 = 0
    private var looksAgainAt: UInt64?

    init(
        _ listener: OpenListener, door: Door, wakePipe: WakePipe, logger: Logger,
        handOver: @escaping @Sendable ([Guest]) -> Void
    ) {
        self.listener = listener
        self.door = door
        self.wakePipe = wakePipe
        self.logger = logger
        self.handOver = handOver
        spare = Porter.spareDescriptor(wakePipe)
    }

    /// Returns when the pipe is written to.
    mutating func run() {
        Porter.nameThread()
        // It may have been lost before it was watched, and systemd's before the daemon was started.
        lookAtFile(EventInstant.monotonic())
        while let due = wait() {
            let now = EventInstant.monotonic()
            if due.file || looksAgainAt.map({ $0 <= now }) == true { lookAtFile(now) }
            if due.connections { takeIn(from: listener.descriptor) }
        }
        listener.end()
        if spare >= 0 { close(spare) }
    }

    /// What is to be done; nil when it is time to end.
    private mutating func wait() -> (connections: Bool, file: Bool)? {
        let now = EventInstant.monotonic()
        if let pause = share.pause(at: now) { takesNothingUntil = max(takesNothingUntil, now + pause) }
        let isPausing = takesNothingUntil > now
        var polled = [wakePipe.readEnd, isPausing ? -1 : listener.descriptor, listener.watchDescriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        let due = [isPausing ? takesNothingUntil : nil, looksAgainAt].compactMap(\.self).min()
        let milliseconds = due.map { $0 > now ? Int32(clamping: ($0 - now + 999_999) / 1_000_000) : 0 } ?? -1
        _ = poll(&polled, nfds_t(polled.count), milliseconds)
        guard polled[0].revents == 0 else { return nil }
        return (polled[1].revents != 0, polled[2].revents != 0)
    }

    private mutating func lookAtFile(_ now: UInt64) {
        var taken: [Int32] = []
        let isLost = listener.look(logger) { old in
            while taken.count <= Int(EventServer.backlog), case .taken(let next) = Porter.accept(from: old) {
                taken.append(next)
            }
        }
        handOver(taken.compactMap(judge))
        looksAgainAt = isLost ? now + OpenListener.retryNanoseconds : nil
    }

    // MARK: Connections

    private mutating func takeIn(from listening: Int32) {
        let start = EventInstant.monotonic()
        var guests: [Guest] = []
        taking: for _ in 0..<Porter.connectionsAtOnce {
            switch Porter.accept(from: listening) {
            case .taken(let descriptor): if let guest = judge(descriptor) { guests.append(guest) }
            case .noneWaits: break taking
            case .refused(let number):
                guard tellThatThereIsNoDescriptor(number, listening) else {
                    takesNothingUntil = EventInstant.monotonic() + Porter.pauseWithoutDescriptor
                    break taking
                }
            }
        }
        if !guests.isEmpty { handOver(guests) }
        share.spend(from: start, to: EventInstant.monotonic())
    }

    private enum Accepted {
        case taken(Int32)
        case noneWaits
        /// The kernel gives no descriptor, or no memory; its `errno`.
        case refused(Int32)
    }

    /// The next connection. Those that have gone again and interruptions are passed over.
    private static func accept(from listening: Int32) -> Accepted {
        while true {
            let descriptor = Glibc.accept(listening, nil, nil)
            if descriptor >= 0 { return .taken(descriptor) }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EAGAIN: return .noneWaits
            case let number: return .refused(number)
            }
        }
    }

    /// Who it is, with a place of its own; nil for one that is refused.
    private func judge(_ descriptor: Int32) -> Guest? {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // First: a client that connects and goes at once costs nothing else.
        guard !Guest.isGone(descriptor), let peer = PeerCredentials(descriptor: descriptor) else {
            close(descriptor)
            return nil
        }
        if let code = door.enter(peer) {
            Guest.turnAway(descriptor, code)
            return nil
        }
        return Guest(descriptor: descriptor, peer: peer)
    }

    /// The spare descriptor accepts the connection that waits, so that it gets its `bye` and does not wait on.
    ///
    /// - Returns: whether that was so. Otherwise to ask again at once would only cost the processor's time.
    private mutating func tellThatThereIsNoDescriptor(_ number: Int32, _ listening: Int32) -> Bool {
        door.noteNoDescriptor(number)
        guard number == EMFILE, spare >= 0 else {
            if spare < 0 { spare = Porter.spareDescriptor(wakePipe) }
            return false
        }
        close(spare)
        let descriptor = Glibc.accept(listening, nil, nil)
        if descriptor >= 0 {
            if let peer = PeerCredentials(descriptor: descriptor) { door.countRefusal(.tooMany, peer) }
            Guest.turnAway(descriptor, .tooMany)
        }
        spare = Porter.spareDescriptor(wakePipe)
        return descriptor >= 0 && spare >= 0
    }

    private static func spareDescriptor(_ wakePipe: WakePipe) -> Int32 {
        fcntl(wakePipe.readEnd, F_DUPFD_CLOEXEC, 0)
    }

    /// What `ps -L` and a debugger show. A failure costs nothing but the name.
    private static func nameThread() {
        let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        let name = "porter"
        _ = write(file, name, name.utf8.count)
        close(file)
    }
}
