package import CardData

/// Looks at a track that a reader sent in clear, before it is believed: reports carry no check sum, so a text that its
/// own alphabet does not allow is the only sign of a broken one.
package enum TrackTextCheck {
    /// The outcome of a track with this text, sentinels included and LRC left out.
    package static func outcome(_ text: [UInt8], track: Int) -> TrackOutcome {
        let bytes = withUsualSentinel(text)
        guard let first = bytes.first, let alphabet = alphabet(sentinel: first), bytes.count > 1,
            bytes.last == alphabet.end
        else { return .refused(.malformed) }
        let inside = bytes.dropFirst().dropLast()
        guard inside.allSatisfy({ alphabet.range.contains($0) && $0 != alphabet.end }) else {
            return .refused(.malformed)
        }
        // Track 1's alphabet has a `*`, with which readers cover what they show beside a ciphertext.
        guard !ReaderCover.isCover(bytes, track: track) else { return .refused(.malformed) }
        return .read(SensitiveText(utf8: bytes))
    }

    /// The text with the sentinel that the card has.
    package static func withUsualSentinel(_ text: [UInt8]) -> [UInt8] {
        guard let first = text.first else { return text }
        let usual = first == thirdTrack && isAlphanumeric(text) ? alphanumeric : usualSentinel(first)
        return usual.map { [$0] + text.dropFirst() } ?? text
    }

    /// Whether a third track is in track 1's alphabet, as a licence's is: readers mark it with a `+` as well. One character that
    /// the track's own alphabet lacks may be a broken one or, where it stands more than once, what another keyboard types for a
    /// separator or a reader covers with; `*` is what readers cover with anyway.
    private static func isAlphanumeric(_ text: [UInt8]) -> Bool {
        let strange = Set(text.dropFirst().filter { !numbers.contains($0) && $0 != UInt8(ascii: "*") })
        return strange.count > 1 && strange.allSatisfy(letters.contains)
    }

    private static let thirdTrack = UInt8(ascii: "+")
    private static let alphanumeric = UInt8(ascii: "%")
    /// The characters of tracks 2 and 3, and those of track 1.
    private static let numbers: ClosedRange<UInt8> = 0x30...0x3F
    private static let letters: ClosedRange<UInt8> = 0x20...0x5F

    private struct Alphabet {
        var range: ClosedRange<UInt8>
        var end: UInt8
    }

    /// Some readers mark a third track with a `+`, and codings that are not the track's own with `#`, `@`, `&`, `!`.
    private static func usualSentinel(_ sentinel: UInt8) -> UInt8? {
        switch sentinel {
        case thirdTrack: UInt8(ascii: ";")
        case UInt8(ascii: "#"), UInt8(ascii: "@"), UInt8(ascii: "&"), UInt8(ascii: "!"): alphanumeric
        default: nil
        }
    }

    /// The characters that may follow a card's start sentinel, and the end sentinel.
    private static func alphabet(sentinel: UInt8) -> Alphabet? {
        let end = UInt8(ascii: "?")
        switch sentinel {
        case alphanumeric: return Alphabet(range: letters, end: end)
        case UInt8(ascii: ";"): return Alphabet(range: numbers, end: end)
        case 0x7F: return Alphabet(range: 0x00...0x7E, end: 0x7F)
        default: return nil
        }
    }
}
