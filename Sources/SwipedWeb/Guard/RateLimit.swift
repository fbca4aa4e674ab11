/// So many in a minute, spread as they come: a bucket that fills again with time.
struct RateLimit: Sendable {
    private let perMinute: Double
    private var left: Double
    private var filledAt: UInt64?

    init(perMinute: Int) {
        self.perMinute = Double(perMinute)
        left = Double(perMinute)
    }

    /// Takes one; false where there is none left.
    ///
    /// - Parameter now: in CLOCK_MONOTONIC nanoseconds.
    mutating func take(at now: UInt64) -> Bool {
        fill(to: now)
        guard left >= 1 else { return false }
        left -= 1
        return true
    }

    /// Whether there is one left, without taking it.
    mutating func hasOne(at now: UInt64) -> Bool {
        fill(to: now)
        return left >= 1
    }

    private mutating func fill(to now: UInt64) {
        let since = filledAt.map { now > $0 ? now - $0 : 0 } ?? 0
        filledAt = now
        left = min(perMinute, left + Double(since) / 60e9 * perMinute)
    }
}
