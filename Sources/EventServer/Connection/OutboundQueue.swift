internal import SwipeProtocol

/// What waits for one connection: whole lines, in order, within limits.
struct OutboundQueue {
    private struct Waiting {
        var delivery: Delivery
        /// Whether it is of a replay, which the limits do not count: such lines are references to what the ring holds
        /// anyway.
        var isExempt: Bool
        /// For a `gap` that coalescing has put there: which numbers it names.
        var gap: ClosedRange<UInt64>?
    }

    /// Nil before `first`: what has been sent is let go of at once, since it may be card data. Its places are given up when
    /// they are half of all, or the queue of a client that never catches up would grow with every line.
    private var waiting: [Waiting?] = []
    private var first = 0
    /// Lines that were delivered since the connection began.
    private(set) var linesTaken: UInt64 = 0
    /// What became of lines with receipts, since the owner asked last.
    private var fates: [SwipeCustody.Fate] = []
    /// How much of the first line is in the socket.
    private var sentOfFirst = 0
    private(set) var bytes = 0
    /// Replayed lines that wait, and how many bytes they have, sent or not.
    private(set) var exempt = 0
    private var exemptBytes = 0

    /// An empty queue keeps room for so many lines; a thousand idle connections must not keep what one burst took.
    private static let idleCapacity = 16
    /// So many places of lines that are sent are not worth moving the others up.
    static let sentPlacesKept = 64

    var isEmpty: Bool { first == waiting.count }
    var count: Int { waiting.count - first }
    /// Places that the queue has, including those of lines that are sent.
    var places: Int { waiting.count }
    /// What the limits are about: lines and bytes that are of no replay. A line counts until all of it is sent.
    var limitedCount: Int { count - exempt }
    var limitedBytes: Int { bytes + sentOfFirst - exemptBytes }
    /// Whether a part of a line is in the socket, so that nothing else may follow it.
    var isInsideLine: Bool { sentOfFirst > 0 }

    func hasRoom(for delivery: Delivery, within limits: ServerLimits) -> Bool {
        limitedCount < limits.queueEvents && limitedBytes + delivery.line.count <= limits.queueBytes
    }

    mutating func append(_ delivery: Delivery, isExempt: Bool = false) {
        append(Waiting(delivery: delivery, isExempt: isExempt))
    }

    private mutating func append(_ line: Waiting) {
        waiting.append(line)
        bytes += line.delivery.line.count
        guard line.isExempt else { return }
        exempt += 1
        exemptBytes += line.delivery.line.count
    }

    /// Since when the oldest line with a card waits; nil where there is none.
    var oldestCard: UInt64? { waiting[first...].lazy.compactMap { $0?.delivery.madeAt }.first }

    /// The unsent bytes of the lines at the front, for one system call. Valid until the queue is changed.
    func withFrontLines<Result>(
        maximum: Int, _ body: (_ index: Int, UnsafeRawBufferPointer) -> Void, then: (Int) -> Result
    ) -> Result {
        var lines = 0
        for line in waiting[first...].prefix(maximum) {
            guard let delivery = line?.delivery else { continue }
            let skipped = lines == 0 ? sentOfFirst : 0
            body(lines, UnsafeRawBufferPointer(rebasing: delivery.line.unsafeBytes[skipped...]))
            lines += 1
        }
        return then(lines)
    }

    /// The first byte that is not in the socket yet.
    var nextByte: UInt8? {
        isEmpty ? nil : waiting[first].map { $0.delivery.line.unsafeBytes[sentOfFirst] }
    }

    /// That many bytes went into the socket.
    mutating func advance(_ count: Int) {
        bytes -= count
        sentOfFirst += count
        while !isEmpty, let line = waiting[first], sentOfFirst >= line.delivery.line.count {
            sentOfFirst -= line.delivery.line.count
            if line.isExempt {
                exempt -= 1
                exemptBytes -= line.delivery.line.count
            }
            if let receipt = line.delivery.receipt { fates.append(.delivered(receipt)) }
            linesTaken &+= 1
            waiting[first] = nil
            first += 1
        }
        if isEmpty { reset() } else { giveUpPlaces() }
    }

    private mutating func giveUpPlaces() {
        guard first >= OutboundQueue.sentPlacesKept, first * 2 >= waiting.count else { return }
        waiting.removeFirst(first)
        first = 0
    }

    /// Drops everything, also a line that has begun.
    mutating func removeAll() {
        lose(waiting[first...])
        reset()
    }

    /// Drops everything except the line that has begun.
    mutating func removeWhatHasNotBegun() {
        lose(waiting[(isInsideLine ? first + 1 : first)...])
        let begun = isInsideLine ? waiting[first] : nil
        let sent = sentOfFirst
        reset()
        if let begun {
            append(begun)
            sentOfFirst = sent
            bytes -= sent
        }
    }

    private mutating func lose(_ lines: ArraySlice<Waiting?>) {
        for line in lines {
            if let receipt = line?.delivery.receipt { fates.append(.lost(receipt)) }
        }
    }

    /// What became of lines with receipts since the last call.
    mutating func takeFates() -> [SwipeCustody.Fate] {
        guard !fates.isEmpty else { return [] }
        defer { fates = [] }
        return fates
    }

    private mutating func reset() {
        waiting.removeAll(keepingCapacity: waiting.capacity <= OutboundQueue.idleCapacity)
        first = 0
        sentOfFirst = 0
        bytes = 0
        exempt = 0
        exemptBytes = 0
    }

    /// Leaves out every state that a later event in the queue replaces, and puts one `gap` where each run was.
    /// Returns how many events went.
    ///
    /// However often it is called, what is left of states are the newest of each reader and one `gap` before each of
    /// them: a `gap` that an earlier call has left goes into the run next to it.
    ///
    /// - Parameter connection: whose queue it is; how the claims of other connections ended is one matter to it.
    mutating func coalesce(
        for connection: UInt64, gap: (_ from: UInt64, _ to: UInt64) -> Delivery
    ) -> Int {
        let lines = waiting[first...].compactMap(\.self)
        var newest = NewestStates(connection: connection)
        var isKept = [Bool](repeating: true, count: lines.count)
        for index in lines.indices.reversed() {
            guard let state = lines[index].delivery.state else { continue }
            // The first line may have begun, and must end then.
            if !newest.insert(state) && index > 0 { isKept[index] = false }
        }
        return rebuild(lines, keeping: isKept, gap: gap)
    }

    private mutating func rebuild(
        _ lines: [Waiting], keeping isKept: [Bool], gap: (UInt64, UInt64) -> Delivery
    ) -> Int {
        let sent = sentOfFirst
        reset()
        var run: (numbers: ClosedRange<UInt64>, isExempt: Bool)?
        var removed = 0
        func endRun() {
            guard let (numbers, isExempt) = run else { return }
            let line = gap(numbers.lowerBound, numbers.upperBound)
            append(Waiting(delivery: line, isExempt: isExempt, gap: numbers))
            run = nil
        }
        func leaveOut(_ numbers: ClosedRange<UInt64>, _ isExempt: Bool) {
            // A replay that was asked for meanwhile begins again at lower numbers.
            guard let open = run, open.numbers.upperBound < numbers.lowerBound else {
                endRun()
                return run = (numbers, isExempt)
            }
            run = (open.numbers.lowerBound...numbers.upperBound, open.isExempt && isExempt)
        }
        for (index, line) in lines.enumerated() {
            if let left = line.gap, index > 0 {
                leaveOut(left, line.isExempt)
            } else if isKept[index] {
                endRun()
                append(line)
            } else if let sequence = line.delivery.sequence {
                leaveOut(sequence...sequence, line.isExempt)
                removed += 1
            }
        }
        endRun()
        sentOfFirst = sent
        bytes -= sent
        return removed
    }
}
