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
    mutating func pause(at now: UInt64) -> UInt64? {
        let elapsed = now &- windowBegan
        guard elapsed < RequestTurns.windowNanoseconds else {
            windowBegan = now
            spent = 0
            return nil
        }
        return spent < RequestTurns.shareNanoseconds ? nil : RequestTurns.windowNanoseconds - elapsed
    }

    mutating func spend(from start: UInt64, to end: UInt64) { spent &+= end &- start }
}
