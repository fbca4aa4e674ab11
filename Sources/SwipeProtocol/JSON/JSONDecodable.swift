/// Something that can be read back from its form on the wire.
package protocol JSONDecodable {
    init(json: JSONValue) throws(WireError)
}

/// What is wrong with a value that was read: words for people, led by the member's name.
package struct WireError: Error, Sendable, Hashable, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }

    func inside(_ name: String) -> WireError { WireError("\(name): \(description)") }
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
        guard let value: Value = try optional(name) else { throw WireError("\(name): missing") }
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

extension String: JSONDecodable {
    package init(json: JSONValue) throws(WireError) {
        guard let string = json.string else { throw WireError("not a string") }
        self = string
    }
}
extension Bool: JSONDecodable {
    package init(json: JSONValue) throws(WireError) {
        guard let bool = json.bool else { throw WireError("not true or false") }
        self = bool
    }
}
extension Double: JSONDecodable {
    package init(json: JSONValue) throws(WireError) {
        guard let double = json.double else { throw WireError("not a number that 64 bits hold") }
        self = double
    }
}
extension Int: JSONDecodable {
    package init(json: JSONValue) throws(WireError) { self = try JSONValue.whole(json) }
}
extension Int64: JSONDecodable {
    package init(json: JSONValue) throws(WireError) { self = try JSONValue.whole(json) }
}
extension UInt32: JSONDecodable {
    package init(json: JSONValue) throws(WireError) { self = try JSONValue.whole(json) }
}
extension UInt64: JSONDecodable {
    package init(json: JSONValue) throws(WireError) { self = try JSONValue.whole(json) }
}
extension Array: JSONDecodable where Element: JSONDecodable {
    package init(json: JSONValue) throws(WireError) {
        guard let elements = json.array else { throw WireError("not an array") }
        var result: [Element] = []
        result.reserveCapacity(elements.count)
        for element in elements { result.append(try Element(json: element)) }
        self = result
    }
}
extension JSONValue: JSONDecodable {
    package init(json: JSONValue) throws(WireError) { self = json }

    static func whole<Number: FixedWidthInteger>(_ json: JSONValue) throws(WireError) -> Number {
        guard let integer = json.integer, let number = Number(exactly: integer) else {
            throw WireError("not a whole number in range")
        }
        return number
    }
}
