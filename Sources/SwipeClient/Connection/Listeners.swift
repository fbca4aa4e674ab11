internal import SwipeProtocol

/// The streams of a client, and which of them what arrives is for.
struct Listeners {
    typealias ID = ObjectIdentifier

    /// A stream that is told of the readers, and the swipes that came before.
    struct Informed {
        var buffer: EventBuffer
        var early: [EventStream.Arrival]
    }

    private var all: [ID: Listener] = [:]
    /// For whom the subscriptions with `since` are that are being answered, the oldest first.
    private var replays: [Set<ID>] = []

    var isEmpty: Bool { all.isEmpty }
    var buffers: [EventBuffer] { all.values.map(\.buffer) }

    /// What all of them want; nil where nobody asks for anything.
    var interest: Interest? {
        let asking = all.values.filter(\.asks)
        guard !asking.isEmpty else { return nil }
        return asking.reduce(into: Interest()) { $0.add($1.buffer.kinds, of: $1.buffer.readers) }
    }

    // MARK: Who is there

    /// Adds a stream, or lets one that only waited ask; whether it has to be told of the readers.
    mutating func add(_ buffer: EventBuffer, asks: Bool) -> Bool {
        guard let known = all[ID(buffer)] else {
            all[ID(buffer)] = Listener(buffer, asks: asks)
            return asks
        }
        if asks, !known.asks { all[ID(buffer)]?.asks = true }
        return false
    }

    @discardableResult
    mutating func remove(_ id: ID) -> EventBuffer? { all.removeValue(forKey: id)?.buffer }

    // MARK: After an interruption

    /// Those that go on where they were, or asked for a replay.
    var returning: Set<ID> { ids { $0.asks && ($0.isInformed || $0.isReplaying) } }
    /// Those that begin.
    var beginning: Set<ID> { ids { $0.asks && !$0.isInformed && !$0.isReplaying } }
    /// Whether any of them was told something before.
    var isAnyInformed: Bool { all.values.contains { $0.asks && $0.isInformed } }
    /// Where the replays stopped that were not at their end.
    var replaysFrom: UInt64? { all.values.filter(\.isReplaying).map(\.seen).min() }

    private func ids(_ condition: (Listener) -> Bool) -> Set<ID> {
        Set(all.filter { condition($0.value) }.keys)
    }

    /// Another run of the daemon counts from 1 again.
    mutating func forgetNumbers() { for id in all.keys { all[id]?.seen = 0 } }

    mutating func interrupted() { replays = [] }

    // MARK: What arrives

    mutating func replayBegins(for targets: Set<ID>) { replays.append(targets) }

    mutating func replayEnded() {
        guard !replays.isEmpty else { return }
        for id in replays.removeFirst() { all[id]?.isReplaying = false }
    }

    /// The streams that an event is for.
    mutating func takers(of arrival: EventStream.Arrival) -> [EventBuffer] {
        if case .gap(_, let to, let reason) = arrival.event.body, reason.answersSince,
            let targets = replays.first
        {
            // Told before the answer, too: it is not for the others, who have missed nothing.
            return targets.compactMap { all[$0] }.filter { $0.lacks(upTo: to) }.map(\.buffer)
        }
        return all.keys.compactMap { id in all[id]?.takes(arrival) == true ? all[id]?.buffer : nil }
    }

    /// The streams of these that are still there are told of the readers as they were after that event.
    mutating func inform(_ targets: Set<ID>, at sequence: UInt64) -> [Informed] {
        targets.compactMap { id in
            guard let buffer = all[id]?.buffer else { return nil }
            return Informed(buffer: buffer, early: all[id]?.inform(at: sequence) ?? [])
        }
    }
}

extension GapReason {
    /// Whether it is what a subscription with `since` is answered with.
    fileprivate var answersSince: Bool {
        switch self {
        case .restart, .ring, .notKept: true
        case .coalesced, .tooLong, .unrecognized: false
        }
    }
}
