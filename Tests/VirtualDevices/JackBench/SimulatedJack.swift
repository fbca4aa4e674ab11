import Glibc
package import ReaderTesting
import UnixIO

/// A simulated reader in the jack of a virtual sound card: hears what the card plays and speaks into what it captures,
/// on a thread of its own.
package final class SimulatedJack: @unchecked Sendable {
    /// Frames that are heard at once.
    private static let chunkFrames = 2_048
    /// How soon a stop is noticed.
    private static let pauseMilliseconds: Int32 = 20
    /// F_SETPIPE_SZ (linux/fcntl.h): room for a burst of several seconds.
    private static let setPipeSize: Int32 = 1_031
    private static let pipeBytes: Int32 = 1 << 20

    private var simulator: ReaderSimulator
    private var isStopping = false
    /// Whether both channels reach the reader mixed into one, as from a telephone that plays mono.
    private var isMixed = false
    private var isRunning = true
    private let source: String
    private let sink: Int32
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    /// - Parameters:
    ///   - source: the FIFO that the card hears.
    ///   - sink: the FIFO that the card plays into.
    package init(_ simulator: ReaderSimulator, source: String, sink: String) {
        self.simulator = simulator
        self.source = source
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(changed, nil)
        // For writing too: a card that is silent is no end of file.
        self.sink = open(sink, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        _ = fcntl(self.sink, Self.setPipeSize, Self.pipeBytes)
        start()
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
        close(sink)
    }

    /// Ends the thread; what was played meanwhile is not heard any more.
    package func stop() {
        locked { isStopping = true }
        pthread_mutex_lock(mutex)
        while isRunning { pthread_cond_wait(changed, mutex) }
        pthread_mutex_unlock(mutex)
    }

    /// Swipes a card. False where the reader takes none now.
    package func swipe(_ packet: [UInt8]) -> Bool {
        guard let sound = locked({ simulator.swipe(packet) }) else { return false }
        speak(sound)
        return true
    }

    package var isPoweredUp: Bool { locked { simulator.isPoweredUp } }
    package var awaitsSwipe: Bool { locked { simulator.awaitsSwipe } }
    package var commands: [[UInt8]] { locked { simulator.commands } }

    /// Whether both channels are mixed into one before the reader hears them.
    package func mixToMono(_ mixes: Bool) { locked { isMixed = mixes } }

    /// Another way from the reader to the card.
    package func change(_ body: (inout AcousticChannel) -> Void) { locked { body(&simulator.channel) } }

    private func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    private func start() {
        var thread = pthread_t()
        let box = Unmanaged.passRetained(self)
        let failure = pthread_create(
            &thread, nil,
            { argument in
                if let argument { Unmanaged<SimulatedJack>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, box.toOpaque())
        if failure == 0 {
            pthread_detach(thread)
        } else {
            box.release()
            isRunning = false
        }
    }

    private func run() {
        var odd: [UInt8] = []
        while !locked({ isStopping }) {
            var polled = pollfd(fd: sink, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, Self.pauseMilliseconds) > 0 else { continue }
            let bytes = odd + read()
            let frames = bytes.count / 4
            odd = Array(bytes[(frames * 4)...])
            func samples(_ offset: Int) -> [Int16] {
                (0..<frames).map {
                    Int16(
                        bitPattern: UInt16(bytes[$0 * 4 + offset]) | UInt16(bytes[$0 * 4 + offset + 1]) << 8)
                }
            }
            let left = samples(0)
            let heard =
                locked { isMixed }
                ? zip(left, samples(2)).map { Int16((Int($0) + Int($1)) / 2) } : left
            for burst in locked({ simulator.hear(heard) }) { speak(burst) }
        }
        pthread_mutex_lock(mutex)
        isRunning = false
        pthread_cond_broadcast(changed)
        pthread_mutex_unlock(mutex)
    }

    private func read() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.chunkFrames * 4) { buffer, count in
            count = max(0, Glibc.read(sink, buffer.baseAddress, buffer.count))
        }
    }

    /// Where nobody captures, nobody hears.
    private func speak(_ samples: [Int16]) {
        let file = open(source, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        _ = fcntl(file, Self.setPipeSize, Self.pipeBytes)
        _ = fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK)
        _ = samples.withUnsafeBytes { Whole.write($0, to: file) }
    }
}
