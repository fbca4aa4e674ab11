/// Settings of several places over each other: what is said later holds.
struct LayeredSettings: Sendable, Hashable {
    /// By section and key with a blank between the words, which none of them has.
    private var values: [String: String] = [:]

    /// Puts a value over what was said before; of an empty one, that it is empty.
    mutating func say(_ section: [String], _ key: String, _ value: String) {
        values[Self.name(section, key)] = value
    }

    mutating func say(_ settings: [Setting]) {
        for setting in settings { say(setting.section, setting.key, setting.value) }
    }

    /// Nil where nobody said anything.
    func value(_ section: [String], _ key: String) -> String? { values[Self.name(section, key)] }

    private static func name(_ section: [String], _ key: String) -> String {
        (section + [key]).joined(separator: " ")
    }
}
