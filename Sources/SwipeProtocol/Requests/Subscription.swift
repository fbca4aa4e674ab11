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

extension Subscription {
    /// Stands for all events, or all readers.
    static let wildcard = "*"

    init(_ parameters: inout Parameters) throws(ErrorReply) {
        if let names = try parameters.names("events", maximum: EventKind.allCases.count * 2) {
            var kinds: EventKinds = []
            for name in names {
                guard let kind = EventKind(rawValue: name) else {
                    throw ErrorReply(.parameterInvalid, "events: there is no event '\(name.prefix(40))'")
                }
                kinds.formUnion(EventKinds(kind))
            }
            events = kinds
        } else {
            events = .all
        }
        readers = try parameters.names("readers", maximum: ProtocolLimits.readersNamed).map { Set($0) }
        wantsSnapshot = try parameters.bool("snapshot") ?? false
        since = nil
        if var point = try parameters.object("since") {
            since = Point(
                instance: try point.requiredString("instance"),
                sequence: UInt64(try point.requiredInteger("seq", in: 0...Int64.max)))
            try point.finish()
        }
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        if events != .all { writer.field("events", events.kinds) }
        if let readers { writer.field("readers", readers.sorted()) }
        writer.field("snapshot", wantsSnapshot)
        if let since {
            writer.name("since")
            writer.beginObject()
            writer.field("instance", since.instance)
            writer.field("seq", since.sequence)
            writer.endObject()
        }
        writer.endObject()
    }
}
