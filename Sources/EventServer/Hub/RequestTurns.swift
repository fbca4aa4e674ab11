internal import NIOCore

/// Whose requests are answered next, and how much of the loop's time that may take.
///
/// Events must not wait for clients that ask without end, nor those that ask now and then. So answering has a share of
/// the loop's time, in which clients take turns of a few lines each; who has not had a turn for a while comes first.
/// Measured in docs/performance-server.md.
struct RequestTurns {
    /// Of this time answering may have the second; what is left is for events and for reading what clients send.
    static let windowNanoseconds: UInt64 = 300_000
    static let shareNanoseconds: UInt64 = 250_000
    /// What is paid off of one long turn: in 2.4 ms every event that waits is given out, and who asks now and then must not
    /// wait for longer than that.
    static let longestDebt = 8 * shareNanoseconds
    /// Who has had no turn for so long asks now and then.
    static let sparseNanoseconds: UInt64 = 5_000_000

    private var sparse = CircularBuffer<ConnectionHandler>()
    private var busy = CircularBuffer<ConnectionHandler>()
    private var windowBegan: UInt64 = 0
    private var spent: UInt64 = 0

    var isEmpty: Bool { sparse.isEmpty && busy.isEmpty }

    static func isSparse(lastTurn: UInt64, at now: UInt64) -> Bool { now &- lastTurn >= sparseNanoseconds }

    mutating func append(_ connection: ConnectionHandler, isSparse: Bool) {
        if isSparse { sparse.append(connection) } else { busy.append(connection) }
    }

    mutating func next() -> ConnectionHandler? { sparse.popFirst() ?? busy.popFirst() }

    /// How long answering has to wait, in CLOCK_MONOTONIC nanoseconds; nil where it may go on.
    ///
    /// A turn may take longer than a window has: four replays of a thousand events each do. What it took too much is
    /// paid off by the windows that follow, or those who ask so would have all of the loop's time.
    mutating func pause(at now: UInt64) -> UInt64? {
        let (window, share) = (RequestTurns.windowNanoseconds, RequestTurns.shareNanoseconds)
        let windows = (now &- windowBegan) / window
        if windows > 0 {
            windowBegan = now
            // The windows that a turn took itself have paid their share of it.
            spent = min(spent - min(spent, min(windows, spent / share + 1) * share), RequestTurns.longestDebt)
        }
        guard spent >= share else { return nil }
        // Until as many windows have passed as there are shares to pay off.
        return spent / share * window - (now &- windowBegan)
    }

    mutating func spend(from start: UInt64, to end: UInt64) { spent &+= end &- start }
}
