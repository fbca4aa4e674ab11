/// What kind of bytes a burst had: one letter each, from which no value comes back.
///
///     P preamble (55)    S 02    E 03    A 06    R 15 to 18    d a digit    t other text    x anything else    ! an error
///
/// A burst longer than any answer to a question is not shown at all but counted: it could be a swipe.
package struct ByteShape: Sendable {
    /// An answer with a version's text is shorter; the shortest swipe is longer.
    package static let longestShown = 40

    private var letters: [Character] = []
    package private(set) var bytes = 0
    package private(set) var errors = 0

    package init() {}

    package mutating func take(_ event: AcousticEvent) {
        switch event {
        case .byte(let byte):
            bytes += 1
            if byte != 0x55 || letters.last != "P" { letters.append(Self.letter(byte)) }
        case .framingError, .parityError:
            errors += 1
            letters.append("!")
        case .burstStarted, .burstEnded: break
        }
        if letters.count > Self.longestShown { letters = Array(letters.prefix(Self.longestShown + 1)) }
    }

    package var text: String {
        letters.count > Self.longestShown ? "\(bytes) bytes, not shown" : String(letters)
    }

    private static func letter(_ byte: UInt8) -> Character {
        switch byte {
        case 0x55: "P"
        case 0x02: "S"
        case 0x03: "E"
        case 0x06: "A"
        case 0x15...0x18: "R"
        case UInt8(ascii: "0")...UInt8(ascii: "9"): "d"
        case 0x20...0x7E: "t"
        case _: "x"
        }
    }
}
