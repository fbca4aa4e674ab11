/// A form that values have on the wire, and what the schema says of it.
package protocol WireForm<Plain> {
    associatedtype Plain
    static var schema: JSONValue { get }
    static func write(_ value: Plain, to writer: inout JSONWriter)
    /// The value; nil for one that says nothing to this version.
    static func read(_ json: JSONValue) throws(WireError) -> Plain?
}

/// A value with a form of its own.
package protocol WireValue: WireForm, JSONEncodable, JSONDecodable where Plain == Self {}

extension WireValue {
    @inline(__always)
    package static func write(_ value: Self, to writer: inout JSONWriter) { value.write(to: &writer) }
    package static func read(_ json: JSONValue) throws(WireError) -> Self? { try Self(json: json) }
}

/// What has members on the wire, described once: how it is written and read and what the schema says of it follow.
///
/// A new member is its property and one line in ``members(_:)``.
package protocol WireMembers: JSONEncodable {
    /// Its members, in the order in which they are written. Only a reader changes them, and only where
    /// ``WireFields/isReading``: the others go over a value that is lent to them, which must not be written to.
    mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure)
    /// Reads the members of what has the right form already.
    mutating func read(_ json: JSONValue) throws(WireError)
}

extension WireMembers {
    @inline(__always)
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        lend(to: &writer)
        writer.endObject()
    }

    /// Lets fields that read nothing go over the members of this very value: a copy of it would cost a few percent of a line.
    @inline(__always)
    func lend<F: WireFields & ~Copyable>(to fields: inout F) where F.Failure == Never {
        withUnsafePointer(to: self) { UnsafeMutablePointer(mutating: $0).pointee.members(&fields) }
    }

    package mutating func read(_ json: JSONValue) throws(WireError) {
        var fields = FieldReader(object: try JSONObject(json: json))
        try members(&fields)
    }

    /// What the schema says of its members.
    var described: SchemaFields {
        var fields = SchemaFields()
        lend(to: &fields)
        return fields
    }
}

/// An object on the wire that has one form.
package protocol WireObject: WireMembers, WireValue {
    /// What reading starts from: the object before its members are known. No caller sees it so, since what has to be
    /// there and is not is refused.
    static var blank: Self { get }
    /// The name of its definition in the schema; nil where the schema has it in its place.
    static var definition: String? { get }
}

extension WireObject {
    package static var definition: String? { nil }
    package static var schema: JSONValue { definition.map(SchemaParts.named) ?? blank.described.object }

    package init(json: JSONValue) throws(WireError) {
        self = .blank
        try read(json)
    }
}

// MARK: Plain values

extension String: WireValue {
    package static var schema: JSONValue { SchemaParts.string }
    package func write(to writer: inout JSONWriter) { writer.write(self) }
    package init(json: JSONValue) throws(WireError) {
        guard let string = json.string else { throw WireError("not a string") }
        self = string
    }
}
extension Bool: WireValue {
    package static var schema: JSONValue { SchemaParts.boolean }
    package func write(to writer: inout JSONWriter) { writer.write(self) }
    package init(json: JSONValue) throws(WireError) {
        guard let bool = json.bool else { throw WireError("not true or false") }
        self = bool
    }
}
extension Double: WireValue {
    package static var schema: JSONValue { SchemaParts.number }
    package func write(to writer: inout JSONWriter) { writer.write(self) }
    package init(json: JSONValue) throws(WireError) {
        guard let double = json.double else { throw WireError("not a number that 64 bits hold") }
        self = double
    }
}
/// Whole numbers count something, where ``AnyInteger`` does not say otherwise.
extension WireValue where Self: FixedWidthInteger {
    package static var schema: JSONValue { SchemaParts.count }
    @inline(__always)
    package func write(to writer: inout JSONWriter) { writer.write(self) }
    package init(json: JSONValue) throws(WireError) {
        guard let integer = json.integer, let number = Self(exactly: integer) else {
            throw WireError("not a whole number in range")
        }
        self = number
    }
}
extension Int: WireValue {}
extension UInt32: WireValue {}
extension UInt64: WireValue {}

extension Array: WireForm where Element: WireForm {
    package static var schema: JSONValue { SchemaParts.array(Element.schema) }
    package static func write(_ values: [Element.Plain], to writer: inout JSONWriter) {
        writer.beginArray()
        for value in values { Element.write(value, to: &writer) }
        writer.endArray()
    }
    /// Without those that say nothing to this version.
    package static func read(_ json: JSONValue) throws(WireError) -> [Element.Plain]? {
        guard let elements = json.array else { throw WireError("not an array") }
        var values: [Element.Plain] = []
        values.reserveCapacity(elements.count)
        for element in elements {
            if let value = try Element.read(element) { values.append(value) }
        }
        return values
    }
}
extension Array: WireValue, JSONEncodable, JSONDecodable where Element: WireValue {
    package func write(to writer: inout JSONWriter) { Self.write(self, to: &writer) }
    package init(json: JSONValue) throws(WireError) { self = try Self.read(json) ?? [] }
}
