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

extension Bool: JSONEncodable {
    package func write(to writer: inout JSONWriter) { writer.write(self) }
}
extension Int: JSONEncodable {
    package func write(to writer: inout JSONWriter) { writer.write(self) }
}
extension Int64: JSONEncodable {
    package func write(to writer: inout JSONWriter) { writer.write(self) }
}
extension UInt32: JSONEncodable {
    package func write(to writer: inout JSONWriter) { writer.write(self) }
}
extension UInt64: JSONEncodable {
    package func write(to writer: inout JSONWriter) { writer.write(self) }
}
extension Double: JSONEncodable {
    package func write(to writer: inout JSONWriter) { writer.write(self) }
}
extension String: JSONEncodable {
    package func write(to writer: inout JSONWriter) { writer.write(self) }
}
extension Array: JSONEncodable where Element: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.beginArray()
        for element in self { element.write(to: &writer) }
        writer.endArray()
    }
}

extension JSONValue: JSONEncodable {
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
