/// A key, or a text that was pasted at once.
package enum Key: Sendable, Hashable {
    case text(String)
    case paste(String)
    case enter, tab, backTab, backspace, delete, left, right, home, end, escape, interrupt
    /// F1 to F4.
    case function(Int)
}

/// Turns what a terminal sends into keys (ECMA-48 and xterm's control sequences).
///
///     ESC [ C · ESC O C      an arrow; H F home and end; Z tab backwards
///     ESC [ 3 ~              delete; 1 7 home, 4 8 end
///     ESC O P … S · ESC [ 1 1 ~ … 1 4 ~ · ESC [ [ A … D   F1 to F4; the last ones on the kernel's own console
///     ESC [ 200 ~ … ESC [ 201 ~   a paste, taken as one text
///
/// A single ESC is a key by itself when nothing follows it in the same read; with another key behind it, it is Alt, which
/// means nothing here and must not give up a payment.
package struct KeyDecoder: Sendable {
    /// A paste or an unfinished sequence that is longer is thrown away, a paste to its end.
    static let longestPending = 8_192

    private var pending: [UInt8] = []
    private var isSkippingPaste = false
    private static let escape: UInt8 = 0x1B
    private static let pasteStart = Array("\u{1B}[200~".utf8)
    private static let pasteEnd = Array("\u{1B}[201~".utf8)

    package init() {}

    /// How many bytes wait for the rest of a key.
    var pendingCount: Int { pending.count }

    /// The keys in what one read gave; what is not complete waits for the next one.
    package mutating func keys(in bytes: some Sequence<UInt8>) -> [Key] {
        pending += bytes
        if isSkippingPaste { skipPaste() }
        guard !isSkippingPaste else { return [] }
        var keys: [Key] = []
        var rest = pending[...]
        while !rest.isEmpty, let (key, length) = Self.next(rest) {
            if let key { keys.append(key) }
            rest = rest.dropFirst(length)
        }
        pending = Array(rest)
        guard pending.count > Self.longestPending else { return keys }
        isSkippingPaste = pending.starts(with: Self.pasteStart)
        if isSkippingPaste { skipPaste() } else { pending = [] }
        return keys
    }

    /// A line feed in the rest of a book must not be taken for the key that pays.
    private mutating func skipPaste() {
        let bytes = pending
        for place in bytes.indices where bytes[place...].starts(with: Self.pasteEnd) {
            pending = Array(bytes[(place + Self.pasteEnd.count)...])
            isSkippingPaste = false
            return
        }
        // The end's own beginning may be there already.
        pending = Array(bytes.suffix(Self.pasteEnd.count))
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
        if kind < 0x20 { return (.escape, 1) }
        guard kind == UInt8(ascii: "[") || kind == UInt8(ascii: "O") else {
            return character(after).map { (nil, $0.1 + 1) }
        }
        // Parameters, then one final byte (ECMA-48 §5.4).
        let body = after.dropFirst()
        guard let end = body.firstIndex(where: { (0x40...0x7E).contains($0) }) else { return nil }
        if kind == UInt8(ascii: "["), body[end] == kind, end == body.startIndex {
            return console(body.dropFirst())
        }
        let parameters = String(decoding: body[..<end], as: UTF8.self)
        return (key(final: body[end], parameters), end - bytes.startIndex + 1)
    }

    /// What follows `ESC [ [`: the kernel's console has function keys of its own (console_codes(4), keymaps(5)).
    private static func console(_ bytes: ArraySlice<UInt8>) -> (Key?, Int)? {
        guard let letter = bytes.first else { return nil }
        let isKnown = (UInt8(ascii: "A")...UInt8(ascii: "D")).contains(letter)
        return (isKnown ? .function(Int(letter - UInt8(ascii: "A")) + 1) : nil, 4)
    }

    private static func key(final: UInt8, _ parameters: String) -> Key? {
        switch final {
        case UInt8(ascii: "P")...UInt8(ascii: "S"): .function(Int(final - UInt8(ascii: "P")) + 1)
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
            case "11", "12", "13", "14": Int(parameters).map { Key.function($0 - 10) }
            default: nil
            }
        default: nil
        }
    }

    private static func paste(_ bytes: ArraySlice<UInt8>) -> (Key?, Int)? {
        let body = bytes.dropFirst(pasteStart.count)
        for place in body.indices where body[place] == escape && body[place...].starts(with: pasteEnd) {
            let length = place - bytes.startIndex + pasteEnd.count
            return (.paste(String(decoding: body[..<place], as: UTF8.self)), length)
        }
        return nil
    }
}

extension [Key] {
    /// What these keys type, where they may be a whole card that came in one read: a scanner's, or a paste from a terminal
    /// that does not mark pastes. Tab and Enter stand between its parts; an Enter at the end pays. Nil where there are other
    /// keys among them.
    package var wholeText: (text: String, pays: Bool)? {
        var text = ""
        for key in self {
            switch key {
            case .text(let letter): text += letter
            case .tab: text += "\t"
            case .enter: text += "\n"
            case .paste, .backTab, .backspace, .delete, .left, .right, .home, .end, .escape, .interrupt,
                .function:
                return nil
            }
        }
        return (text, last == .enter)
    }
}
