/// The parameters of a request, taken one after the other. What was not taken in the end is unknown, and the request
/// is refused before anything is done.
struct Parameters {
    private let object: JSONObject
    private let path: String
    private var taken: Set<String> = []

    init(_ json: JSONValue?, path: String = "") throws(ErrorReply) {
        self.path = path
        switch json {
        case .none, .null: object = JSONObject()
        case .object(let object): self.object = object
        case .bool, .integer, .number, .string, .array:
            throw ErrorReply(
                .parameterInvalid, "\(path.isEmpty ? "params" : String(path.dropLast())): not an object")
        }
    }

    /// Refuses a name that the method has no parameter of.
    func refuse(unknownTo method: Method) throws(ErrorReply) {
        guard !object.members.isEmpty, let known = ProtocolSchema.parameterNames[method] else { return }
        for member in object.members where !known.contains(member.name) { throw unknown(member.name) }
    }

    private func unknown(_ name: String) -> ErrorReply {
        ErrorReply(.parameterUnknown, "no parameter '\(path)\(name.prefix(40))'")
    }

    /// Refuses what no one took.
    func finish() throws(ErrorReply) {
        for member in object.members where !taken.contains(member.name) {
            throw unknown(member.name)
        }
    }

    private mutating func take(_ name: String) -> JSONValue? {
        taken.insert(name)
        guard let value = object[name], value != .null else { return nil }
        return value
    }

    private func invalid(_ name: String, _ what: String) -> ErrorReply {
        ErrorReply(.parameterInvalid, "\(path)\(name): \(what)")
    }

    mutating func value(_ name: String) -> JSONValue? { take(name) }

    mutating func string(_ name: String, maximum: Int = ProtocolLimits.name) throws(ErrorReply) -> String? {
        guard let value = take(name) else { return nil }
        guard let string = value.string else { throw invalid(name, "not a string") }
        guard string.utf8.count <= maximum else { throw invalid(name, "longer than \(maximum) bytes") }
        return string
    }

    mutating func requiredString(_ name: String, maximum: Int = ProtocolLimits.name) throws(ErrorReply)
        -> String
    {
        guard let string = try string(name, maximum: maximum) else { throw invalid(name, "missing") }
        return string
    }

    mutating func bool(_ name: String) throws(ErrorReply) -> Bool? {
        guard let value = take(name) else { return nil }
        guard let bool = value.bool else { throw invalid(name, "not true or false") }
        return bool
    }

    mutating func integer(_ name: String, in range: ClosedRange<Int64>) throws(ErrorReply) -> Int64? {
        guard let value = take(name) else { return nil }
        guard let integer = value.integer else { throw invalid(name, "not a whole number of 64 bits") }
        guard range.contains(integer) else {
            throw invalid(name, "not within \(range.lowerBound) and \(range.upperBound)")
        }
        return integer
    }

    mutating func requiredInteger(_ name: String, in range: ClosedRange<Int64>) throws(ErrorReply) -> Int64 {
        guard let integer = try integer(name, in: range) else { throw invalid(name, "missing") }
        return integer
    }

    /// Names in an array, or nil for all of them: left out, `"*"`, or an array with `"*"`.
    mutating func names(_ name: String, maximum: Int) throws(ErrorReply) -> [String]? {
        let wildcard = Subscription.wildcard
        guard let value = take(name), value != .string(wildcard) else { return nil }
        guard let elements = value.array else { throw invalid(name, "neither an array nor \"\(wildcard)\"") }
        guard elements.count <= maximum else { throw invalid(name, "more than \(maximum) elements") }
        var strings: [String] = []
        for element in elements {
            guard let string = element.string else { throw invalid(name, "not an array of strings") }
            guard string.utf8.count <= ProtocolLimits.name else {
                throw invalid(name, "an element is longer than \(ProtocolLimits.name) bytes")
            }
            strings.append(string)
        }
        return strings.contains(wildcard) ? nil : strings
    }

    mutating func word<Word: WireWord>(_ name: String, as type: Word.Type = Word.self) throws(ErrorReply)
        -> Word?
    {
        guard let value = take(name) else { return nil }
        do throws(WireError) { return try Word(json: value) } catch { throw invalid(name, error.description) }
    }

    mutating func requiredWord<Word: WireWord>(_ name: String) throws(ErrorReply) -> Word {
        guard let word: Word = try word(name) else { throw invalid(name, "missing") }
        return word
    }

    mutating func object(_ name: String) throws(ErrorReply) -> Parameters? {
        guard let value = take(name) else { return nil }
        return try Parameters(value, path: "\(path)\(name).")
    }
}
