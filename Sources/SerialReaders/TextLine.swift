import HIDReaders
package import ReaderKit

/// Text on a line: what most serial readers send, in the form in which others type.
///
///     [sign-on CR]      once, 150 to 330 ms after DTR: MagTek's port-powered readers
///     TRACKS [CR] …     clear tracks, one line or a line each; or a stream of fields; or a typed packet (``ReaderText``)
///
/// A swipe ends by silence: readers differ in where they put line ends, and old firmware pauses for 10 ms between bursts.
/// Source: MagTek's manuals 99875475, 413759, 413756 (`docs/serial-readers.md`).
package struct TextLine: SerialFrames {
    package static let descriptor = DriverDescriptor(
        name: "text-line", kind: "text",
        matches: [
            DeviceMatch(
                bus: .serial, model: "Reader that sends text over a line",
                support: .shouldWork(
                    why: "published streams and texts go through it in the tests; no recording of a line"))
        ])

    /// ASSUMPTION: no reader pauses for so long within a swipe; the longest pause that a manual names is 10 ms.
    package static let patience = Duration.milliseconds(200)
    /// The longest sign-on; a part number and a version.
    private static let longestSignOn = 32
    /// An account number has twelve digits at least: a text with as many is never told as it is.
    private static let mostDigits = 11

    private var text: [UInt8] = []
    private var isTooLong = false
    /// Nothing was heard yet but maybe a sign-on.
    private var isFresh = true

    package init() {}

    package var isPending: Bool { !text.isEmpty || isTooLong }

    package mutating func receive(_ bytes: [UInt8]) -> [SerialFinding] {
        guard !isTooLong else { return [] }
        text += bytes
        guard text.count > ReaderText.maximumCharacters else { return [] }
        text = []
        isTooLong = true
        return [.malformed("text of more than \(ReaderText.maximumCharacters) characters without a pause")]
    }

    package mutating func silence() -> [SerialFinding] {
        let heard = text
        lose()
        let hasText = heard.contains { $0 > 0x20 }
        guard hasText else { return [] }
        defer { isFresh = false }
        if isFresh, let signOn = Self.signOn(heard) { return [.signOn(signOn)] }
        guard ReaderText.mayHoldSwipe(heard) || Self.isPacket(heard) else {
            return [.malformed("\(heard.count) bytes without the beginning of a track")]
        }
        return ReaderText.read(heard).map { result in
            switch result {
            case .success(let found): .swipe(found.swipe, serial: found.serial)
            case .failure(let refusal): .malformed(refusal.sentence)
            }
        }
    }

    /// Whoever pulls the plug right after a swipe does not lose it; a text without a line's end may be half of one.
    package mutating func ended() -> [SerialFinding] {
        if let last = text.last, last == 0x0D || last == 0x0A { return silence() }
        lose()
        return []
    }

    package mutating func lose() {
        text = []
        isTooLong = false
    }

    private static func isPacket(_ text: [UInt8]) -> Bool { text.starts(with: "02".utf8) }

    /// A line that a reader sends when it gets power: short, printable, and no part of a card.
    private static func signOn(_ heard: [UInt8]) -> String? {
        let line = heard.prefix { $0 != 0x0D && $0 != 0x0A }
        guard line.count < heard.count, heard[line.count...].allSatisfy({ $0 <= 0x20 }),
            line.count <= longestSignOn, line.allSatisfy({ (0x20...0x7E).contains($0) }),
            !line.contains(where: { "%;^=?|".utf8.contains($0) }),
            line.count(where: { (0x30...0x39).contains($0) }) <= mostDigits
        else { return nil }
        return String(decoding: line, as: UTF8.self)
    }
}
