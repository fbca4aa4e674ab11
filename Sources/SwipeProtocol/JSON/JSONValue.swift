/// A JSON value (RFC 8259). Objects keep the order of their members and have each name once.
public enum JSONValue: Sendable, Hashable {
    /// `null`
    case null
    /// `true` or `false`
    case bool(Bool)
    /// A number without fraction and exponent that fits 64 bits.
    case integer(Int64)
    /// Any other number, as it was written.
    case number(JSONNumber)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object(JSONObject)

    /// The object, if it is one.
    public var object: JSONObject? { if case .object(let object) = self { object } else { nil } }
    /// The string, if it is one.
    public var string: String? { if case .string(let string) = self { string } else { nil } }
    /// The whole number, if it is one that fits 64 bits.
    public var integer: Int64? {
        switch self {
        case .integer(let integer): integer
        case .number(let number): number.integer
        case .null, .bool, .string, .array, .object: nil
        }
    }
    /// The truth value, if it is one.
    public var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
    /// The elements, if it is an array.
    public var array: [JSONValue]? { if case .array(let array) = self { array } else { nil } }
    /// The number, whole or not, if it is one that fits 64 bits.
    public var double: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .number(let number): number.double
        case .null, .bool, .string, .array, .object: nil
        }
    }
}

/// The members of a JSON object in their order.
public struct JSONObject: Sendable, Hashable {
    /// One member.
    public struct Member: Sendable, Hashable {
        /// Its name.
        public var name: String
        /// Its value.
        public var value: JSONValue

        /// A member.
        public init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// The members. Names are unique in what the reader made.
    public var members: [Member]

    /// An object of these members.
    public init(_ members: [Member] = []) { self.members = members }

    /// The value of the first member with that name.
    public subscript(name: String) -> JSONValue? {
        members.first { $0.name == name }?.value
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral
{
    /// An object, in the order written.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.map { JSONObject.Member($0.0, $0.1) }))
    }
    /// An array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// An integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = JSONNumber(value).map(JSONValue.number) ?? .null }
}
