/// A share of the loop's time, in nanoseconds of CLOCK_MONOTONIC, for something that could take all of it.
///
/// A turn may take longer than a window has: what it took too much is paid off by the windows that follow.
struct TimeShare {
    /// Of this time, so much.
    let window: UInt64
    let share: UInt64
    /// What is paid off of one long turn.
    let longestDebt: UInt64

    private var windowBegan: UInt64 = 0
    private var spent: UInt64 = 0

    init(_ share: UInt64, of window: UInt64, longestDebt: UInt64) {
        self.window = window
        self.share = share
        self.longestDebt = longestDebt
    }

    /// How long to wait; nil where it may go on.
    mutating func pause(at now: UInt64) -> UInt64? {
        let windows = (now &- windowBegan) / window
        if windows > 0 {
            windowBegan = now
            // The windows that a turn took itself have paid their share of it.
            spent = min(spent - min(spent, min(windows, spent / share + 1) * share), longestDebt)
        }
        guard spent >= share else { return nil }
        // Until as many windows have passed as there are shares to pay off.
        return spent / share * window - (now &- windowBegan)
    }

    mutating func spend(from start: UInt64, to end: UInt64) { spent &+= end &- start }
}
