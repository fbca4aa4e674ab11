import HIDReaders
package import ReaderKit

/// Text on a line: what most serial readers send, in the form in which others type.
///
///     [sign-on CR]      once, 150 to 330 ms after DTR: MagTek's port-powered readers; never later than ``greeting``
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
    /// ASSUMPTION: three times what MagTek's manual 413759 says.
    package static let greeting: Duration? = .seconds(1)

    /// What the kernel puts in the place of a character whose parity or frame is wrong (termios(3), INPCK).
    private static let damaged: UInt8 = 0x00

    private var text: [UInt8] = []
    private var isTooLong = false
    /// The line was opened just now, and nothing was heard yet.
    private var isFresh = true
    /// The most lines that a swipe had.
    private var mostLines = 0

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
        defer { isFresh = false }
        guard heard.contains(where: { $0 > 0x20 }) else { return [] }
        // What a line says while it gets its power may be in front.
        if isFresh, let signOn = Self.signOn(Array(heard.drop { $0 <= 0x20 })) { return [.signOn(signOn)] }
        // The place of a sentinel that was damaged: its track would be left out, and the next one take its number.
        guard !heard.contains(Self.damaged) else {
            return [
                .malformed(
                    "text of \(heard.count) bytes, some damaged on the line: are its speed and frame right?")
            ]
        }
        guard ReaderText.mayHoldSwipe(heard) || Self.isPacket(heard) else {
            return [.malformed("\(heard.count) bytes without the beginning of a track")]
        }
        let results = ReaderText.read(heard)
        // Two cards in one go, or noise, tell nothing of how this reader's swipes end.
        if results.count == 1, case .success? = results.first {
            mostLines = max(mostLines, Self.lines(heard))
        }
        return results.map { result in
            switch result {
            case .success(let found): .swipe(found.swipe, serial: found.serial)
            case .failure(let refusal): .malformed(refusal.sentence)
            }
        }
    }

    /// Whoever pulls the plug right after a swipe does not lose it, where the reader has shown that its swipes end so: a line may be
    /// the first of several, and less than this reader's usual number may be half a swipe.
    package mutating func ended() -> [SerialFinding] {
        if let last = text.last, Self.isLineEnd(last), Self.lines(text) == mostLines { return silence() }
        lose()
        return []
    }

    package mutating func lose() {
        text = []
        isTooLong = false
    }

    private static func isPacket(_ text: [UInt8]) -> Bool { text.starts(with: "02".utf8) }

    private static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0D || byte == 0x0A }

    private static func lines(_ text: [UInt8]) -> Int { text.split(whereSeparator: isLineEnd).count }

    /// The number of its firmware, which a reader sends when it gets power: eight digits, a letter, two digits, as `21042807E02`.
    /// ASSUMPTION: all are of this form. Anything looser may be of a card, and what a reader says of itself everybody may see.
    private static func signOn(_ heard: [UInt8]) -> String? {
        let line = heard.prefix { !isLineEnd($0) }
        guard line.count < heard.count, heard[line.count...].allSatisfy({ $0 <= 0x20 }),
            line.count == 11,
            line.enumerated().allSatisfy({ ($0.offset == 8 ? 0x41...0x5A : 0x30...0x39).contains($0.element) }
            )
        else { return nil }
        return String(decoding: line, as: UTF8.self)
    }
}
