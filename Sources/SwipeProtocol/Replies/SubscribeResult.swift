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

extension Snapshot: WireObject {
    package static var blank: Snapshot { Snapshot(sequence: 0, readers: nil) }

    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        try fields.required("seq", &sequence)
        try fields.optional("readers", &readers)
    }
}
