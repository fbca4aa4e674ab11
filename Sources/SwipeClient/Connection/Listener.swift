internal import SwipeProtocol

/// How far one stream has come.
struct Listener {
    let buffer: EventBuffer
    /// Whether it wants to be subscribed for; a claim's swipes are only asked for when somebody waits for them.
    var asks: Bool
    /// Whether it has been told which readers there are.
    var isInformed = false
    /// The last event that it could have had; another stream's replay repeats what is before it.
    var seen: UInt64 = 0
    /// Whether a replay that it asked for goes on.
    var isReplaying: Bool
    /// Swipes that came before it was told of the readers: they are never repeated.
    private var early: [EventStream.Arrival] = []

    private static let earlySwipes = 16

    init(_ buffer: EventBuffer, asks: Bool) {
        self.buffer = buffer
        self.asks = asks
        // Without readers to be told of there is nothing to wait for.
        isInformed = !asks
        isReplaying = asks && buffer.start != .now
    }

    /// Whether the event is for it and it has not had it.
    mutating func takes(_ arrival: EventStream.Arrival) -> Bool {
        let event = arrival.event
        guard isInformed else {
            if event.body.kind == .swipe, buffer.wants(event) { keep(arrival) }
            return false
        }
        if case .gap(_, let to, _) = event.body { return asks && lacks(upTo: to) }
        guard let sequence = event.sequence else { return buffer.wants(event) }
        // A swipe is never repeated; one that was held for us comes late, with its old number.
        guard sequence > seen || event.body.kind == .swipe else { return false }
        seen = max(seen, sequence)
        return buffer.wants(event)
    }

    /// Whether a gap that ends there is one for this stream. That of a restart has no numbers.
    func lacks(upTo sequence: UInt64) -> Bool { sequence == 0 || sequence > seen }

    /// It is being told of the readers as they were after that event: what it gets next.
    mutating func inform(at sequence: UInt64) -> [EventStream.Arrival] {
        isInformed = true
        seen = max(seen, sequence)
        defer { early = [] }
        return early
    }

    private mutating func keep(_ arrival: EventStream.Arrival) {
        if early.count == Listener.earlySwipes { early.removeFirst() }
        early.append(arrival)
    }
}
