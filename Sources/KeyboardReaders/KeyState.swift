import ReaderKit

/// Which keys are down, and what is pressed next.
///
///     report    MM 00 K1 K2 K3 K4 K5 K6      M: modifiers · the second byte is the maker's · K: usages that are down, in any order
///
/// Several new usages in one report were pressed in the order in which they stand; what is held is held for all of them, as in
/// the kernel (drivers/hid/hid-input.c). Source: HID 1.11, B.1 and 8.3; HID Usage Tables 1.12, section 10.
struct KeyState: Sendable {
    /// What an input says.
    struct Heard: Sendable, Hashable {
        var presses: [KeyPress] = []
        /// Whether a key went down, were it Shift, or a digit of a number: what the pace is told by.
        var hasDown = false
        /// Something is missing or wrong: what was typed around here is not known.
        var isBroken = false
        /// A key went up that had not gone down here.
        var isStray = false
    }

    static let reportBytes = 8
    /// More digits than any character's number has.
    private static let mostDigits = 5

    /// More keys than any keyboard has.
    private static let mostDown = 256

    /// In an order, so that the same reports always say the same. Some two at a time: they are looked for one by one.
    private var down: [UInt16] = []
    private var isCapsLocked = false
    /// Digits of the keypad since Alt is held, and whether another key came between.
    private var number: [UInt8] = []
    private var isNumberBroken = false

    mutating func receive(_ content: KeyInput.Content) -> Heard {
        var heard = Heard()
        switch content {
        case .lost:
            self = KeyState()
            heard.isBroken = true
        case .opened: self = KeyState()
        case .report(let bytes): receive(report: bytes, &heard)
        case .keys(let changes):
            for change in changes {
                switch change.direction {
                case .down: press(change.code, &heard)
                case .up: release(change.code, &heard)
                case .repeated: break
                }
            }
        }
        return heard
    }

    private mutating func receive(report bytes: [UInt8], _ heard: inout Heard) {
        guard let codes = Self.codes(in: bytes) else {
            heard.isBroken = true
            return
        }
        for (bit, code) in KeyCode.modifiers.enumerated() {
            let isHeld = bytes[0] & 1 << bit != 0
            if isHeld, !down.contains(code) { press(code, &heard) }
            if !isHeld, down.contains(code) { release(code, &heard) }
        }
        for code in down where !KeyCode.modifiers.contains(code) && !codes.contains(code) {
            release(code, &heard)
        }
        for code in codes where !down.contains(code) { press(code, &heard) }
    }

    /// The keys that a report says are down; nil where it is none of a boot keyboard's, or says that it cannot tell.
    private static func codes(in report: [UInt8]) -> [UInt16]? {
        guard report.count == reportBytes else { return nil }
        var codes: [UInt16] = []
        for usage in report.dropFirst(2) where usage != 0 {
            guard let code = KeyCode.of(usage: usage), !codes.contains(code) else { return nil }
            codes.append(code)
        }
        return codes
    }

    private mutating func press(_ code: UInt16, _ heard: inout Heard) {
        let place = down.firstIndex { $0 >= code } ?? down.endIndex
        // Only a lost event makes a key go down twice, or more keys than there are.
        guard down.count < Self.mostDown, place == down.endIndex || down[place] != code else {
            heard.isBroken = true
            return
        }
        down.insert(code, at: place)
        heard.hasDown = true
        switch code {
        case KeyCode.leftAlt: (number, isNumberBroken) = ([], false)
        case KeyCode.capsLock: isCapsLocked.toggle()
        case KeyCode.numLock, KeyCode.scrollLock: break
        case _ where KeyCode.modifiers.contains(code): break
        case _: type(code, &heard)
        }
    }

    private mutating func type(_ code: UInt16, _ heard: inout Heard) {
        let isAlt = down.contains(KeyCode.leftAlt)
        let isControl = down.contains(KeyCode.leftControl) || down.contains(KeyCode.rightControl)
        if isAlt, !isControl {
            if let digit = KeyCode.keypadDigits[code], number.count < Self.mostDigits {
                number.append(digit)
            } else {
                isNumberBroken = true
                heard.presses.append(.unknown)
            }
            return
        }
        guard !down.contains(KeyCode.leftMeta), !down.contains(KeyCode.rightMeta) else {
            return heard.presses.append(.unknown)
        }
        var held: KeyModifiers = isCapsLocked ? .capsLock : []
        if down.contains(KeyCode.leftShift) || down.contains(KeyCode.rightShift) { held.insert(.shift) }
        // Ctrl and Alt together are AltGr to programs of Windows, for which readers were made.
        if down.contains(KeyCode.rightAlt) || isAlt {
            held.insert(.altGr)
        } else if isControl {
            held.insert(.control)
        }
        heard.presses.append(.key(code, held))
    }

    private mutating func release(_ code: UInt16, _ heard: inout Heard) {
        guard let place = down.firstIndex(of: code) else {
            heard.isStray = true
            return
        }
        down.remove(at: place)
        guard code == KeyCode.leftAlt, !number.isEmpty else { return }
        let value = number.reduce(0) { $0 * 10 + Int($1) }
        heard.presses.append(value < 0x80 && !isNumberBroken ? .character(UInt8(value)) : .unknown)
        (number, isNumberBroken) = ([], false)
    }
}
