/// The first line of a connection.
public struct Hello: Sendable, Hashable {
    /// What the daemon knows of the peer.
    public struct You: Sendable, Hashable {
        /// The peer's user id.
        public var uid: UInt32
        /// What the connection may do.
        public var roles: Set<Role>
        /// The daemon's number for the connection.
        public var connection: UInt64

        /// What the daemon knows of the peer.
        public init(uid: UInt32, roles: Set<Role>, connection: UInt64) {
            self.uid = uid
            self.roles = roles
            self.connection = connection
        }
    }

    /// The protocol, `swipe/1`.
    public var version: String
    /// The daemon's name and version.
    public var daemon: String
    /// Names this run of the daemon; `seq` counts within it.
    public var instance: String
    /// The number of the last event.
    public var sequence: UInt64
    /// What the daemon knows of the peer.
    public var you: You

    /// A greeting.
    public init(
        version: String = ProtocolVersion.current, daemon: String, instance: String, sequence: UInt64,
        you: You
    ) {
        self.version = version
        self.daemon = daemon
        self.instance = instance
        self.sequence = sequence
        self.you = you
    }
}

extension Hello: WireObject {
    package static var blank: Hello {
        Hello(daemon: "", instance: "", sequence: 0, you: You(uid: 0, roles: [], connection: 0))
    }

    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        try fields.required("protocol", &version, as: ProtocolName.self)
        try fields.required("daemon", &daemon)
        try fields.required("instance", &instance)
        try fields.required("seq", &sequence)
        try fields.required("you", &you)
        try fields.derived("limits", LineLimits())
    }

    /// The greeting's line.
    package func line() -> EncodedLine {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("hello", self)
        writer.endObject()
        return writer.finish()
    }
}

extension Hello.You: WireObject {
    package static var blank: Hello.You { Hello.You(uid: 0, roles: [], connection: 0) }

    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        try fields.required("uid", &uid)
        try fields.required("roles", &roles, as: Roles.self)
        try fields.usual("connection", &connection)
    }
}

/// Roles in the order of their rights. One of a later version is none that this one can use.
private enum Roles: WireForm {
    static var schema: JSONValue { [Role].schema }
    static func write(_ roles: Set<Role>, to writer: inout JSONWriter) {
        writer.beginArray()
        for role in Role.allCases where roles.contains(role) { role.write(to: &writer) }
        writer.endArray()
    }
    static func read(_ json: JSONValue) throws(WireError) -> Set<Role>? {
        try [Role].read(json).map { Set($0) }
    }
}

/// The protocol's name: in the schema this version's alone.
private enum ProtocolName: WireForm {
    static var schema: JSONValue { SchemaParts.constant(ProtocolVersion.current) }
    static func write(_ value: String, to writer: inout JSONWriter) { writer.write(value) }
    static func read(_ json: JSONValue) throws(WireError) -> String? { try String(json: json) }
}

/// How long lines may be, told in the greeting.
private struct LineLimits: WireObject {
    static var blank: LineLimits { LineLimits() }
    var lineIn = ProtocolLimits.lineIn
    var lineOut = ProtocolLimits.lineOut

    mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        try fields.required("line_in", &lineIn)
        try fields.required("line_out", &lineOut)
    }
}
