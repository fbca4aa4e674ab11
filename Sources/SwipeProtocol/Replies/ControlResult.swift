/// The answer to a ``ControlRequest`` that was taken.
package enum ControlResult: Sendable, Hashable {
    /// It was taken, with something to tell people where there is something.
    case taken(warning: String? = nil)
    /// A property as it is now. Its value is a text or a whole number.
    case property(name: String, value: JSONValue)
    /// How a reader at a sound input behaves now.
    case settings(SettingsInForce)
    /// From which level on the daemon logs now.
    case logLevel(LogLevel)
    /// That test card was swiped on a virtual reader.
    case swiped(card: String)
}

extension ControlResult: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        switch self {
        case .taken(let warning): writer.field("warning", ifPresent: warning)
        case .property(let name, let value):
            writer.field("name", name)
            writer.field("value", value)
        case .settings(let settings): writer.field("settings", settings)
        case .logLevel(let level): writer.field("level", level)
        case .swiped(let card): writer.field("card", card)
        }
        writer.endObject()
    }
}
