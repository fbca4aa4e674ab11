/// How many complaints about a reader the log takes.
///
/// A device that sends nonsense, or a line at another speed, makes hundreds in a second. The journal takes so many lines of a whole
/// service and no more: they would push out what it says of other readers. All are counted (`communication_errors`).
struct ComplaintLimit: Sendable {
    static let atOnce = 200
    /// How long it takes until there is room for one more.
    static let interval = Duration.seconds(3)
    /// More than a daemon ever has; what was known is forgotten then.
    static let maximumReaders = 256

    private struct Room {
        var left = ComplaintLimit.atOnce
        var filledAt: ContinuousClock.Instant
        var leftOut = 0
    }

    private var rooms: [String: Room] = [:]

    /// Takes one about a reader.
    ///
    /// - Returns: how many were left out before it; nil where this one is left out too.
    mutating func take(_ reader: String, at now: ContinuousClock.Instant) -> Int? {
        if rooms.count >= Self.maximumReaders, rooms[reader] == nil { rooms = [:] }
        var room = rooms[reader] ?? Room(filledAt: now)
        defer { rooms[reader] = room }
        let gained = min((now - room.filledAt) / Self.interval, Double(Self.atOnce))
        if gained >= 1 {
            room.left = min(Self.atOnce, room.left + Int(gained))
            room.filledAt = now
        }
        guard room.left > 0 else {
            room.leftOut += 1
            return nil
        }
        room.left -= 1
        defer { room.leftOut = 0 }
        return room.leftOut
    }

    /// How many about a reader were left out and not told of yet; they count as told now.
    mutating func untold(_ reader: String) -> Int {
        defer { rooms[reader]?.leftOut = 0 }
        return rooms[reader]?.leftOut ?? 0
    }
}
