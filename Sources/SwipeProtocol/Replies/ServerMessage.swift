/// A line from the daemon.
package enum ServerMessage: Sendable, Hashable {
    case hello(Hello)
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
            self = .hello(try Hello(json: hello))
        } else if object["id"] != nil {
            self = .reply(try Reply(object))
        } else {
            throw WireError("neither hello, reply nor event")
        }
    }
}
