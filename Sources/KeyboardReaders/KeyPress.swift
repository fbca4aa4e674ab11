/// A key that was pressed, with what was held.
enum KeyPress: Sendable, Hashable {
    case key(UInt16, KeyModifiers)
    /// Typed by its number: Alt held, digits of the keypad.
    case character(UInt8)
    /// Something that types no character.
    case unknown

    /// Whether it ends a line in every layout.
    var isEnter: Bool {
        switch self {
        case .key(let code, let held):
            (code == KeyCode.enter || code == KeyCode.keypadEnter) && !held.contains(.control)
        case .character(let character): character == 0x0D || character == 0x0A
        case .unknown: false
        }
    }
}

struct KeyModifiers: OptionSet, Sendable, Hashable {
    let rawValue: UInt8
    static let shift = Self(rawValue: 1 << 0)
    static let altGr = Self(rawValue: 1 << 1)
    static let control = Self(rawValue: 1 << 2)
    /// Caps Lock was pressed an odd number of times since the reader is heard; what it was before, nobody knows.
    static let capsLock = Self(rawValue: 1 << 3)
}
