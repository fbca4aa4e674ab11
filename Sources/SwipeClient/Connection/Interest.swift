internal import SwipeProtocol

/// What a connection asks the daemon for: the kinds and the readers that anybody wants.
///
/// The protocol crosses kinds with readers. Two streams that want different kinds of different readers get a little
/// more than either asked for; what neither wants is dropped on arrival.
struct Interest: Hashable {
    private(set) var kinds: EventKinds = []
    /// Nil for all.
    private(set) var readers: Set<String>? = []

    mutating func add(_ kinds: EventKinds, of readers: Set<String>?) {
        self.kinds.formUnion(kinds)
        guard let readers else { return self.readers = nil }
        self.readers?.formUnion(readers)
    }

    func subscription(since: Subscription.Point?) -> Subscription {
        Subscription(
            events: kinds, readers: isNameable ? readers : nil, wantsSnapshot: true, since: since)
    }

    /// Whether the readers' names fit a request.
    private var isNameable: Bool {
        guard let readers else { return true }
        return readers.count <= ProtocolLimits.readersNamed
            && readers.reduce(0) { $0 + $1.utf8.count } <= ProtocolLimits.lineIn / 2
    }
}
