package import ReaderKit

extension KeyboardLayout {
    /// What readers type in unless they were set otherwise.
    package static let us: KeyboardLayout = {
        let rows: [(first: UInt16, plain: String, shifted: String)] = [
            (2, "1234567890-=", "!@#$%^&*()_+"), (16, "qwertyuiop[]", "QWERTYUIOP{}"),
            (30, "asdfghjkl;'`", "ASDFGHJKL:\"~"), (43, "\\zxcvbnm,./", "|ZXCVBNM<>?"),
            // The key beside the left shift that keyboards outside the US have.
            (86, "\\", "|"),
        ]
        var keys: [UInt16: Key] = [:]
        for row in rows {
            for (index, pair) in zip(row.plain.utf8, row.shifted.utf8).enumerated() {
                keys[row.first + UInt16(index)] = Key(.character(pair.0), .character(pair.1))
            }
        }
        return KeyboardLayout(name: "us", keys: keys)
    }()

    /// Keys that are the same in every layout: the keypad with its numbers locked, and what types no mark.
    private static let common: [UInt16: UInt8] = [
        1: 0x1B, 14: 0x08, 15: 0x09, 28: 0x0D, 57: 0x20, 96: 0x0D, 111: 0x7F, 55: UInt8(ascii: "*"),
        71: UInt8(ascii: "7"), 72: UInt8(ascii: "8"), 73: UInt8(ascii: "9"), 74: UInt8(ascii: "-"),
        75: UInt8(ascii: "4"), 76: UInt8(ascii: "5"), 77: UInt8(ascii: "6"), 78: UInt8(ascii: "+"),
        79: UInt8(ascii: "1"), 80: UInt8(ascii: "2"), 81: UInt8(ascii: "3"), 82: UInt8(ascii: "0"),
        83: UInt8(ascii: "."), 98: UInt8(ascii: "/"), 117: UInt8(ascii: "="),
    ]

    /// What a key makes with what is held.
    func symbol(_ code: UInt16, _ held: KeyModifiers) -> Symbol {
        if let character = Self.common[code] { return .character(character) }
        guard let key = keys[code] else { return .none }
        let isThird = held.contains(.altGr)
        switch (isThird, held.contains(.shift)) {
        case (false, false): return key.plain
        case (false, true): return key.shifted
        case (true, false): return key.third
        case (true, true): return key.thirdShifted
        }
    }
}
