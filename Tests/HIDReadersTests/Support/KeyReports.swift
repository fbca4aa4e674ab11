import ReaderTesting

@testable import Captures
@testable import HIDReaders

/// Reports of keys that are pressed.
enum KeyReports {
    static let plain = Array("abcdefghijklmnopqrstuvwxyz1234567890\r")

    static let shifted = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ!@#$%^&*()\r")

    static let marks = Array(" -=[]\\\u{1};'`,./")

    static let shiftedMarks = Array(" _+{}|\u{1}:\"~<>?")

    /// The usage of a character, and whether shift is held for it.
    static func key(_ character: Character) throws -> (usage: UInt8, isShifted: Bool) {
        for (keys, first, isShifted) in [
            (plain, 0x04, false), (marks, 0x2C, false), (shifted, 0x04, true), (shiftedMarks, 0x2C, true),
        ] {
            if let place = keys.firstIndex(of: character) { return (UInt8(first + place), isShifted) }
        }
        throw CaptureMissing()
    }

    struct CaptureMissing: Error {}

    /// A key goes down, then up; the same key again needs the second report, another one does not.
    static func reports(_ text: String, isQuick: Bool) throws -> [[UInt8]] {
        var reports: [[UInt8]] = []
        var last: UInt8 = 0
        for character in text {
            let (usage, isShifted) = try key(character)
            if !isQuick || usage == last { reports.append(Array(repeating: 0, count: 8)) }
            reports.append([isShifted ? 2 : 0, 0, usage, 0, 0, 0, 0, 0])
            last = usage
        }
        return reports + [Array(repeating: 0, count: 8)]
    }
}
