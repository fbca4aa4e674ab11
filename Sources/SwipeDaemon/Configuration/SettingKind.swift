/// What a setting's value may be. Checks a value before anything starts, and says what is allowed.
enum SettingKind: Sendable, Hashable {
    /// yes or no.
    case flag
    /// A whole number in a range.
    case integer(ClosedRange<Int>)
    /// A decimal number in a range.
    case number(ClosedRange<Double>)
    /// One of these words.
    case choice([String])
    /// Group names, user names as `user:NAME`, `*` for everybody; separated by commas.
    case principals
    /// An octal file mode.
    case mode
    /// A path that begins with '/'.
    case path
    /// The same, or nothing.
    case optionalPath
    /// Any text that is not empty.
    case text

    /// What is wrong with a value, in words that follow the value; nil when it is fine.
    func fault(in value: String) -> String? {
        switch self {
        case .flag: Self.flag(value) == nil ? "write yes or no" : nil
        case .integer(let range):
            Int(value).map(range.contains) == true
                ? nil : "write a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .number(let range):
            Double(value).map(range.contains) == true
                ? nil : "write a number from \(range.lowerBound) to \(range.upperBound)"
        case .choice(let words):
            words.contains(value) ? nil : "write one of: \(words.joined(separator: ", "))"
        case .principals:
            Self.principals(value) == nil ? "write group names, user:NAME or *, separated by commas" : nil
        case .mode: Self.mode(value) == nil ? "write an octal mode such as 0660" : nil
        case .path: value.first == "/" ? nil : "write a path that begins with /"
        case .optionalPath:
            value.isEmpty || value.first == "/" ? nil : "write a path that begins with /, or nothing"
        case .text: value.isEmpty ? "write a value" : nil
        }
    }

    static func flag(_ value: String) -> Bool? {
        switch value {
        case "yes", "true", "on", "1": true
        case "no", "false", "off", "0": false
        default: nil
        }
    }

    static func mode(_ value: String) -> UInt32? {
        guard value.count <= 4, let mode = UInt32(value, radix: 8), mode <= 0o777 else { return nil }
        return mode
    }

    static func principals(_ value: String) -> [Principal]? {
        var principals: [Principal] = []
        for word in value.split(separator: ",", omittingEmptySubsequences: true) {
            let name = word.filter { !$0.isWhitespace }
            guard !name.isEmpty, name != "user:" else { return nil }
            if name == "*" {
                principals.append(.everybody)
            } else if name.hasPrefix("user:") {
                principals.append(.user(String(name.dropFirst(5))))
            } else {
                principals.append(.group(String(name)))
            }
        }
        return principals
    }
}

/// Who is given a role.
package enum Principal: Sendable, Hashable {
    case everybody
    /// By name or number.
    case group(String)
    /// By name or number.
    case user(String)
}
