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
    private var time = TimeShare(shareNanoseconds, of: windowNanoseconds, longestDebt: longestDebt)

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
    mutating func pause(at now: UInt64) -> UInt64? { time.pause(at: now) }

    mutating func spend(from start: UInt64, to end: UInt64) { time.spend(from: start, to: end) }
}
