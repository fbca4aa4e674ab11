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

extension Hello: JSONEncodable, JSONDecodable {
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("protocol", version)
        writer.field("daemon", daemon)
        writer.field("instance", instance)
        writer.field("seq", sequence)
        writer.name("you")
        writer.beginObject()
        writer.field("uid", you.uid)
        writer.field("roles", Role.allCases.filter(you.roles.contains))
        writer.field("connection", you.connection)
        writer.endObject()
        writer.name("limits")
        writer.beginObject()
        writer.field("line_in", ProtocolLimits.lineIn)
        writer.field("line_out", ProtocolLimits.lineOut)
        writer.endObject()
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try JSONObject(json: json)
        version = try object.required("protocol")
        daemon = try object.required("daemon")
        instance = try object.required("instance")
        sequence = try object.required("seq")
        let you = try JSONObject(json: object["you"] ?? .null)
        // A role of a later version is none that this one can use.
        let roles: [String] = try you.required("roles")
        self.you = You(
            uid: try you.required("uid"), roles: Set(roles.compactMap(Role.init(rawValue:))),
            connection: try you.optional("connection") ?? 0)
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
