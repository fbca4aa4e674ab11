package import CardData

/// Looks at a track that a reader sent in clear, before it is believed: reports carry no check sum, so a text that its
/// own alphabet does not allow is the only sign of a broken one.
package enum TrackTextCheck {
    /// The outcome of a track with this text, sentinels included and LRC left out.
    package static func outcome(_ text: some Collection<UInt8>, track: Int) -> TrackOutcome {
        var bytes = Array(text)
        // Some readers mark a third track with a `+`, and codings that are not the track's own with `#`, `@`, `&`.
        guard let first = bytes.first, let alphabet = alphabet(sentinel: first) else {
            return .refused(.malformed)
        }
        bytes = withUsualSentinel(bytes)
        guard bytes.count > 1, bytes.last == alphabet.end else { return .refused(.malformed) }
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
        guard let first = text.first, let usual = usualSentinel[first] else { return text }
        return [usual] + text.dropFirst()
    }

    private struct Alphabet {
        var range: ClosedRange<UInt8>
        var end: UInt8
    }

    private static let usualSentinel: [UInt8: UInt8] = [
        UInt8(ascii: "+"): UInt8(ascii: ";"), UInt8(ascii: "#"): UInt8(ascii: "%"),
        UInt8(ascii: "@"): UInt8(ascii: "%"), UInt8(ascii: "&"): UInt8(ascii: "%"),
    ]

    /// The characters that may follow a start sentinel, and the end sentinel.
    private static func alphabet(sentinel: UInt8) -> Alphabet? {
        let end = UInt8(ascii: "?")
        switch sentinel {
        case UInt8(ascii: "%"), UInt8(ascii: "#"), UInt8(ascii: "@"), UInt8(ascii: "&"):
            return Alphabet(range: 0x20...0x5F, end: end)
        case UInt8(ascii: ";"), UInt8(ascii: "+"): return Alphabet(range: 0x30...0x3F, end: end)
        case 0x7F: return Alphabet(range: 0x00...0x7E, end: 0x7F)
        default: return nil
        }
    }
}
