import Glibc

/// The clock that systemd compares reload times by.
enum MonotonicClock {
    static func microseconds() -> UInt64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return UInt64(max(0, now.tv_sec)) &* 1_000_000 &+ UInt64(max(0, now.tv_nsec)) / 1_000
    }
}
