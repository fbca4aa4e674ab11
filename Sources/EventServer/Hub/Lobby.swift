internal import NIOCore

/// The connections that wait to be let in: one of each user in turn, in a share of the loop's time.
///
/// A channel costs as much as a hundred events. A user who connects without end must not take that time from the
/// connections that are in, nor from users who connect now and then. See
/// docs/decisions/0320-who-connects-takes-turns.md.
struct Lobby {
    /// Of this time letting in may have the second.
    static let windowNanoseconds: UInt64 = 300_000
    static let shareNanoseconds: UInt64 = 50_000
    /// What is paid off of one long turn.
    static let longestDebt = 8 * shareNanoseconds

    private var waiting: [UInt32: CircularBuffer<Guest>] = [:]
    private var users = CircularBuffer<UInt32>()
    private var share = TimeShare(shareNanoseconds, of: windowNanoseconds, longestDebt: longestDebt)

    var isEmpty: Bool { users.isEmpty }

    mutating func append(_ guest: Guest) {
        if waiting[guest.peer.uid] == nil { users.append(guest.peer.uid) }
        waiting[guest.peer.uid, default: CircularBuffer()].append(guest)
    }

    /// The first of the user whose turn it is; the user's next one comes after those of all other users.
    mutating func next() -> Guest? {
        guard let uid = users.popFirst(), let guest = waiting[uid]?.popFirst() else { return nil }
        if waiting[uid]?.isEmpty == false { users.append(uid) } else { waiting[uid] = nil }
        return guest
    }

    /// How long letting in has to wait, in nanoseconds; nil where it may go on.
    mutating func pause(at now: UInt64) -> UInt64? { share.pause(at: now) }

    mutating func spend(from start: UInt64, to end: UInt64) { share.spend(from: start, to: end) }
}
