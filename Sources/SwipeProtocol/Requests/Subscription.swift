/// What a connection wants to hear of.
public struct Subscription: Sendable, Hashable {
    /// Where a stream was interrupted.
    public struct Point: Sendable, Hashable {
        /// The run of the daemon.
        public var instance: String
        /// The last event that was received of it.
        public var sequence: UInt64

        /// Where a stream was interrupted.
        public init(instance: String, sequence: UInt64) {
            self.instance = instance
            self.sequence = sequence
        }
    }

    /// Which events.
    public var events: EventKinds
    /// Which readers; nil for all. An id that nobody has yet is allowed.
    public var readers: Set<String>?
    /// Whether the answer lists the readers as they are.
    public var wantsSnapshot: Bool
    /// Where the last stream was interrupted.
    public var since: Point?

    /// What a connection wants to hear of.
    public init(
        events: EventKinds = .all, readers: Set<String>? = nil, wantsSnapshot: Bool = true,
        since: Point? = nil
    ) {
        self.events = events
        self.readers = readers
        self.wantsSnapshot = wantsSnapshot
        self.since = since
    }
}

extension Subscription: WireMembers {
    /// Stands for all events, or all readers.
    static let wildcard = "*"

    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        var kinds: EventKinds? = events == .all ? nil : events
        try fields.optional("events", &kinds, as: EventNames.self)
        if F.isReading { events = kinds ?? .all }
        try fields.optional("readers", &readers, as: ReaderNames.self)
        try fields.assumed("snapshot", &wantsSnapshot)
        try fields.optional("since", &since)
    }
}

extension Subscription.Point: WireObject {
    package static var blank: Subscription.Point { Subscription.Point(instance: "", sequence: 0) }

    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        try fields.required("instance", &instance, as: Name.self)
        try fields.required("seq", &sequence, as: EventNumber.self)
    }
}
