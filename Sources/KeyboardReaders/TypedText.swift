import ReaderKit

/// Presses as a text in one layout.
struct TypedText: Sendable, Hashable {
    /// In the place of what is no character of ASCII: no track has it.
    static let unknown: UInt8 = 0xFF

    var bytes: [UInt8] = []
    /// A dead key says two things here: which of them, nobody can tell.
    var isAmbiguous = false

    private static let blank = UInt8(ascii: " ")

    init(_ presses: [KeyPress], in layout: KeyboardLayout) {
        bytes.reserveCapacity(presses.count)
        let symbols = presses.map { Self.symbol($0, layout) }
        // A reader that knows of dead keys puts a blank behind each of them; one that does not, behind none, unless the card has
        // one there. So all or not all tells which reader this is.
        let dead = symbols.indices.filter { if case .dead = symbols[$0] { true } else { false } }
        let blanks = dead.filter { index in
            index + 1 < symbols.count && symbols[index + 1] == .character(Self.blank)
        }
        let takesBlank = !dead.isEmpty && blanks.count == dead.count
        // ASSUMPTION: no card has blanks behind all of several such characters.
        isAmbiguous = takesBlank && dead.count == 1
        var index = 0
        while index < symbols.count {
            switch symbols[index] {
            case .none: bytes.append(Self.unknown)
            case .character(let character): bytes.append(character)
            case .dead(let character):
                bytes.append(character)
                if takesBlank { index += 1 }
            }
            index += 1
        }
    }

    private static func symbol(_ press: KeyPress, _ layout: KeyboardLayout) -> KeyboardLayout.Symbol {
        switch press {
        case .unknown: return .none
        case .character(let character): return .character(character)
        case .key(let code, let held):
            let symbol = layout.symbol(code, held.subtracting(.control))
            guard case .character(let character) = symbol else { return symbol }
            if held.contains(.control) { return control(character) }
            return .character(held.contains(.capsLock) ? otherCase(character) : character)
        }
    }

    /// Ctrl and a letter are a control character: M the line's end, B the start of a text.
    private static func control(_ character: UInt8) -> KeyboardLayout.Symbol {
        let letter = character & 0xDF
        return (0x41...0x5A).contains(letter) ? .character(letter - 0x40) : .none
    }

    private static func otherCase(_ character: UInt8) -> UInt8 {
        (0x41...0x5A).contains(character & 0xDF) ? character ^ 0x20 : character
    }

    /// In capitals: no stripe but a JIS II one has small letters, and readers turn them over when they see Caps Lock lit.
    static func inCapitals(_ text: [UInt8]) -> [UInt8] {
        text.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }
    }
}
