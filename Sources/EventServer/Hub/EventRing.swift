internal import NIOCore
internal import SwipeProtocol

/// The latest events, for clients that come back. Only states are kept; of a swipe only that it happened.
struct EventRing {
    struct Entry {
        var sequence: UInt64
        var kind: EventKinds
        var reader: String?
        /// The line; nil for what is never kept.
        var delivery: Delivery?
    }

    private let capacity: Int
    private var entries = CircularBuffer<Entry>()

    init(capacity: Int) { self.capacity = max(1, capacity) }

    mutating func append(_ entry: Entry) {
        if entries.count == capacity { entries.removeFirst() }
        entries.append(entry)
    }

    /// What came after that event; nil when that is not all there any more.
    func entries(after sequence: UInt64, upTo latest: UInt64) -> [Entry]? {
        guard sequence <= latest else { return nil }
        guard sequence < latest else { return [] }
        guard let first = entries.first, first.sequence <= sequence + 1 else { return nil }
        return entries.filter { $0.sequence > sequence }
    }
}
