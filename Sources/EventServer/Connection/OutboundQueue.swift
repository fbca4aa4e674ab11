internal import SwipeProtocol

/// What waits for one connection: whole lines, in order, within limits.
struct OutboundQueue {
    /// Nil before `first`: what has been sent is let go of at once, since it may be card data.
    private var deliveries: [Delivery?] = []
    private var first = 0
    /// Lines that the socket has taken whole, since the connection began.
    private(set) var linesTaken: UInt64 = 0
    /// How much of the first line the socket has taken.
    private var sentOfFirst = 0
    private(set) var bytes = 0
    /// Replayed events that the limit on their number leaves out of account: they are references to lines that the
    /// ring holds anyway.
    private(set) var exempt = 0

    /// An empty queue keeps room for so many lines; a thousand idle connections must not keep what one burst took.
    private static let idleCapacity = 16

    var isEmpty: Bool { first == deliveries.count }
    var count: Int { deliveries.count - first }
    /// Whether the socket has taken a part of a line, so that nothing else may follow it.
    var isInsideLine: Bool { sentOfFirst > 0 }

    func hasRoom(for delivery: Delivery, within limits: ServerLimits) -> Bool {
        count < limits.queueEvents + exempt && bytes + delivery.line.count <= limits.queueBytes
    }

    mutating func append(_ delivery: Delivery, isExempt: Bool = false) {
        delivery.receipt?.queued()
        deliveries.append(delivery)
        bytes += delivery.line.count
        if isExempt { exempt += 1 }
    }

    /// Since when the oldest line with a card waits; nil where there is none.
    var oldestCard: UInt64? { deliveries[first...].lazy.compactMap { $0?.madeAt }.first }

    /// The unsent bytes of the lines at the front, for one system call. Valid until the queue is changed.
    func withFrontLines<Result>(
        maximum: Int, _ body: (_ index: Int, UnsafeRawBufferPointer) -> Void, then: (Int) -> Result
    ) -> Result {
        var lines = 0
        for delivery in deliveries[first...].prefix(maximum) {
            guard let delivery else { continue }
            let skipped = lines == 0 ? sentOfFirst : 0
            body(lines, UnsafeRawBufferPointer(rebasing: delivery.line.unsafeBytes[skipped...]))
            lines += 1
        }
        return then(lines)
    }

    /// The first byte that the socket has not taken.
    var nextByte: UInt8? {
        isEmpty ? nil : deliveries[first].map { $0.line.unsafeBytes[sentOfFirst] }
    }

    /// The socket took that many bytes.
    mutating func advance(_ count: Int) {
        bytes -= count
        sentOfFirst += count
        while !isEmpty, let delivery = deliveries[first], sentOfFirst >= delivery.line.count {
            sentOfFirst -= delivery.line.count
            delivery.receipt?.taken()
            linesTaken &+= 1
            deliveries[first] = nil
            first += 1
        }
        if isEmpty { reset() }
    }

    /// Throws everything away, also a line that has begun.
    mutating func removeAll() {
        let thrownAway = deliveries[first...]
        reset()
        for delivery in thrownAway { delivery?.receipt?.lost() }
    }

    /// Throws everything away but the line that has begun.
    mutating func removeWhatHasNotBegun() {
        let thrownAway = deliveries[(isInsideLine ? first + 1 : first)...]
        let begun = isInsideLine ? deliveries[first] : nil
        let sent = sentOfFirst
        reset()
        if let begun {
            deliveries.append(begun)
            sentOfFirst = sent
            bytes = begun.line.count - sent
        }
        for delivery in thrownAway { delivery?.receipt?.lost() }
    }

    private mutating func reset() {
        deliveries.removeAll(keepingCapacity: deliveries.capacity <= OutboundQueue.idleCapacity)
        first = 0
        sentOfFirst = 0
        bytes = 0
        exempt = 0
    }

    /// Leaves out every state that a later event in the queue replaces, and puts one `gap` where each run was.
    /// Returns how many events went.
    mutating func coalesce(gap: (_ from: UInt64, _ to: UInt64) -> Delivery) -> Int {
        let waiting = deliveries[first...].compactMap(\.self)
        var newest: Set<StateKey> = []
        var isKept = [Bool](repeating: true, count: waiting.count)
        for index in waiting.indices.reversed() {
            guard let state = waiting[index].state else { continue }
            // The first line may have begun, and must end then.
            if !newest.insert(state).inserted && index > 0 { isKept[index] = false }
        }
        return rebuild(waiting, keeping: isKept, gap: gap)
    }

    private mutating func rebuild(
        _ waiting: [Delivery], keeping isKept: [Bool], gap: (UInt64, UInt64) -> Delivery
    ) -> Int {
        var kept: [Delivery?] = []
        var run: (from: UInt64, to: UInt64)?
        var removed = 0
        for (delivery, keep) in zip(waiting, isKept) {
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
        first = 0
        bytes = kept.reduce(0) { $0 + ($1?.line.count ?? 0) } - sentOfFirst
        return removed
    }
}
