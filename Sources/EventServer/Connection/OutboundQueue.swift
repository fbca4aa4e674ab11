internal import NIOCore
internal import SwipeProtocol

/// What waits for one connection: whole lines, in order, within limits.
struct OutboundQueue {
    private var deliveries = CircularBuffer<Delivery>()
    /// How much of the first line the socket has taken.
    private var sentOfFirst = 0
    private(set) var bytes = 0
    /// Replayed events that the limit on their number leaves out of account: they are references to lines that the
    /// ring holds anyway.
    private var exempt = 0

    var isEmpty: Bool { deliveries.isEmpty }
    var count: Int { deliveries.count }
    /// Whether the socket has taken a part of a line, so that nothing else may follow it.
    var isInsideLine: Bool { sentOfFirst > 0 }

    func hasRoom(for delivery: Delivery, within limits: ServerLimits) -> Bool {
        deliveries.count < limits.queueEvents + exempt && bytes + delivery.line.count <= limits.queueBytes
    }

    mutating func append(_ delivery: Delivery, isExempt: Bool = false) {
        deliveries.append(delivery)
        bytes += delivery.line.count
        if isExempt { exempt += 1 }
    }

    /// The unsent bytes of the lines at the front, for one system call. Valid until the queue is changed.
    func withFrontLines<Result>(
        maximum: Int, _ body: (_ index: Int, UnsafeRawBufferPointer) -> Void, then: (Int) -> Result
    ) -> Result {
        var lines = 0
        for delivery in deliveries.prefix(maximum) {
            let skipped = lines == 0 ? sentOfFirst : 0
            body(lines, UnsafeRawBufferPointer(rebasing: delivery.line.unsafeBytes[skipped...]))
            lines += 1
        }
        return then(lines)
    }

    /// The socket took that many bytes.
    mutating func advance(_ count: Int) {
        bytes -= count
        sentOfFirst += count
        while let first = deliveries.first, sentOfFirst >= first.line.count {
            sentOfFirst -= first.line.count
            deliveries.removeFirst()
        }
        if deliveries.isEmpty { exempt = 0 }
    }

    /// The unsent part of the first line, which leaves the queue.
    mutating func takeFirst() -> (line: EncodedLine, skipped: Int)? {
        guard let first = deliveries.popFirst() else { return nil }
        let skipped = sentOfFirst
        bytes -= first.line.count - skipped
        sentOfFirst = 0
        return (first.line, skipped)
    }

    mutating func removeAll() {
        deliveries.removeAll(keepingCapacity: false)
        sentOfFirst = 0
        bytes = 0
        exempt = 0
    }

    /// Leaves out every state that a later event in the queue replaces, and puts one `gap` where each run was.
    /// Returns how many events went.
    mutating func coalesce(gap: (_ from: UInt64, _ to: UInt64) -> Delivery) -> Int {
        var newest: Set<StateKey> = []
        var isKept = [Bool](repeating: true, count: deliveries.count)
        for (index, delivery) in zip(deliveries.indices, deliveries).reversed() {
            guard let state = delivery.state else { continue }
            let position = deliveries.distance(from: deliveries.startIndex, to: index)
            // A line that has begun must end.
            if !newest.insert(state).inserted && !(position == 0 && isInsideLine) { isKept[position] = false }
        }
        return rebuild(keeping: isKept, gap: gap)
    }

    private mutating func rebuild(keeping isKept: [Bool], gap: (UInt64, UInt64) -> Delivery) -> Int {
        var kept = CircularBuffer<Delivery>(initialCapacity: deliveries.count)
        var run: (from: UInt64, to: UInt64)?
        var removed = 0
        for (delivery, keep) in zip(deliveries, isKept) {
            if keep {
                if let ended = run { kept.append(gap(ended.from, ended.to)) }
                run = nil
                kept.append(delivery)
            } else if let sequence = delivery.sequence {
                run = (run?.from ?? sequence, sequence)
                removed += 1
            }
        }
        // The newest of each key is kept, so no run is open here.
        deliveries = kept
        bytes = kept.reduce(0) { $0 + $1.line.count } - sentOfFirst
        return removed
    }
}
