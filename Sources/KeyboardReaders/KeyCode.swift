/// Linux' codes of keys (linux/input-event-codes.h), and the usages that HID has for them.
package enum KeyCode {
    package static let leftControl: UInt16 = 29
    package static let leftShift: UInt16 = 42
    package static let rightShift: UInt16 = 54
    package static let leftAlt: UInt16 = 56
    package static let rightControl: UInt16 = 97
    package static let rightAlt: UInt16 = 100
    package static let leftMeta: UInt16 = 125
    package static let rightMeta: UInt16 = 126
    package static let capsLock: UInt16 = 58
    package static let enter: UInt16 = 28
    package static let keypadEnter: UInt16 = 96
    package static let space: UInt16 = 57
    static let numLock: UInt16 = 69
    static let scrollLock: UInt16 = 70

    /// Bits 0 to 7 of a report's first byte (HID 1.11, 8.3).
    static let modifiers = [
        leftControl, leftShift, leftAlt, leftMeta, rightControl, rightShift, rightAlt, rightMeta,
    ]

    /// The keypad's digits.
    static let keypadDigits: [UInt16: UInt8] = [
        82: 0, 79: 1, 80: 2, 81: 3, 75: 4, 76: 5, 77: 6, 71: 7, 72: 8, 73: 9,
    ]

    /// The code of a usage on HID's page 7, as the kernel has it (drivers/hid/hid-input.c, hid_keyboard); nil for one that is no
    /// key of a boot keyboard. 1 to 3 are none: they say that it cannot tell which keys are down.
    package static func of(usage: UInt8) -> UInt16? {
        let index = Int(usage) - firstUsage
        guard byUsage.indices.contains(index), byUsage[index] != 0 else { return nil }
        return byUsage[index]
    }

    /// The usage of a code.
    package static func usage(of code: UInt16) -> UInt8? {
        byUsage.firstIndex(of: code).map { UInt8(truncatingIfNeeded: $0 + firstUsage) }
    }

    private static let firstUsage = 0x04

    /// From usage 04 (A) to 67 (keypad =). 32 is the key beside Enter of keyboards that have one more, with the code of 31.
    private static let byUsage: [UInt16] = [
        30, 48, 46, 32, 18, 33, 34, 35, 23, 36, 37, 38, 50, 49, 24, 25, 16, 19, 31, 20, 22, 47, 17, 45, 21,
        44,
        2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 28, 1, 14, 15, 57, 12, 13, 26, 27, 43, 43, 39, 40, 41, 51, 52, 53, 58,
        59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 87, 88, 99, 70, 119, 110, 102, 104, 111, 107, 109, 106, 105,
        108, 103, 69, 98, 55, 74, 78, 96, 79, 80, 81, 75, 76, 77, 71, 72, 73, 82, 83, 86, 127, 116, 117,
    ]
}
