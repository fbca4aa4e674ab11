/// The answer to a ``ControlRequest`` that was taken.
package enum ControlResult: Sendable, Hashable {
    /// It was taken, with something to tell people where there is something.
    case taken(warning: String? = nil)
    /// A property as it is now. Its value is a text or a whole number.
    case property(name: String, value: JSONValue)
    /// How a reader at a sound input behaves now.
    case settings(SettingsInForce)
    /// The levels of a sound input, the oldest first.
    case levels([SoundLevel])
    /// From which level on the daemon logs now.
    case logLevel(LogLevel)
    /// That test card was swiped on a virtual reader.
    case swiped(card: String)
}

extension ControlResult: WireMembers {
    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        switch self {
        case .taken(var warning): try fields.optional("warning", &warning)
        case .property(var name, var value):
            try fields.required("name", &name)
            try fields.required("value", &value, as: PropertyValue.self)
        case .settings(var settings): try fields.required("settings", &settings)
        case .levels(var levels): try fields.required("levels", &levels)
        case .logLevel(var level): try fields.required("level", &level)
        case .swiped(let card):
            // What else was simulated has none.
            var card: String? = card
            try fields.optional("card", &card)
        }
    }
}

/// A text or a whole number.
private enum PropertyValue: WireForm {
    static var schema: JSONValue { ["type": ["string", "integer"]] }
    static func write(_ value: JSONValue, to writer: inout JSONWriter) { value.write(to: &writer) }
    static func read(_ json: JSONValue) -> JSONValue? { json }
}
