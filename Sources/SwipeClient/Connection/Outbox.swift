internal import SwipeProtocol

/// Requests that are on their way to the daemon, in order.
///
/// Writing never waits: a daemon whose answers are not read reads no further requests (docs/protocol.md, Limits), so
/// whoever waited for it to read would wait for ever. What the socket does not take stays here while answers are read.
struct Outbox {
    /// A daemon that takes nothing for so long is none.
    private static let patience = Duration.seconds(10)

    private var lines: [EncodedLine] = []
    /// Everything before it was sent.
    private var first = 0
    /// How much of the first line was sent.
    private var sentOfFirst = 0
    /// By when the socket has to have taken something; nil while nothing waits.
    private(set) var deadline: UInt64?

    var isEmpty: Bool { first == lines.count }

    mutating func append(_ more: [EncodedLine]) { lines += more }

    /// Writes what the socket takes; false when the peer is gone, or takes nothing any more.
    mutating func write(to socket: borrowing UnixSocket) -> Bool {
        var hasMoved = false
        while !isEmpty {
            let line = lines[first]
            let count = line.withBytes { bytes in
                socket.write(UnsafeRawBufferPointer(rebasing: bytes[sentOfFirst...]))
            }
            guard let count else { return false }
            guard count > 0 else { return waits(hasMoved) }
            hasMoved = true
            sentOfFirst += count
            if sentOfFirst == line.count {
                first += 1
                sentOfFirst = 0
            }
        }
        self = Outbox()
        return true
    }

    /// The socket is full: whether it may still be so.
    private mutating func waits(_ hasMoved: Bool) -> Bool {
        lines.removeFirst(first)
        first = 0
        let now = SystemTime.now()
        if hasMoved || deadline == nil { deadline = SystemTime.deadline(after: Outbox.patience) }
        return deadline.map { now < $0 } ?? true
    }
}
