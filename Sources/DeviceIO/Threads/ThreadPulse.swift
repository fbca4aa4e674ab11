import Glibc
import Synchronization

/// A thread's sign of life: when it last came round, or that it waits for work and owes nobody a sign.
///
/// A call into a driver of the kernel's may never return. From outside such a thread looks like one that has
/// nothing to do, so each says which of the two it is.
final class ThreadPulse: Sendable {
    let name: String
    /// Nanoseconds of `CLOCK_MONOTONIC`; 0 while it rests.
    private let last = Atomic<UInt64>(ThreadPulse.now())

    init(name: String) { self.name = name }

    /// The thread came round. Called once each turn, and between two calls that may take seconds each.
    func beat() { last.store(Self.now(), ordering: .relaxed) }

    /// The thread is about to wait for work, for as long as it takes.
    func rest() { last.store(0, ordering: .relaxed) }

    /// How long ago the last sign was; nil while it rests.
    var silence: Duration? {
        let last = last.load(ordering: .relaxed)
        let now = Self.now()
        return last == 0 || now < last ? nil : .nanoseconds(Int64(clamping: now - last))
    }

    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(clamping: time.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec)
    }
}

/// The threads between devices and their sessions, for whoever must know that all of them turn.
package enum DeviceThreads {
    /// The pulses of the threads that run now. One for the process, like the threads themselves.
    private static let running = Guarded<[ObjectIdentifier: ThreadPulse]>([:])

    /// The names of the threads that owe a sign for longer than `limit`, each once, in order.
    package static func silent(for limit: Duration) -> [String] {
        let pulses = running.change { Array($0.values) }
        return Set(pulses.filter { ($0.silence ?? .zero) > limit }.map(\.name)).sorted()
    }

    static func enter(_ pulse: ThreadPulse) { running.change { $0[ObjectIdentifier(pulse)] = pulse } }

    static func leave(_ pulse: ThreadPulse) { running.change { $0[ObjectIdentifier(pulse)] = nil } }
}
