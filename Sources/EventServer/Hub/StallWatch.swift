/// A client whose socket can be full.
protocol Stallable: AnyObject {
    var isBlocked: Bool { get }
    /// Whether nothing whole was delivered to it for so many nanoseconds by then.
    func hasStalled(at now: UInt64, for nanoseconds: UInt64) -> Bool
}

/// Which clients have a full socket, and since when too long. It decides; the hub acts.
struct StallWatch<Client: Stallable> {
    private var blocked: [Client] = []
    private var isLookDue = false

    /// A client's socket is full. Returns whether a look is to be scheduled.
    mutating func add(_ client: Client) -> Bool {
        if !blocked.contains(where: { $0 === client }) { blocked.append(client) }
        return needsLook()
    }

    mutating func remove(_ client: Client) { blocked.removeAll { $0 === client } }

    /// The scheduled look: the clients that are to be cut off. ``needsLook()`` says then whether to look again.
    mutating func look(at now: UInt64, allowing nanoseconds: UInt64) -> [Client] {
        isLookDue = false
        blocked.removeAll { !$0.isBlocked }
        return blocked.filter { $0.hasStalled(at: now, for: nanoseconds) }
    }

    /// Whether a look is to be scheduled, and none is yet.
    mutating func needsLook() -> Bool {
        guard !blocked.isEmpty, !isLookDue else { return false }
        isLookDue = true
        return true
    }
}
