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

extension Event: JSONEncodable, JSONDecodable {
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("event", name)
        writer.field("seq", ifPresent: sequence)
        writer.field("time", time)
        writer.field("mono_ns", monotonicNanoseconds)
        writer.field("reader", ifPresent: reader)
        writer.field("attachment", ifPresent: attachment)
        writer.flag("simulated", isSimulated)
        writer.field("data", body)
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try JSONObject(json: json)
        let name: String = try object.required("event")
        self.init(
            sequence: try object.optional("seq"), time: try object.required("time"),
            monotonicNanoseconds: try object.required("mono_ns"), reader: try object.optional("reader"),
            attachment: try object.optional("attachment"),
            isSimulated: try object.optional("simulated") ?? false,
            body: try EventBody(name: name, data: object["data"] ?? .object(JSONObject())))
    }

    /// The event's line. Card data in clear goes through locked memory only.
    package func line() -> EncodedLine {
        var writer = JSONWriter(isSensitive: body.isSensitive)
        write(to: &writer)
        return writer.finish()
    }
}
