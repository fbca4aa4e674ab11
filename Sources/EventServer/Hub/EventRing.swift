internal import NIOCore
internal import SwipeProtocol

/// The latest events, for clients that come back. Only states are kept; of a swipe only that it happened.
///
/// Claims do not count, and stand together where they follow each other: a client that claims and releases without end
/// leaves the others' events where they are.
struct EventRing {
    struct Entry {
        /// The first and the last number that it stands for.
        private(set) var first: UInt64
        private(set) var sequence: UInt64
        private(set) var kinds: EventKinds
        private var reader: String?
        /// Further readers, where claims stand together.
        private var others: Set<String> = []
        /// The line; nil for what is never kept.
        let delivery: Delivery?

        init(sequence: UInt64, kind: EventKind, reader: String?, delivery: Delivery?) {
            first = sequence
            self.sequence = sequence
            kinds = EventKinds(kind)
            self.reader = reader
            self.delivery = delivery
        }

        private static let claims = EventKinds([.claimRequested, .claimReleased])

        fileprivate var isOfClaims: Bool { kinds.isSubset(of: Self.claims) }

        /// Stands for the next event as well.
        fileprivate mutating func take(in next: Entry) {
            sequence = next.sequence
            kinds.formUnion(next.kinds)
            if let other = next.reader, other != reader { others.insert(other) }
        }

        /// Whether it concerns any of these readers.
        func concerns(_ readers: Set<String>) -> Bool {
            guard let reader else { return true }
            return readers.contains(reader) || !others.isDisjoint(with: readers)
        }
    }

    private let capacity: Int
    private var entries = CircularBuffer<Entry>()
    /// Entries other than those of claims, of which there is at most one more.
    private var counted = 0

    init(capacity: Int) { self.capacity = max(1, capacity) }

    mutating func append(_ entry: Entry) {
        if entry.isOfClaims, let last = entries.indices.last, entries[last].isOfClaims {
            return entries[last].take(in: entry)
        }
        if !entry.isOfClaims { counted += 1 }
        entries.append(entry)
        while counted > capacity, let oldest = entries.popFirst() {
            if !oldest.isOfClaims { counted -= 1 }
        }
    }

    /// What came after that event; nil when that is not all there any more.
    func entries(after sequence: UInt64, upTo latest: UInt64) -> [Entry]? {
        guard sequence <= latest else { return nil }
        guard sequence < latest else { return [] }
        guard let first = entries.first, first.first <= sequence + 1 else { return nil }
        return entries.filter { $0.sequence > sequence }
    }
}
