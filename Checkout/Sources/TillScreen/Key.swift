/// A key, or a text that was typed or pasted at once.
package enum Key: Sendable, Hashable {
    case text(String)
    case enter, tab, backTab, backspace, delete, left, right, home, end, escape, interrupt
}

/// Turns what a terminal sends into keys (ECMA-48 and xterm's control sequences).
///
///     ESC [ C · ESC O C      an arrow; H F home and end; Z tab backwards
///     ESC [ 3 ~              delete; 1 7 home, 4 8 end
///     ESC [ 200 ~ … ESC [ 201 ~   a paste, taken as one text
///
/// A single ESC is a key by itself when nothing follows it in the same read.
package struct KeyDecoder: Sendable {
    /// A paste or an unfinished sequence that is longer is thrown away.
    static let longestPending = 8_192

    private var pending: [UInt8] = []
    private static let escape: UInt8 = 0x1B
    private static let pasteStart = Array("\u{1B}[200~".utf8)
    private static let pasteEnd = Array("\u{1B}[201~".utf8)

    package init() {}

    /// The keys in what one read gave; what is not complete waits for the next one.
    package mutating func keys(in bytes: some Sequence<UInt8>) -> [Key] {
        pending += bytes
        var keys: [Key] = []
        var rest = pending[...]
        while !rest.isEmpty, let (key, length) = Self.next(rest) {
            if let key { keys.append(key) }
            rest = rest.dropFirst(length)
        }
        pending = rest.count > Self.longestPending ? [] : Array(rest)
        return keys
    }

    /// The next key and its length; no key for a sequence that means nothing here; nil for one that is not complete.
    private static func next(_ bytes: ArraySlice<UInt8>) -> (Key?, Int)? {
        guard let first = bytes.first else { return nil }
        switch first {
        case escape: return sequence(bytes)
        case 0x03: return (.interrupt, 1)
        case 0x09: return (.tab, 1)
        case 0x0A, 0x0D: return (.enter, 1)
        case 0x08, 0x7F: return (.backspace, 1)
        case 0x01: return (.home, 1)
        case 0x05: return (.end, 1)
        case 0..<0x20: return (nil, 1)
        default: return character(bytes)
        }
    }

    /// One UTF-8 character; an impossible byte is passed over.
    private static func character(_ bytes: ArraySlice<UInt8>) -> (Key?, Int)? {
        guard let first = bytes.first else { return nil }
        let length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 0
        guard length > 0 else { return (nil, 1) }
        guard bytes.count >= length else { return nil }
        guard let text = String(validating: bytes.prefix(length), as: UTF8.self) else { return (nil, 1) }
        return (.text(text), length)
    }

    private static func sequence(_ bytes: ArraySlice<UInt8>) -> (Key?, Int)? {
        if bytes.starts(with: pasteStart) { return paste(bytes) }
        let after = bytes.dropFirst()
        guard let kind = after.first else { return (.escape, 1) }
        guard kind == UInt8(ascii: "[") || kind == UInt8(ascii: "O") else { return (.escape, 1) }
        // Parameters, then one final byte (ECMA-48 §5.4).
        let body = after.dropFirst()
        guard let end = body.firstIndex(where: { (0x40...0x7E).contains($0) }) else { return nil }
        let parameters = String(decoding: body[..<end], as: UTF8.self)
        return (key(final: body[end], parameters), end - bytes.startIndex + 1)
    }

    private static func key(final: UInt8, _ parameters: String) -> Key? {
        switch final {
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        case UInt8(ascii: "A"), UInt8(ascii: "Z"): .backTab
        case UInt8(ascii: "B"): .tab
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "~"):
            switch parameters {
            case "3": .delete
            case "1", "7": .home
            case "4", "8": .end
            default: nil
            }
        default: nil
        }
    }

    private static func paste(_ bytes: ArraySlice<UInt8>) -> (Key?, Int)? {
        let body = bytes.dropFirst(pasteStart.count)
        for place in body.indices where body[place] == escape && body[place...].starts(with: pasteEnd) {
            let length = place - bytes.startIndex + pasteEnd.count
            return (.text(String(decoding: body[..<place], as: UTF8.self)), length)
        }
        return nil
    }
}
