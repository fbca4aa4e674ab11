/// The answer to `subscribe`: the state at event number `sequence`; the stream goes on with the next.
public struct Snapshot: Sendable, Hashable {
    /// The number of the last event that the snapshot includes.
    public var sequence: UInt64
    /// The readers; nil where no snapshot was asked for.
    public var readers: [ReaderInfo]?

    /// A state.
    public init(sequence: UInt64, readers: [ReaderInfo]?) {
        self.sequence = sequence
        self.readers = readers
    }
}

extension Snapshot: JSONEncodable, JSONDecodable {
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("seq", sequence)
        writer.field("readers", ifPresent: readers)
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try JSONObject(json: json)
        sequence = try object.required("seq")
        readers = try object.optional("readers")
    }
}
