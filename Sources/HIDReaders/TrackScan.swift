import CardData

/// Tracks in a run of text, one after the other, each from its start sentinel to its end sentinel.
///
///     [text] % … ? [text] ; … ? [text] + … ? [text]        DEL … DEL: a JIS II stripe
///
/// Readers put settable texts before, between and behind them, which are skipped: none may hold a sentinel.
package struct TrackScan: Sendable {
    /// A card has three tracks; more of them in one run are no swipe.
    static let maximumTracks = 3
    /// The longest track that is looked at, in characters; a report's fields are shorter.
    static let maximumCharacters = 160

    package struct Found: Sendable, Hashable {
        package var track: Int
        /// Sentinels included.
        package var text: [UInt8]
        package var range: Range<Int>

        /// What readers send in place of a track that they could not decode: `%E?`.
        var isErrorMark: Bool {
            text.count == 3 && (text[1] == UInt8(ascii: "E") || text[1] == UInt8(ascii: "e"))
        }
    }

    package enum Refusal: String, Error, Sendable, Hashable {
        case noEndSentinel = "a track without an end sentinel"
        case tooManyTracks = "more than three tracks"
        case tooLong = "a track that is too long"
        case twice = "two texts for one track"
        case unknownPlace = "a track that may be the first or the third"
        case unknownStart = "a track that may begin with the words before it"
    }

    private static let endSentinel = UInt8(ascii: "?")
    /// Begins and ends a JIS II stripe, whose characters are any others of seven bits (MagTek properties 1C and 1D, ID TECH
    /// setting 72). ASSUMPTION: it stands in track 1's place, as its head does; no such stream was seen.
    static let jisSentinel: UInt8 = 0x7F

    package static func tracks(in bytes: [UInt8]) throws(Refusal) -> [Found] {
        var found: [Found] = []
        var position = 0
        while position < bytes.count {
            let isCalifornian = isCalifornian(bytes[position...], behind: found.last)
            guard let number = isCalifornian ? 3 : trackNumber(bytes[position], after: found) else {
                position += 1
                continue
            }
            guard found.count < maximumTracks else { throw .tooManyTracks }
            guard !found.contains(where: { $0.track == number }) else { throw .twice }
            let window = bytes[position...].prefix(maximumCharacters)
            let mark = bytes[position] == jisSentinel ? jisSentinel : endSentinel
            guard let end = window.dropFirst().firstIndex(of: mark) else {
                throw window.count == maximumCharacters ? .tooLong : .noEndSentinel
            }
            if words.contains(bytes[position]), let place = usualStart(window[(position + 1)..<end]) {
                // A word in front (`swipe #1: %B…`), not this track's text.
                if isNumbered(window[place..<end]) {
                    position = place
                    continue
                }
                guard position == found.last?.range.upperBound ?? 0 else { throw .unknownStart }
            }
            found.append(
                Found(track: number, text: Array(bytes[position...end]), range: position..<(end + 1)))
            position = end + 1
        }
        return found
    }

    /// Older firmware begins the third track of a Californian licence with `!` (99875206), which words have too: it counts where it
    /// follows another track at once, and the text up to the next `?` begins no usual track.
    private static func isCalifornian(_ rest: ArraySlice<UInt8>, behind last: Found?) -> Bool {
        guard rest.first == UInt8(ascii: "!"), let last, last.range.upperBound == rest.startIndex else {
            return false
        }
        let window = rest.prefix(maximumCharacters)
        guard let end = window.firstIndex(of: endSentinel) else { return false }
        return usualStart(window[..<end]) == nil
    }

    /// Sentinels that words have too.
    private static let words = Set("+#@&".utf8)
    /// The digits of the shortest account number in the list of issuers.
    private static let leastDigits = 12

    /// Where in a text a card's first or second track may begin.
    private static func usualStart(_ text: ArraySlice<UInt8>) -> Int? {
        text.firstIndex { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: ";") }
    }

    /// Whether a track's text begins with an account number: `%B4111…^`, `;4111…=`.
    static func isNumbered(_ text: ArraySlice<UInt8>) -> Bool {
        let isFirst = text.first == UInt8(ascii: "%")
        guard isFirst || text.first == UInt8(ascii: ";") else { return false }
        let rest = text.dropFirst(isFirst ? 2 : 1)
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let separator = isFirst ? UInt8(ascii: "^") : UInt8(ascii: "=")
        return digits.count >= leastDigits && rest.dropFirst(digits.count).first == separator
    }

    /// Which track a start sentinel begins; nil for any other character.
    private static func trackNumber(_ sentinel: UInt8, after found: [Found]) -> Int? {
        switch sentinel {
        // A licence's third track is in the first one's form.
        case UInt8(ascii: "%"):
            found.contains { $0.track < 3 } && found.contains { $0.text.first == sentinel } ? 3 : 1
        case jisSentinel: 1
        case UInt8(ascii: ";"): found.contains { $0.track == 2 } ? 3 : 2
        case UInt8(ascii: "@"): 2
        case UInt8(ascii: "+"), UInt8(ascii: "#"), UInt8(ascii: "&"): 3
        default: nil
        }
    }
}
