import HIDReaders

/// Keys as tools print them, an event a line.
///
///     evtest    Event: time 1.0, type 1 (EV_KEY), code 6 (KEY_5), value 1
///     evemu     E: 0.000001 0001 0006 0001  # EV_KEY / KEY_5   1
///     libinput  -event4  KEYBOARD_KEY  +1.23s  KEY_5 (6) pressed
///     evdev     key event at 1.0, 6 (KEY_5), down
enum KeyEvents {
    /// What was typed; nil where the lines are something else.
    static func text(_ lines: [ArraySlice<UInt8>]) -> [UInt8]? {
        let named = lines.filter { CaptureText.contains($0, Array("KEY_".utf8)) }
        return KeyPresses.text(ofEvents: named.compactMap { event(String(decoding: $0, as: UTF8.self)) })
    }

    /// What tools call the values 0 and 1.
    private static let values = ["released": 0, "up": 0, "pressed": 1, "down": 1]

    /// `KEY_5` and the number, or its name, that the line ends with.
    private static func event(_ line: String) -> KeyPresses.Event? {
        let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }
        guard let key = words.first(where: { $0.hasPrefix("KEY_") }), let last = words.last,
            let value = Int(last) ?? values[String(last)]
        else { return nil }
        return KeyPresses.Event(name: String(key.dropFirst("KEY_".count)), value: value)
    }
}
