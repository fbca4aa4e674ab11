/// A name that a client gives: text of at most so many bytes.
enum Name: WireForm {
    static var schema: JSONValue { SchemaParts.name() }
    static func write(_ value: String, to writer: inout JSONWriter) { writer.write(value) }
    static func read(_ json: JSONValue) throws(WireError) -> String? {
        let name = try String(json: json)
        guard name.utf8.count <= ProtocolLimits.name else {
            throw WireError("longer than \(ProtocolLimits.name) bytes")
        }
        return name
    }
}

/// For how many seconds a reader accepts swipes.
enum SwipeTimeout: WireForm {
    static var schema: JSONValue { SchemaParts.integer(in: ProtocolLimits.swipeTimeoutSeconds) }
    static func write(_ value: Int, to writer: inout JSONWriter) { writer.write(value) }
    static func read(_ json: JSONValue) throws(WireError) -> Int? {
        try whole(json, within: ProtocolLimits.swipeTimeoutSeconds)
    }
}

/// A gain, in percent of its range.
enum GainPercent: WireForm {
    static var schema: JSONValue { SchemaParts.integer(in: ProtocolLimits.gainPercent) }
    static func write(_ value: Int, to writer: inout JSONWriter) { writer.write(value) }
    static func read(_ json: JSONValue) throws(WireError) -> Int? {
        try whole(json, within: ProtocolLimits.gainPercent)
    }
}

/// The number of an event or a level, as a client gives it.
enum EventNumber: WireForm {
    static var schema: JSONValue { SchemaParts.count }
    static func write(_ value: UInt64, to writer: inout JSONWriter) { writer.write(value) }
    static func read(_ json: JSONValue) throws(WireError) -> UInt64? {
        UInt64(try whole(json, within: 0...Int.max))
    }
}

private func whole(_ json: JSONValue, within range: ClosedRange<Int>) throws(WireError) -> Int {
    guard let integer = json.integer else { throw WireError("not a whole number of 64 bits") }
    guard let number = Int(exactly: integer), range.contains(number) else {
        throw WireError("not within \(range.lowerBound) and \(range.upperBound)")
    }
    return number
}

/// The events that a subscription is for.
enum EventNames: WireForm {
    static var schema: JSONValue {
        let words = [Subscription.wildcard] + EventKind.words
        return SchemaParts.orAll(SchemaParts.array(["enum": .array(words.map { .string($0) })]))
    }
    static func write(_ value: EventKinds, to writer: inout JSONWriter) { value.kinds.write(to: &writer) }
    static func read(_ json: JSONValue) throws(WireError) -> EventKinds? {
        guard let names = try names(json, maximum: EventKind.allCases.count * 2) else { return nil }
        var kinds: EventKinds = []
        for name in names {
            guard let kind = EventKind(rawValue: name) else {
                throw WireError("there is no event '\(name.prefix(40))'")
            }
            kinds.formUnion(EventKinds(kind))
        }
        return kinds
    }
}

/// The readers that a subscription is for.
enum ReaderNames: WireForm {
    static var schema: JSONValue {
        SchemaParts.orAll(SchemaParts.array(Name.schema, maximum: ProtocolLimits.readersNamed))
    }
    static func write(_ value: Set<String>, to writer: inout JSONWriter) { value.sorted().write(to: &writer) }
    static func read(_ json: JSONValue) throws(WireError) -> Set<String>? {
        try names(json, maximum: ProtocolLimits.readersNamed).map { Set($0) }
    }
}

/// Names in an array, or nil for all of them: `"*"`, or an array with `"*"`.
private func names(_ json: JSONValue, maximum: Int) throws(WireError) -> [String]? {
    let wildcard = Subscription.wildcard
    guard json != .string(wildcard) else { return nil }
    guard let elements = json.array else { throw WireError("neither an array nor \"\(wildcard)\"") }
    guard elements.count <= maximum else { throw WireError("more than \(maximum) elements") }
    var names: [String] = []
    for element in elements {
        guard let name = element.string else { throw WireError("not an array of strings") }
        guard name.utf8.count <= ProtocolLimits.name else {
            throw WireError("an element is longer than \(ProtocolLimits.name) bytes")
        }
        names.append(name)
    }
    return names.contains(wildcard) ? nil : names
}
