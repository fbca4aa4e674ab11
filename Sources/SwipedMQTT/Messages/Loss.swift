internal import SwipeProtocol

/// Swipes that no application got, or may not have got: each is counted, and told in a message.
struct Loss: Sendable, Hashable {
    /// Why.
    enum Reason: String, Sendable, Hashable, CaseIterable {
        /// More waited for the broker than there is room for; the oldest went.
        case queueFull = "queue_full"
        /// It waited for the broker until nobody wanted it any more.
        case expired
        /// The broker did not take it: its rules, or its limits.
        case refused
        /// Another run of the daemon: what happened before it is not known.
        case restart
        /// The daemon kept its number alone, or not even that, while nothing of ours was connected.
        case notKept = "not_kept"
        case ring
        /// A line of the daemon's was too long.
        case tooLong = "too_long"
        /// Why the daemon left something out is not recognised.
        case unrecognized
        /// This program was started anew, and the daemon was asked before the broker could say how far the last one had come.
        case bridgeRestart = "bridge_restart"

        /// Nil where the daemon leaves nothing out that anybody could miss.
        init?(_ gap: GapReason) {
            switch gap {
            case .restart: self = .restart
            case .ring: self = .ring
            case .notKept: self = .notKept
            case .tooLong: self = .tooLong
            case .coalesced: return nil
            case .unrecognized: self = .unrecognized
            }
        }

        /// Whether it is known which swipes, and not only which numbers, of which some may be other events'.
        var isExact: Bool {
            switch self {
            case .queueFull, .expired, .refused: true
            case .restart, .notKept, .ring, .tooLong, .unrecognized, .bridgeRestart: false
            }
        }
    }

    var reason: Reason
    var count: UInt64
    /// The run of the daemon, and the first and last number; nil where they are not known.
    var instance: String?
    var from: UInt64?
    var to: UInt64?

    /// One number, or a range of them.
    init(_ reason: Reason, instance: String?, from: UInt64?, to: UInt64?, count: UInt64? = nil) {
        self.reason = reason
        self.instance = instance
        (self.from, self.to) = (from, to)
        let range = from.flatMap { from in to.map { to in to >= from ? to - from + 1 : 0 } }
        self.count = count ?? range ?? 0
    }

    /// Takes in another loss for the same reason.
    mutating func merge(_ other: Loss) {
        count += other.count
        guard instance == other.instance, let from, let to, let otherFrom = other.from, let otherTo = other.to
        else {
            (instance, from, to) = (nil, nil, nil)
            return
        }
        (self.from, self.to) = (min(from, otherFrom), max(to, otherTo))
    }
}

/// The losses since the start, and those that the broker has not been told of.
struct LossLedger: Sendable {
    /// One that is to be told, under an id by which an application can drop its second copy.
    struct Entry: Sendable, Hashable {
        var number: UInt64
        var loss: Loss
        /// It was handed to a connection: an application may have it, and would drop as a copy what says more under its number.
        var isSaid = false
    }

    private(set) var totals: [Loss.Reason: UInt64] = [:]
    private var waiting: [Entry] = []
    private var lastNumber: UInt64 = 0

    /// More are put together, whatever run of the daemon they are of. Beside them wait those that were said and not confirmed, as many
    /// as are on their way at once (``Outbox/window``) at most.
    static let maximumWaiting = 32

    var isEmpty: Bool { waiting.isEmpty }
    /// The first numbers of those that wait.
    var firsts: [(instance: String?, from: UInt64?)] {
        waiting.map { ($0.loss.instance, $0.loss.from) }
    }

    mutating func add(_ loss: Loss) {
        totals[loss.reason, default: 0] += loss.count
        let isFull = waiting.count { !$0.isSaid } >= Self.maximumWaiting
        let index = waiting.lastIndex {
            !$0.isSaid && $0.loss.reason == loss.reason && (isFull || $0.loss.instance == loss.instance)
        }
        if let index { return waiting[index].loss.merge(loss) }
        lastNumber += 1
        waiting.append(Entry(number: lastNumber, loss: loss))
    }

    mutating func takeFirst() -> Entry? { waiting.isEmpty ? nil : waiting.removeFirst() }

    /// The broker did not say that it has it.
    mutating func giveBack(_ entry: Entry) {
        var entry = entry
        entry.isSaid = true
        waiting.insert(entry, at: 0)
    }
}
