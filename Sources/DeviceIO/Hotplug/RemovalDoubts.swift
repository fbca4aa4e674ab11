/// Removals that udev told of while the device was still there: each is looked at again, until the kernel has had time.
///
/// The kernel tells of a removal just before it takes the device out of sysfs (drivers/base/core.c, `device_del`), so at the
/// first look a device that goes may be there yet. One that is there at the last look stays: whoever runs
/// `udevadm trigger --action=remove` has every device told as gone. A value: the owner has the clock.
struct RemovalDoubts: Sendable {
    /// The kernel needs microseconds; a machine that is out of breath more. Each pause is twice the one before, so the last
    /// look is 310 ms after the removal was told.
    static let firstPause = Duration.milliseconds(10)
    static let longestPause = Duration.milliseconds(160)

    private struct Doubt: Sendable {
        var due: ContinuousClock.Instant
        var pause: Duration
    }

    private var doubts: [String: Doubt] = [:]

    mutating func add(_ syspath: String, at now: ContinuousClock.Instant) {
        if doubts[syspath] == nil {
            doubts[syspath] = Doubt(due: now + Self.firstPause, pause: Self.firstPause)
        }
    }

    var all: [String] { doubts.keys.sorted() }

    /// What is to be looked at now; each is then told by ``settle(_:)`` or ``isStillThere(_:at:)``.
    func due(at now: ContinuousClock.Instant) -> [String] {
        doubts.filter { $0.value.due <= now }.keys.sorted()
    }

    mutating func settle(_ syspath: String) { doubts[syspath] = nil }

    /// After the longest pause the removal was told in error. Nothing happens to what is settled.
    mutating func isStillThere(_ syspath: String, at now: ContinuousClock.Instant) {
        guard let pause = doubts[syspath]?.pause, pause < Self.longestPause else { return settle(syspath) }
        doubts[syspath] = Doubt(due: now + pause * 2, pause: pause * 2)
    }

    /// How long until the next look, rounded up; nil where none is to come.
    func milliseconds(from now: ContinuousClock.Instant) -> Int32? {
        guard let next = doubts.values.map(\.due).min() else { return nil }
        return Int32(max(.zero, next - now) / .milliseconds(1)) + 1
    }
}
