import CSourcePoll
import Glibc

/// Notices that the machine slept: the clock that counts sleep has run ahead of the one that does not.
struct SuspendClock: Sendable {
    /// How far the two may drift apart between two readings; shorter sleeps do not exist.
    private static let minimumSleepNanoseconds: Int64 = 500_000_000

    private var ahead: Int64?

    /// True when the machine slept between this call and the one before.
    mutating func hasSlept() -> Bool {
        hasSlept(awake: Self.nanoseconds(CLOCK_MONOTONIC), all: Self.nanoseconds(CLOCK_BOOTTIME))
    }

    mutating func hasSlept(awake: Int64, all: Int64) -> Bool {
        let now = all - awake
        defer { ahead = now }
        return ahead.map { now - $0 >= Self.minimumSleepNanoseconds } ?? false
    }

    private static func nanoseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// Wakes a thread that polls when the machine wakes up, and whenever its clock is set; ``SuspendClock`` tells the two apart.
struct WakeAlarm: ~Copyable {
    let descriptor = wake_alarm_open()

    /// The kernel may give none.
    var isSet: Bool { descriptor >= 0 }

    /// For the next time. False where it cannot.
    @discardableResult
    func wind() -> Bool { wake_alarm_wind(descriptor) == 0 }

    deinit { if isSet { close(descriptor) } }
}
