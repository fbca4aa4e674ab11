/// The building blocks of the schema (JSON Schema 2020-12).
enum SchemaParts {
    static let string: JSONValue = ["type": "string"]
    static let boolean: JSONValue = ["type": "boolean"]
    static let number: JSONValue = ["type": "number"]
    static let count: JSONValue = ["type": "integer", "minimum": 0]
    static let time: JSONValue = [
        "type": "string", "format": "date-time", "pattern": timePattern,
    ]
    static let hexadecimal: JSONValue = ["type": "string", "pattern": hexadecimalPattern]
    static let timePattern: JSONValue = .string(
        "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6}Z$")
    static let hexadecimalPattern: JSONValue = "^([0-9A-F]{2})*$"
    static let empty = object([])

    /// The words of one of the protocol's own types: what the code takes is what the schema says.
    static func words<Word: WireWord>(_ type: Word.Type) -> JSONValue {
        ["type": "string", "enum": .array(Word.words.map { .string($0) })]
    }

    static func named(_ name: String) -> JSONValue { ["$ref": .string("#/$defs/\(name)")] }
    static func constant(_ text: String) -> JSONValue { ["const": .string(text)] }
    static func array(_ items: JSONValue, maximum: Int? = nil) -> JSONValue {
        var members = [JSONObject.Member("type", "array"), JSONObject.Member("items", items)]
        if let maximum { members.append(JSONObject.Member("maxItems", .integer(Int64(maximum)))) }
        return .object(JSONObject(members))
    }
    static func orNull(_ schema: JSONValue) -> JSONValue { ["oneOf": [schema, ["type": "null"]]] }
    /// The same, or the wildcard.
    static func orAll(_ schema: JSONValue) -> JSONValue {
        ["oneOf": [schema, constant(Subscription.wildcard)]]
    }
    static func oneOf(_ schemas: [JSONValue]) -> JSONValue { ["oneOf": .array(schemas)] }
    static func name(_ maximum: Int = ProtocolLimits.name) -> JSONValue {
        ["type": "string", "maxLength": .integer(Int64(maximum))]
    }
    static func integer(in range: ClosedRange<Int>) -> JSONValue {
        [
            "type": "integer", "minimum": .integer(Int64(range.lowerBound)),
            "maximum": .integer(Int64(range.upperBound)),
        ]
    }

    /// An object with these members and no others; a name that ends in `?` may be left out.
    static func object(_ members: [(String, JSONValue)]) -> JSONValue {
        let properties = members.map { JSONObject.Member(plain($0.0), $0.1) }
        let required = members.filter { !$0.0.hasSuffix("?") }.map { JSONValue.string($0.0) }
        return [
            "type": "object", "properties": .object(JSONObject(properties)), "required": .array(required),
            "additionalProperties": false,
        ]
    }

    /// An object whose members have any names and all this form.
    static func map(_ values: JSONValue) -> JSONValue { ["type": "object", "additionalProperties": values] }

    private static func plain(_ name: String) -> String {
        name.hasSuffix("?") ? String(name.dropLast()) : name
    }
}
