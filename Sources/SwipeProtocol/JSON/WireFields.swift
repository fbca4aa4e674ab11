/// What goes over the members of an object, one call for each in their order: the writer, the reader and the maker of the
/// schema. An object says its members once (``WireMembers/members(_:)``), and each of the three follows.
///
/// Generic, so that the compiler makes the code of each object for each of them: a writer's calls are the ones that would
/// be written by hand.
package protocol WireFields: ~Copyable {
    associatedtype Failure: Error
    /// Whether values are put into the object. The others leave it as it is.
    static var isReading: Bool { get }

    /// A member that is always written.
    ///
    /// - Parameter isUsual: a line without it is read as the blank object has it; else it is refused.
    mutating func always<Form: WireForm>(
        _ name: StaticString, _ value: inout Form.Plain, as form: Form.Type, isUsual: Bool
    ) throws(Failure)
    /// A member that is left out, or `null`, when there is nothing to say.
    mutating func sometimes<Form: WireForm>(
        _ name: StaticString, _ value: inout Form.Plain?, as form: Form.Type, orNull: Bool
    ) throws(Failure)
    /// An object whose form another member has told before; the value has that form already.
    mutating func within(_ name: StaticString, _ value: inout some WireMembers) throws(Failure)
    /// What is counted, under its name. Never read.
    mutating func count(_ name: String, _ value: UInt64) throws(Failure)
    /// All members of another object, in place of members of its own. What was read; nil where nothing is.
    mutating func whole<Object: WireObject>(_ value: Object) throws(Failure) -> Object?
}

/// The words in which an object says its members.
extension WireFields where Self: ~Copyable {
    /// A member that is always there.
    @inline(__always)
    mutating func required<Value: WireValue>(_ name: StaticString, _ value: inout Value) throws(Failure) {
        try always(name, &value, as: Value.self, isUsual: false)
    }
    @inline(__always)
    mutating func required<Form: WireForm>(
        _ name: StaticString, _ value: inout Form.Plain, as form: Form.Type
    ) throws(Failure) {
        try always(name, &value, as: form, isUsual: false)
    }
    /// A member that is always written; a line without it is read as the blank object has it.
    @inline(__always)
    mutating func usual<Value: WireValue>(_ name: StaticString, _ value: inout Value) throws(Failure) {
        try always(name, &value, as: Value.self, isUsual: true)
    }
    /// A member that is left out when there is nothing to say.
    @inline(__always)
    mutating func optional<Value: WireValue>(_ name: StaticString, _ value: inout Value?) throws(Failure) {
        try sometimes(name, &value, as: Value.self, orNull: false)
    }
    @inline(__always)
    mutating func optional<Form: WireForm>(
        _ name: StaticString, _ value: inout Form.Plain?, as form: Form.Type
    ) throws(Failure) {
        try sometimes(name, &value, as: form, orNull: false)
    }
    /// A member that is `null` when there is nothing to say.
    @inline(__always)
    mutating func orNull<Value: WireValue>(_ name: StaticString, _ value: inout Value?) throws(Failure) {
        try sometimes(name, &value, as: Value.self, orNull: true)
    }
    /// A flag that is only there when it is set.
    @inline(__always)
    mutating func flag(_ name: StaticString, _ value: inout Bool) throws(Failure) {
        var set: Bool? = value ? true : nil
        try optional(name, &set)
        if Self.isReading, let set { value = set }
    }
    /// Several values, left out when there is none.
    @inline(__always)
    mutating func list<Value: WireValue>(_ name: StaticString, _ values: inout [Value]) throws(Failure) {
        try list(name, &values, as: [Value].self)
    }
    @inline(__always)
    mutating func list<Form: WireForm>(
        _ name: StaticString, _ values: inout Form.Plain, as form: Form.Type
    ) throws(Failure) where Form.Plain: Collection {
        var some: Form.Plain? = values.isEmpty ? nil : values
        try optional(name, &some, as: form)
        if Self.isReading, let some { values = some }
    }
    /// A member that a client may leave out, which is then as the blank object has it.
    @inline(__always)
    mutating func assumed<Value: WireValue>(_ name: StaticString, _ value: inout Value) throws(Failure) {
        var some: Value? = value
        try optional(name, &some)
        if Self.isReading, let some { value = some }
    }
    /// A member that follows from others: written and never read.
    @inline(__always)
    mutating func derived<Value: WireValue>(_ name: StaticString, _ value: Value) throws(Failure) {
        if Self.isReading { return }
        var value = value
        try required(name, &value)
    }
}

// MARK: Writing

extension JSONWriter: WireFields {
    package typealias Failure = Never
    package static var isReading: Bool { false }

    @inline(__always)
    package mutating func always<Form: WireForm>(
        _ name: StaticString, _ value: inout Form.Plain, as form: Form.Type, isUsual: Bool
    ) {
        self.name(name)
        Form.write(value, to: &self)
    }
    @inline(__always)
    package mutating func sometimes<Form: WireForm>(
        _ name: StaticString, _ value: inout Form.Plain?, as form: Form.Type, orNull: Bool
    ) {
        guard value != nil || orNull else { return }
        self.name(name)
        if let value { Form.write(value, to: &self) } else { writeNull() }
    }
    package mutating func within(_ name: StaticString, _ value: inout some WireMembers) { field(name, value) }
    package mutating func count(_ name: String, _ value: UInt64) {
        self.name(name)
        write(value)
    }
    @inline(__always)
    package mutating func whole<Object: WireObject>(_ value: Object) -> Object? {
        value.lend(to: &self)
        return nil
    }
}

// MARK: Reading

/// Reads the members of one object. What is not described is not looked at: it is a later version's.
struct FieldReader: WireFields {
    typealias Failure = WireError
    static var isReading: Bool { true }

    let object: JSONObject
    /// What stands in a complaint between the name of an object inside and its member's.
    var separator = ": "

    mutating func always<Form: WireForm>(
        _ name: StaticString, _ value: inout Form.Plain, as form: Form.Type, isUsual: Bool
    ) throws(WireError) {
        let name = name.description
        if let json = known(name) {
            if let read = try read(json, name, as: form) { value = read }
        } else if !isUsual {
            throw WireError("missing").inside(name)
        }
    }

    mutating func sometimes<Form: WireForm>(
        _ name: StaticString, _ value: inout Form.Plain?, as form: Form.Type, orNull: Bool
    ) throws(WireError) {
        let name = name.description
        value = nil
        if let json = known(name) { value = try read(json, name, as: form) }
    }

    mutating func within(_ name: StaticString, _ value: inout some WireMembers) throws(WireError) {
        try value.read(object["\(name)"] ?? .object(JSONObject()))
    }

    mutating func count(_ name: String, _ value: UInt64) {}

    mutating func whole<Object: WireObject>(_ value: Object) throws(WireError) -> Object? {
        try Object(json: .object(object))
    }

    /// A member that is there, and not null.
    private func known(_ name: String) -> JSONValue? {
        guard let json = object[name] else { return nil }
        if case .null = json { return nil }
        return json
    }

    private func read<Form: WireForm>(
        _ json: JSONValue, _ name: String, as form: Form.Type
    ) throws(WireError) -> Form.Plain? {
        do throws(WireError) { return try Form.read(json) } catch { throw error.inside(name, separator) }
    }
}

// MARK: The schema

/// Collects what the schema says of the members of one object, in the form that ``SchemaParts/object(_:)`` takes.
struct SchemaFields: WireFields {
    typealias Failure = Never
    static var isReading: Bool { false }

    var members: [(String, JSONValue)] = []
    /// The schema, where it is that of another object.
    private var other: JSONValue?

    /// The schema of the object.
    var object: JSONValue { other ?? SchemaParts.object(members) }

    mutating func always<Form: WireForm>(
        _ name: StaticString, _ value: inout Form.Plain, as form: Form.Type, isUsual: Bool
    ) {
        members.append(("\(name)", Form.schema))
    }
    mutating func sometimes<Form: WireForm>(
        _ name: StaticString, _ value: inout Form.Plain?, as form: Form.Type, orNull: Bool
    ) {
        members.append(orNull ? ("\(name)", SchemaParts.orNull(Form.schema)) : ("\(name)?", Form.schema))
    }
    mutating func within(_ name: StaticString, _ value: inout some WireMembers) {
        members.append(("\(name)", value.described.object))
    }
    mutating func count(_ name: String, _ value: UInt64) { members.append((name, SchemaParts.count)) }
    mutating func whole<Object: WireObject>(_ value: Object) -> Object? {
        other = Object.schema
        return nil
    }
}
