import SectionFiles

/// What a setting's value may be. Checks a value before anything starts, and says what is allowed.
enum SettingKind: Sendable, Hashable {
    /// yes or no.
    case flag
    /// A whole number in a range.
    case integer(ClosedRange<Int>)
    /// The same, or nothing.
    case optionalInteger(ClosedRange<Int>)
    /// A decimal number in a range, in digits and nothing else: not hex, no exponent.
    case number(ClosedRange<Double>)
    /// One of these words.
    case choice([String])
    /// Group names, user names as `user:NAME`, `*` for every user; separated by commas.
    case principals
    /// An octal file mode.
    case mode
    /// A path that begins with '/'.
    case path
    /// The same, or nothing.
    case optionalPath
    /// The same, of a length that a socket's address has room for.
    case socketPath
    /// Names separated by commas, or nothing at all.
    case names
    /// The name of an ALSA device.
    case soundDevice
    /// Any text that is not empty.
    case text
    /// What people are shown: any text of a line, or nothing.
    case message

    /// A message has to fit a line of the protocol many times over, and a till's display.
    private static let maximumMessageBytes = 400
    private static let maximumSocketPathBytes = SectionEntry.maximumSocketPathBytes

    /// What is wrong with a value, in words that follow the value; nil when it is fine.
    func fault(in value: String) -> String? { takes(value) ? nil : "write \(allowed)" }

    private func takes(_ value: String) -> Bool {
        switch self {
        case .flag: Self.flag(value) != nil
        case .integer(let range): Int(value).map(range.contains) == true
        case .optionalInteger(let range): value.isEmpty || Int(value).map(range.contains) == true
        case .number(let range): Double(decimal: value).map(range.contains) == true
        case .choice(let words): words.contains(value)
        case .principals: Self.principals(value) != nil
        case .mode: Self.mode(value) != nil
        case .path: value.first == "/"
        case .optionalPath: value.isEmpty || value.first == "/"
        case .socketPath: value.first == "/" && value.utf8.count <= Self.maximumSocketPathBytes
        case .names: Self.names(value) != nil
        case .soundDevice: value.first.map { $0.isASCII && ($0.isLetter || $0.isNumber) } == true
        case .text: !value.isEmpty
        case .message: value.utf8.count <= Self.maximumMessageBytes
        }
    }

    /// What may be written, for people.
    var allowed: String {
        switch self {
        case .flag: "yes or no"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .optionalInteger(let range):
            "a whole number from \(range.lowerBound) to \(range.upperBound), or nothing"
        case .number(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
        case .choice(let words): words.count == 1 ? words[0] : "one of: \(words.joined(separator: ", "))"
        case .principals: "group names, user:NAME or *, separated by commas"
        case .mode: "an octal mode such as 0660"
        case .path: "a path that begins with /"
        case .optionalPath: "a path that begins with /, or nothing"
        case .socketPath: "a path of at most \(Self.maximumSocketPathBytes) bytes that begins with /"
        case .names: "names separated by commas, or nothing"
        case .soundDevice: "a device of ALSA's, such as hw:CARD=Headset"
        case .text: "a value"
        case .message: "a line of at most \(Self.maximumMessageBytes) bytes, or nothing"
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
        guard value.count <= 4, value.allSatisfy({ ("0"..."7").contains($0) }),
            let mode = UInt32(value, radix: 8), mode <= 0o777
        else { return nil }
        return mode
    }

    static func principals(_ value: String) -> [Principal]? {
        var principals: [Principal] = []
        // An empty value names no user; nothing between two commas is a name that is missing.
        guard !value.isEmpty else { return principals }
        for word in value.split(separator: ",", omittingEmptySubsequences: false) {
            let name = Self.trimmed(word)
            // A name with a space in it is two names without their comma.
            guard !name.isEmpty, name != "user:", !name.contains(where: \.isWhitespace) else { return nil }
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

    /// Those between commas: mixer elements have names such as `Master Mono`. Nil where one is missing.
    static func names(_ value: String) -> [String]? {
        guard !value.isEmpty else { return [] }
        let names = value.split(separator: ",", omittingEmptySubsequences: false).map(trimmed)
        return names.contains(where: \.isEmpty) ? nil : names.map(String.init)
    }

    private static func trimmed(_ word: Substring) -> Substring {
        var word = word.drop(while: \.isWhitespace)
        while let last = word.last, last.isWhitespace { word.removeLast() }
        return word
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
