internal import NIOCore

/// When lines that wait go out: at once, unless sending is so much work that sending more of them at a time pays.
///
/// A line sent alone costs a system call for each subscriber and wakes it up; ten lines cost the same. With few
/// subscribers a turn of sending takes microseconds and nothing is put off. With a thousand it takes a millisecond, and
/// events that come meanwhile wait until sending has paused for a few times as long: latency grows by milliseconds
/// where it would grow without bound. Measured in docs/performance-server.md.
struct FlushPace {
    /// A turn that is quicker than this is followed by the next one at once.
    static let briefNanoseconds: UInt64 = 250_000
    /// The pause after a longer one, in its own lengths, and the longest pause.
    static let pauseInTurns: UInt64 = 4
    static let longestPauseNanoseconds: UInt64 = 10_000_000

    private var notBefore: UInt64 = 0

    /// A turn of sending took from then to then, in CLOCK_MONOTONIC nanoseconds.
    mutating func flushed(from start: UInt64, to end: UInt64) {
        let taken = end &- start
        guard taken >= FlushPace.briefNanoseconds else { return }
        let (pause, overflow) = taken.multipliedReportingOverflow(by: FlushPace.pauseInTurns)
        notBefore =
            end
            &+ (overflow ? FlushPace.longestPauseNanoseconds : min(pause, FlushPace.longestPauseNanoseconds))
    }

    /// How long the next turn has to wait from now; nil when it may be at once.
    func pause(at now: UInt64) -> TimeAmount? {
        notBefore > now ? .nanoseconds(Int64(clamping: notBefore - now)) : nil
    }
}
