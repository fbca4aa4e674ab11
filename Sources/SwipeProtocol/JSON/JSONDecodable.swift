/// Something that can be read back from its form on the wire.
package protocol JSONDecodable {
    init(json: JSONValue) throws(WireError)
}

/// What is wrong with a value that was read: words for people, led by the member's name.
package struct WireError: Error, Sendable, Hashable, CustomStringConvertible {
    package var description: String

    /// Whether it begins with the name of a member.
    private var isOfMember = false

    package init(_ description: String) { self.description = description }

    /// The same as a complaint about that member of an object.
    ///
    /// - Parameter separator: what stands between its name and a name that the complaint has.
    func inside(_ name: String, _ separator: String = ": ") -> WireError {
        var error = WireError("\(name)\(isOfMember ? separator : ": ")\(description)")
        error.isOfMember = true
        return error
    }
}

extension JSONObject {
    package init(json: JSONValue) throws(WireError) {
        guard case .object(let object) = json else { throw WireError("not an object") }
        self = object
    }

    /// A member that must be there.
    package func required<Value: JSONDecodable>(
        _ name: String, as type: Value.Type = Value.self
    ) throws(WireError) -> Value {
        guard let value: Value = try optional(name) else { throw WireError("missing").inside(name) }
        return value
    }

    /// A member that may be left out or null.
    package func optional<Value: JSONDecodable>(
        _ name: String, as type: Value.Type = Value.self
    ) throws(WireError) -> Value? {
        guard let json = self[name], json != .null else { return nil }
        do throws(WireError) { return try Value(json: json) } catch { throw error.inside(name) }
    }
}

extension JSONValue: WireValue {
    package static var schema: JSONValue { .object(JSONObject()) }
    package init(json: JSONValue) throws(WireError) { self = json }
}
