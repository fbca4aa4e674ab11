/// Reads one JSON text (RFC 8259) strictly, within limits, and never traps.
///
/// Why not a decoder from a library: duplicate names and deep nesting must be refused before anything else sees
/// them, the target stays free of Foundation, and this is what the fuzzer drives. The length of the text is the
/// caller's limit; see ``ProtocolLimits/lineIn``.
package struct JSONReader {
    private let bytes: [UInt8]
    private var position = 0
    private let maximumDepth: Int

    /// The value that is all of `bytes`, white space around it allowed.
    package static func value(
        of bytes: [UInt8], maximumDepth: Int = ProtocolLimits.depth
    ) throws(JSONError) -> JSONValue {
        var reader = JSONReader(bytes, maximumDepth: maximumDepth)
        reader.skipWhiteSpace()
        let value = try reader.value(depth: 0)
        reader.skipWhiteSpace()
        guard reader.position == bytes.count else { throw JSONError(.trailingBytes, at: reader.position) }
        return value
    }

    private init(_ bytes: [UInt8], maximumDepth: Int) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
    }

    // MARK: Bytes

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipWhiteSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    /// What to throw when the byte here is not what the grammar asks for.
    private var unexpected: JSONError {
        JSONError(position < bytes.count ? .unexpectedByte : .unexpectedEnd, at: position)
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ byte: UInt8) throws(JSONError) {
        guard take(byte) else { throw unexpected }
    }

    private mutating func expect(_ literal: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        for index in 0..<literal.utf8CodeUnitCount { try expect(literal.utf8Start[index]) }
        return value
    }

    // MARK: Values

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        guard let first = next else { throw unexpected }
        switch first {
        case UInt8(ascii: "{"): return .object(try object(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try array(depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try expect("true", .bool(true))
        case UInt8(ascii: "f"): return try expect("false", .bool(false))
        case UInt8(ascii: "n"): return try expect("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        case _: throw unexpected
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONObject {
        guard depth <= maximumDepth else { throw JSONError(.tooDeep, at: position) }
        position += 1
        skipWhiteSpace()
        var members: [JSONObject.Member] = []
        if take(UInt8(ascii: "}")) { return JSONObject() }
        // A set, not a scan: a line of thousands of names must not cost the square of them.
        var names: Set<ExactName> = []
        repeat {
            skipWhiteSpace()
            let start = position
            guard next == UInt8(ascii: "\"") else { throw unexpected }
            let name = try string()
            guard names.insert(ExactName(text: name)).inserted else {
                throw JSONError(.duplicateName, at: start)
            }
            skipWhiteSpace()
            try expect(UInt8(ascii: ":"))
            skipWhiteSpace()
            members.append(JSONObject.Member(name, try value(depth: depth)))
            skipWhiteSpace()
        } while take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "}"))
        return JSONObject(members)
    }

    private mutating func array(depth: Int) throws(JSONError) -> [JSONValue] {
        guard depth <= maximumDepth else { throw JSONError(.tooDeep, at: position) }
        position += 1
        skipWhiteSpace()
        if take(UInt8(ascii: "]")) { return [] }
        var elements: [JSONValue] = []
        repeat {
            skipWhiteSpace()
            elements.append(try value(depth: depth))
            skipWhiteSpace()
        } while take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "]"))
        return elements
    }

    // MARK: Numbers: -? (0 | [1-9] digit*) (. digit+)? ([eE] [+-]? digit+)?

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        _ = take(UInt8(ascii: "-"))
        let leading = next
        guard digits() > 0 else { throw JSONError(.invalidNumber, at: start) }
        if leading == UInt8(ascii: "0"),
            bytes[start] != UInt8(ascii: "-") ? position - start > 1 : position - start > 2
        {
            throw JSONError(.invalidNumber, at: start)
        }
        var isInteger = true
        if take(UInt8(ascii: ".")) {
            isInteger = false
            guard digits() > 0 else { throw JSONError(.invalidNumber, at: start) }
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isInteger = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            guard digits() > 0 else { throw JSONError(.invalidNumber, at: start) }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        // -0 is not what is written of the integer 0, and an `id` comes back as it was sent.
        if isInteger, text != "-0", let integer = Int64(text) { return .integer(integer) }
        return .number(JSONNumber(validated: text))
    }

    private mutating func digits() -> Int {
        let start = position
        while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { position += 1 }
        return position - start
    }

    // MARK: Strings

    private mutating func string() throws(JSONError) -> String {
        let start = position
        position += 1
        var text: [UInt8] = []
        while let byte = next {
            if byte == UInt8(ascii: "\"") {
                position += 1
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw JSONError(.invalidUTF8, at: start)
                }
                return string
            }
            guard byte >= 0x20 else { throw JSONError(.controlCharacter, at: position) }
            if byte == UInt8(ascii: "\\") {
                try escape(into: &text)
            } else {
                text.append(byte)
                position += 1
            }
        }
        throw unexpected
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
        let start = position
        position += 1
        guard let kind = next else { throw unexpected }
        position += 1
        switch kind {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(kind)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: String(try escapedScalar(from: start)).utf8)
        case _: throw JSONError(.invalidEscape, at: start)
        }
    }

    /// `\uXXXX`, or a surrogate pair of two; a lone surrogate is no text (RFC 8259, section 8.2).
    private mutating func escapedScalar(from start: Int) throws(JSONError) -> Unicode.Scalar {
        let first = try codeUnit(from: start)
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
            throw JSONError(.invalidEscape, at: start)
        }
        let second = try codeUnit(from: start)
        guard second >= 0xDC00, second <= 0xDFFF,
            let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
        else { throw JSONError(.invalidEscape, at: start) }
        return scalar
    }

    private mutating func codeUnit(from start: Int) throws(JSONError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next else { throw unexpected }
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw JSONError(.invalidEscape, at: start)
            }
            unit = unit << 4 | UInt32(digit)
            position += 1
        }
        return unit
    }
}

/// A member's name, which is another where its bytes are others (RFC 8259, section 8.3), also where Unicode calls the two
/// canonically equivalent and Swift's strings are equal: what one reader of a line takes for a name given twice, and
/// another does not, must not depend on the language that it is written in.
private struct ExactName: Hashable {
    let text: String

    static func == (one: ExactName, other: ExactName) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
