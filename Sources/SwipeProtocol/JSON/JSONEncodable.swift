/// Something that has one form on the wire.
package protocol JSONEncodable {
    func write(to writer: inout JSONWriter)
}

extension JSONWriter {
    /// A member that is always there.
    package mutating func field(_ name: StaticString, _ value: some JSONEncodable) {
        self.name(name)
        value.write(to: &self)
    }

    /// A member that is left out when there is nothing to say.
    package mutating func field(_ name: StaticString, ifPresent value: (some JSONEncodable)?) {
        if let value { field(name, value) }
    }

    /// A member that is `null` when there is nothing to say.
    package mutating func field(_ name: StaticString, orNull value: (some JSONEncodable)?) {
        self.name(name)
        if let value { value.write(to: &self) } else { writeNull() }
    }

    /// A flag that is only there when it is set.
    package mutating func flag(_ name: StaticString, _ value: Bool) {
        if value { field(name, true) }
    }
}

extension JSONValue {
    package func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.writeNull()
        case .bool(let value): writer.write(value)
        case .integer(let value): writer.write(value)
        case .number(let value): writer.write(value)
        case .string(let value): writer.write(value)
        case .array(let elements): elements.write(to: &writer)
        case .object(let object):
            writer.beginObject()
            for member in object.members {
                writer.name(member.name)
                member.value.write(to: &writer)
            }
            writer.endObject()
        }
    }
}
