internal import Glibc
package import SwipeProtocol

/// When something happened, by both clocks.
package struct EventInstant: Sendable, Hashable {
    package var wall: WallTime
    /// CLOCK_MONOTONIC.
    package var monotonicNanoseconds: UInt64

    package init(wall: WallTime, monotonicNanoseconds: UInt64) {
        self.wall = wall
        self.monotonicNanoseconds = monotonicNanoseconds
    }

    /// This moment.
    package static func now() -> EventInstant {
        EventInstant(
            wall: WallTime(microseconds: read(CLOCK_REALTIME) / 1_000), monotonicNanoseconds: monotonic())
    }

    static func monotonic() -> UInt64 { UInt64(max(0, read(CLOCK_MONOTONIC))) }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
