internal import Glibc
internal import SwipeProtocol

/// The machine's clocks.
enum SystemTime {
    /// Nanoseconds of CLOCK_MONOTONIC.
    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    static func wallTime() -> WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }

    /// The time of CLOCK_MONOTONIC after that long; `UInt64.max`, never, where that is longer than anybody waits.
    static func deadline(after duration: Duration) -> UInt64 {
        let nanoseconds = max(0, duration / .nanoseconds(1))
        guard nanoseconds < farAway else { return UInt64.max }
        return now() &+ UInt64(nanoseconds)
    }

    /// How long until then, rounded up, as `poll` takes it; -1 for nil: for ever.
    static func milliseconds(until deadline: UInt64?) -> Int32 {
        guard let deadline else { return -1 }
        let now = now()
        guard deadline > now else { return 0 }
        return Int32(clamping: (deadline - now) / 1_000_000 + 1)
    }

    /// A hundred years, in nanoseconds.
    private static let farAway = 3.2e18
}
