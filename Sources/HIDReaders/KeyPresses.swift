/// What a reader in keyboard mode typed, out of its keys. US layout, which is the readers' own.
///
///     report    MM 00 K1 K2 K3 K4 K5 K6      M: modifiers, bits 1 and 5 shift · K: keys that are down (HID usage page 7)
///
/// Source: HID Usage Tables 1.12, section 10; linux/input-event-codes.h.
package enum KeyPresses {
    static let reportBytes = 8
    /// The shortest stream is a track of a few characters; a report that merely looks like keys has fewer.
    private static let leastKeys = 8
    private static let shiftBits: UInt8 = 0x22
    /// The highest usage of a boot keyboard's array.
    private static let highestKey: UInt8 = 0x65

    /// The text of boot keyboard reports, one after the other; nil where the bytes are something else.
    package static func text(ofReports bytes: [UInt8]) -> [UInt8]? {
        guard !bytes.isEmpty, bytes.count.isMultiple(of: reportBytes) else { return nil }
        var text: [UInt8] = []
        var down: Set<UInt8> = []
        for start in stride(from: 0, to: bytes.count, by: reportBytes) {
            let keys = bytes[(start + 2)..<(start + reportBytes)].filter { $0 != 0 }
            let pressed = Set(keys)
            guard bytes[start + 1] == 0, pressed.count == keys.count, keys.allSatisfy({ $0 <= highestKey })
            else { return nil }
            for key in keys where !down.contains(key) {
                let letter = characters[key] ?? unknown
                text.append(bytes[start] & shiftBits == 0 ? letter.plain : letter.shifted)
            }
            down = pressed
        }
        return text.count { $0 != unknown.plain } < leastKeys ? nil : text
    }

    /// A key that went down or up, by its name in Linux without `KEY_`.
    package struct Event: Sendable {
        package var name: String
        /// 0 up, 1 down, 2 repeated.
        package var value: Int

        package init(name: String, value: Int) { (self.name, self.value) = (name, value) }
    }

    /// The text of events; nil where they are too few keys.
    package static func text(ofEvents events: [Event]) -> [UInt8]? {
        var text: [UInt8] = []
        var isShifted = false
        for event in events {
            if event.name == "LEFTSHIFT" || event.name == "RIGHTSHIFT" {
                isShifted = event.value != 0
            } else if event.value == 1, !modifiers.contains(event.name) {
                let letter = named[event.name] ?? unknown
                text.append(isShifted ? letter.shifted : letter.plain)
            }
        }
        return text.count { $0 != unknown.plain } < leastKeys ? nil : text
    }

    private struct Letter: Sendable {
        var plain: UInt8
        var shifted: UInt8
    }

    /// What a key typed that is not in the table, nobody knows: a character that no track has refuses the one it stands in.
    private static let unknown = Letter(plain: UInt8(ascii: "~"), shifted: UInt8(ascii: "~"))

    /// Keys that type nothing by themselves.
    private static let modifiers: Set = [
        "LEFTCTRL", "RIGHTCTRL", "LEFTALT", "RIGHTALT", "LEFTMETA", "RIGHTMETA", "CAPSLOCK", "NUMLOCK",
        "SCROLLLOCK",
    ]

    /// By usage, from 04 (A) on: letters, digits, what a line and its marks need, and from 54 on the keypad, with its numbers locked.
    private static let characters: [UInt8: Letter] = {
        let plain = Array("abcdefghijklmnopqrstuvwxyz1234567890\r".utf8)
        let shifted = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ!@#$%^&*()\r".utf8)
        let marks = Array(" -=[]\\\\;'`,./".utf8)
        let shiftedMarks = Array(" _+{}||:\"~<>?".utf8)
        var table: [UInt8: Letter] = [:]
        for (index, pair) in zip(plain, shifted).enumerated() {
            table[0x04 + UInt8(truncatingIfNeeded: index)] = Letter(plain: pair.0, shifted: pair.1)
        }
        for (index, pair) in zip(marks, shiftedMarks).enumerated() {
            table[0x2C + UInt8(truncatingIfNeeded: index)] = Letter(plain: pair.0, shifted: pair.1)
        }
        for (index, letter) in "/*-+\r1234567890.".utf8.enumerated() {
            table[0x54 + UInt8(truncatingIfNeeded: index)] = Letter(plain: letter, shifted: letter)
        }
        return table
    }()

    private static let names: [String: UInt8] = [
        "ENTER": 0x28, "KPENTER": 0x28, "SPACE": 0x2C, "MINUS": 0x2D, "EQUAL": 0x2E, "LEFTBRACE": 0x2F,
        "RIGHTBRACE": 0x30, "BACKSLASH": 0x31, "SEMICOLON": 0x33, "APOSTROPHE": 0x34, "GRAVE": 0x35,
        "COMMA": 0x36, "DOT": 0x37, "SLASH": 0x38, "KPSLASH": 0x54, "KPASTERISK": 0x55, "KPMINUS": 0x56,
        "KPPLUS": 0x57, "KP1": 0x59, "KP2": 0x5A, "KP3": 0x5B, "KP4": 0x5C, "KP5": 0x5D, "KP6": 0x5E,
        "KP7": 0x5F, "KP8": 0x60, "KP9": 0x61, "KP0": 0x62, "KPDOT": 0x63,
    ]

    private static let named: [String: Letter] = {
        var table = names.compactMapValues { characters[$0] }
        for usage in UInt8(0x04)...0x27 {
            guard let letter = characters[usage] else { continue }
            table[String(UnicodeScalar(letter.plain)).uppercased()] = letter
        }
        return table
    }()
}
