/// How long a holder that was asked for its reader has to keep it, beyond the time that every holder has.
///
/// A connection's requests are answered in order, so a `retain` waits after a request that a reader is slow to answer.
/// That time does not count, within a limit; see docs/decisions/0319-a-slow-request-costs-no-reader.md.
struct RetainTime {
    /// How much at most does not count, in nanoseconds: more than the slowest reader needs for an answer.
    static let longestPauseNanoseconds: UInt64 = 10_000_000_000

    /// How long the holder's requests had taken when it was asked.
    private let before: UInt64
    private var added: UInt64 = 0

    /// - Parameter before: how long the holder's requests have taken, the one that is being done with them; nanoseconds.
    init(before: UInt64) { self.before = before }

    /// How much longer the holder has, in nanoseconds; nil: its time is over.
    ///
    /// - Parameter now: how long its requests have taken by now.
    mutating func extend(now: UInt64) -> UInt64? {
        let paused = min(now > before ? now - before : 0, RetainTime.longestPauseNanoseconds)
        guard paused > added else { return nil }
        defer { added = paused }
        return paused - added
    }
}
