import ReaderPackets

/// Bytes as string literals of programs: `b'\x00\x00<%'`, `"\u0000\u003c"`, `$'\0\0'`, and strings that hold hex, base64
/// or a stream: `{"data": "0000003C25"}`, `bytes.fromhex("00 00")`.
enum StringLiterals {
    /// No report, packet or stream is shorter; names are.
    private static let leastBytes = 16

    static func readings(_ text: [UInt8]) -> [[[UInt8]]] {
        let ways = quotes.map { literals(text, quote: $0) }
        // Escapes without quotes around them.
        let bare =
            text.contains(UInt8(ascii: "\\")) ? unescaped(CaptureText.trimmed(text[...])).map { [$0] } : nil
        let contents = ways.map { $0.map(content).filter { $0.count >= leastBytes } }
        // One report in several literals, which programs put together.
        let wholes = ways.filter { $0.count > 1 }.flatMap { ways -> [[[UInt8]]] in
            let whole = ways.flatMap(\.self)
            return [[whole], [content(whole)]]
        }
        return (contents + wholes + (bare.map { [$0] } ?? [])).filter { !$0.isEmpty }
    }

    /// More control characters than a track has digits behind backslashes.
    private static let leastControls = 24

    /// Whether some literal, or a text without quotes, is bytes: many of its escapes stand for what is no character.
    static func holdsBytes(_ text: [UInt8]) -> Bool {
        guard text.contains(UInt8(ascii: "\\")) else { return false }
        let quoted = quotes.flatMap { literals(text, quote: $0) }
        let bare = unescaped(CaptureText.trimmed(text[...])).map { [$0] } ?? []
        return (quoted + bare).contains { bytes in
            bytes.count { !(0x20...0x7F).contains($0) } >= leastControls
        }
    }

    private static let quotes = "\"'`".utf8.map(\.self)

    /// Takes the literal that a text begins with, its quotes included.
    static func literal(_ rest: inout ArraySlice<UInt8>, quote: UInt8) -> [UInt8]? {
        var place = rest.startIndex + 1
        while place < rest.endIndex, rest[place] != quote {
            place += rest[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard place < rest.endIndex else { return nil }
        defer { rest = rest[(place + 1)...] }
        return unescaped(rest[(rest.startIndex + 1)..<place])
    }

    private static func literals(_ text: [UInt8], quote: UInt8) -> [[UInt8]] {
        var found: [[UInt8]] = []
        var start: Int?
        var place = 0
        while place < text.count {
            if let open = start {
                if text[place] == UInt8(ascii: "\\") {
                    place += 1
                } else if text[place] == quote {
                    if let literal = unescaped(text[open..<place]) { found.append(literal) }
                    start = nil
                }
            } else if text[place] == quote {
                start = place + 1
            }
            place += 1
        }
        return found
    }

    /// A literal that holds a form of its own.
    private static func content(_ literal: [UInt8]) -> [UInt8] {
        guard CaptureText.isText(literal) else { return literal }
        // A typed packet may be nothing but hex.
        if (try? IDTechFrame.typed(literal)) != nil { return literal }
        if let digits = HexText.digits(of: literal[...]), let bytes = HexField.bytes(digits) { return bytes }
        return Base64.bytes(literal[...]) ?? literal
    }

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "a"): 0x07, UInt8(ascii: "b"): 0x08, UInt8(ascii: "t"): 0x09, UInt8(ascii: "n"): 0x0A,
        UInt8(ascii: "v"): 0x0B, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "e"): 0x1B,
        UInt8(ascii: "E"): 0x1B,
    ]

    /// What an escape may hide: it stands for itself.
    private static let themselves = Set("\\\"'`/$?".utf8)

    /// What the escapes stand for; nil where one is of no usual form, or is no byte.
    private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            guard let kind = rest.popFirst() else { return nil }
            if let control = escapes[kind] {
                bytes.append(control)
            } else if kind == UInt8(ascii: "x") || kind == UInt8(ascii: "u") {
                guard let value = hex(&rest, isLong: kind == UInt8(ascii: "u")) else { return nil }
                bytes.append(value)
            } else if (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(kind) {
                let more = rest.prefix(2).prefix { (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }
                guard let value = UInt8(String(decoding: [kind] + more, as: UTF8.self), radix: 8) else {
                    return nil
                }
                rest = rest.dropFirst(more.count)
                bytes.append(value)
            } else if Self.themselves.contains(kind) {
                bytes.append(kind)
            } else if kind != 0x0A {
                // An escaped line end is no character; a backslash before any other is one itself, or a mistake.
                return nil
            }
        }
        return bytes
    }

    /// `3c`, `003c` or `{3c}`.
    private static func hex(_ rest: inout ArraySlice<UInt8>, isLong: Bool) -> UInt8? {
        let isBraced = rest.first == UInt8(ascii: "{")
        if isBraced { rest = rest.dropFirst() }
        let digits = rest.prefix(isLong ? 4 : 2).prefix { HexField.value($0) != nil }
        guard isBraced || digits.count == (isLong ? 4 : 2),
            let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
        else { return nil }
        rest = rest.dropFirst(digits.count)
        if isBraced { guard rest.popFirst() == UInt8(ascii: "}") else { return nil } }
        return value
    }
}
