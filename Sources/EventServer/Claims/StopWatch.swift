/// Adds up how long something goes on, in nanoseconds of CLOCK_MONOTONIC.
struct StopWatch {
    /// The times that are over.
    private var before: UInt64 = 0
    private var since: UInt64?

    mutating func start(at now: UInt64) { since = since ?? now }

    mutating func stop(at now: UInt64) {
        before = total(at: now)
        since = nil
    }

    func total(at now: UInt64) -> UInt64 { before + (since.map { now > $0 ? now - $0 : 0 } ?? 0) }
}
