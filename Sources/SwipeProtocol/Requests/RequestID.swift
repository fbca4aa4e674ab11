/// What a client calls its request; it comes back as sent.
package enum RequestID: Sendable, Hashable {
    case integer(Int64)
    /// A number that is no integer of 64 bits, as it was written.
    case number(JSONNumber)
    case string(String)
    /// None was given, or the line was not readable: `null`.
    case none
}

extension RequestID: JSONEncodable, JSONDecodable {
    package func write(to writer: inout JSONWriter) {
        switch self {
        case .integer(let value): writer.write(value)
        case .number(let value): writer.write(value)
        case .string(let value): writer.write(value)
        case .none: writer.writeNull()
        }
    }

    package init(json: JSONValue) throws(WireError) {
        switch json {
        case .integer(let value): self = .integer(value)
        case .number(let value): self = .number(value)
        case .string(let value): self = .string(value)
        case .null: self = .none
        case .bool, .array, .object: throw WireError("neither a string nor a number")
        }
    }
}
