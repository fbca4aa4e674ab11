/// One thing that happened, as one view of it sees it.
public struct Event: Sendable, Hashable {
    /// The event's number: dense in one instance of the daemon. Nil for what concerns this connection only.
    public var sequence: UInt64?
    /// When it happened, by the wall clock.
    public var time: WallTime
    /// When it happened, in nanoseconds of CLOCK_MONOTONIC.
    public var monotonicNanoseconds: UInt64
    /// The reader that it happened to; nil where it concerns none.
    public var reader: String?
    /// Which of the reader's attachments it belongs to; nil where it concerns none.
    public var attachment: UInt64?
    /// Whether the reader is a virtual one.
    public var isSimulated: Bool
    /// What happened.
    public var body: EventBody

    /// An event.
    public init(
        sequence: UInt64?, time: WallTime, monotonicNanoseconds: UInt64, reader: String? = nil,
        attachment: UInt64? = nil, isSimulated: Bool = false, body: EventBody
    ) {
        self.sequence = sequence
        self.time = time
        self.monotonicNanoseconds = monotonicNanoseconds
        self.reader = reader
        self.attachment = attachment
        self.isSimulated = isSimulated
        self.body = body
    }

    /// The event's name, also of one that this version does not know.
    public var name: String {
        if case .unknown(let name, _) = body { name } else { body.kind?.rawValue ?? "" }
    }
}

extension Event: WireObject {
    package static var blank: Event { blank(.swipeStart) }

    /// What reading an event of that kind starts from.
    static func blank(_ body: EventBody) -> Event {
        Event(sequence: nil, time: .blank, monotonicNanoseconds: 0, body: body)
    }

    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        var name = name
        try fields.required("event", &name)
        if F.isReading { body = EventBody(blank: name) }
        try fields.optional("seq", &sequence)
        try fields.required("time", &time)
        try fields.required("mono_ns", &monotonicNanoseconds)
        try fields.optional("reader", &reader)
        try fields.optional("attachment", &attachment)
        try fields.flag("simulated", &isSimulated)
        try fields.within("data", &body)
    }

    /// The event's line. Card data in clear goes through locked memory only.
    package func line() -> EncodedLine {
        var writer = JSONWriter(isSensitive: body.isSensitive)
        write(to: &writer)
        return writer.finish()
    }
}
