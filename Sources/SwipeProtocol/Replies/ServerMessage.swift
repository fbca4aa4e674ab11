/// A line from the daemon.
package enum ServerMessage: Sendable, Hashable {
    case hello(Hello)
    /// The greeting of another version of the protocol, which this is. More is not known of it.
    case otherVersion(String)
    case reply(Reply)
    case event(Event)

    /// Reads a line, newline left out.
    package init(line: [UInt8]) throws(WireError) {
        let json: JSONValue
        do throws(JSONError) { json = try JSONReader.value(of: line) } catch {
            throw WireError(error.description)
        }
        let object = try JSONObject(json: json)
        if object["event"] != nil {
            self = .event(try Event(json: json))
        } else if let hello = object["hello"] {
            let version: String = try JSONObject(json: hello).required("protocol")
            self =
                version == ProtocolVersion.current
                ? .hello(try Hello(json: hello)) : .otherVersion(version)
        } else if object["id"] != nil {
            self = .reply(try Reply(object))
        } else {
            throw WireError("neither hello, reply nor event")
        }
    }
}
