/// Connections that are no page yet: between their first byte and a WebSocket or a stream of events.
struct Lobby {
    private struct Guest {
        var number: UInt64
        var connection: WebConnection
        var since: UInt64
        var hasAsked = false
    }

    /// In the order in which they came.
    private var guests: [Guest] = []

    static let maximum = 128
    /// How long one may be without a request, in nanoseconds.
    static let patience: UInt64 = 10_000_000_000

    /// Lets one in; returns the one that makes room for it.
    mutating func enter(_ connection: WebConnection, _ number: UInt64, at now: UInt64) -> WebConnection? {
        guests.append(Guest(number: number, connection: connection, since: now))
        return guests.count > Self.maximum ? guests.removeFirst().connection : nil
    }

    mutating func asked(_ number: UInt64, at now: UInt64) {
        guard let index = guests.firstIndex(where: { $0.number == number }) else { return }
        guests[index].since = now
        guests[index].hasAsked = true
    }

    mutating func leave(_ number: UInt64) { guests.removeAll { $0.number == number } }

    /// Those that have waited too long, and whether they ever asked.
    mutating func late(at now: UInt64) -> [(WebConnection, Bool)] {
        let late = guests.filter { now - $0.since > Self.patience }
        guests.removeAll { now - $0.since > Self.patience }
        return late.map { ($0.connection, $0.hasAsked) }
    }
}
