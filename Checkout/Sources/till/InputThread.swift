import Glibc
import Synchronization
import TillScreen

/// What a till reacts to.
enum TillInput: Sendable {
    case keys([Key])
    /// A line of a pipe; nil at its end.
    case line(String?)
    case reader(ReaderNews)
    case swipe(SwipedInput)
    case machine(MachineInput)
    case resized
    case stop
    /// Nobody has come with a card.
    case late
}

/// Reads standard input and signals on a thread of its own, which may wait.
enum InputThread {
    /// The signals that end a till.
    static let endings = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    private static let writeEnd = Atomic<Int32>(-1)
    private static let chunk = 4_096
    /// An arrow's ESC may come alone over a slow line; what follows it within this time belongs to it.
    private static let escapeMilliseconds: Int32 = 50
    /// A line of a pipe that is longer is no card.
    private static let longestLine = 4_096

    /// Starts it.
    ///
    /// - Parameter asKeys: whether standard input is a terminal in raw mode; else it is read in lines.
    static func start(asKeys: Bool, _ take: @escaping @Sendable (TillInput) -> Void) {
        start(asKeys ? .keys : .lines, take)
    }

    /// Starts it for signals alone, until it is started for all: standard input is left as it is.
    static func startForSignals(_ stop: @escaping @Sendable () -> Void) {
        start(.nothing) { if case .stop = $0 { stop() } }
    }

    /// What standard input is read as.
    private enum Reading { case keys, lines, nothing }

    private static func start(_ reading: Reading, _ take: @escaping @Sendable (TillInput) -> Void) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return }
        let (readEnd, writeEnd) = (ends[0], ends[1])
        _ = fcntl(writeEnd, F_SETFL, O_NONBLOCK)
        Self.writeEnd.store(writeEnd, ordering: .sequentiallyConsistent)
        for number in endings + [SIGWINCH] { signal(number, Self.handler) }
        let reader = Reader(reading, signals: readEnd, take: take)
        let context = Unmanaged.passRetained(reader)
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Reader>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        pthread_detach(thread)
    }

    /// Only what a signal handler may do: one write(2).
    private static let handler: @convention(c) (Int32) -> Void = { number in
        var byte = UInt8(truncatingIfNeeded: number)
        _ = Glibc.write(InputThread.writeEnd.load(ordering: .relaxed), &byte, 1)
    }

    private final class Reader: Sendable {
        private let reading: Reading
        private let signals: Int32
        private let take: @Sendable (TillInput) -> Void

        init(_ reading: Reading, signals: Int32, take: @escaping @Sendable (TillInput) -> Void) {
            self.reading = reading
            self.signals = signals
            self.take = take
        }

        func run() {
            var decoder = KeyDecoder()
            var line: [UInt8] = []
            var polled = [
                pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
                pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            ]
            let asKeys = reading == .keys
            if reading == .nothing { polled.removeLast() }
            let early = reading == .nothing ? [] : EarlyKeys.given()
            if asKeys, !early.isEmpty {
                take(.keys(decoder.keys(in: early)))
            } else {
                takeLines(early, &line)
            }
            while true {
                guard poll(&polled, nfds_t(polled.count), -1) > 0 else { continue }
                if polled[0].revents != 0 { takeSignal() }
                guard polled.count > 1, polled[1].revents != 0 else { continue }
                let bytes = asKeys ? readKeys() : read(STDIN_FILENO)
                if bytes.isEmpty {
                    polled.removeLast()
                    if !asKeys, !line.isEmpty { take(.line(String(decoding: line, as: UTF8.self))) }
                    take(asKeys ? .stop : .line(nil))
                } else if asKeys {
                    take(.keys(decoder.keys(in: bytes)))
                } else {
                    takeLines(bytes, &line)
                }
            }
        }

        private func takeLines(_ bytes: [UInt8], _ line: inout [UInt8]) {
            for byte in bytes {
                if byte == UInt8(ascii: "\n") {
                    take(.line(String(decoding: line, as: UTF8.self)))
                    line = []
                } else if line.count < InputThread.longestLine {
                    line.append(byte)
                }
            }
        }

        private func takeSignal() {
            let bytes = read(signals)
            for number in bytes { take(Int32(number) == SIGWINCH ? .resized : .stop) }
        }

        /// What was typed; where it ends with an ESC, with what belongs to that.
        private func readKeys() -> [UInt8] {
            var bytes = read(STDIN_FILENO)
            var polled = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            if bytes.last == 0x1B, poll(&polled, 1, InputThread.escapeMilliseconds) > 0 {
                bytes += read(STDIN_FILENO)
            }
            return bytes
        }

        private func read(_ descriptor: Int32) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: InputThread.chunk)
            let count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            return Array(bytes.prefix(max(count, 0)))
        }
    }
}
