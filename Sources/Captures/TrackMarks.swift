import HIDReaders
import ReaderPackets

/// Whose the backslashes, quotes and entities in a text's tracks are: ISO/IEC 7811's alphabet of track 1 has all of them, and
/// programs put the same ones into what they write down.
///
///     %B4111…^DOE\JOHN^…?            the card's: the line is what the reader sent
///     {"track1":"%B4111…^DOE\\JOHN^…?"}   the program's: JSON has no other backslashes
///     "%B4111…^DOE\\JOHN^…?"         nothing tells
enum TrackMarks {
    enum Verdict: Sendable {
        /// The text holds its tracks as they are.
        case cards
        /// The same, in quotes that have none of them inside.
        case quoted
        /// They are escapes of a program.
        case programs
        /// One track comes of the one reading, another of the other.
        case unclear
    }

    private static let backslash = UInt8(ascii: "\\")
    private static let quotes = "\"'`".utf8.map(\.self)

    /// Nil where a text shows no track.
    static func verdict(_ text: [UInt8]) -> Verdict? {
        let lines = text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).compactMap(Shown.init)
        guard !lines.isEmpty else { return nil }
        // Escapes for what is no character: the literal is bytes, a report.
        if StringLiterals.holdsBytes(text) { return lines.contains(where: \.hasMarks) ? .programs : nil }
        let isJSON = isJSON(CaptureText.trimmed(text[...]))
        let marked = lines.filter(\.hasMarks)
        let isProgram = marked.map { $0.isQuoted && (isJSON || $0.isCertainlyEscaped) }
        let isUnclear = zip(marked, isProgram).contains { !$1 && ($0.isQuoted || $0.hasEntities) }
        // Marks of both kinds in one text: what undoes the program's would undo the card's.
        if isUnclear || isProgram.contains(true) && isProgram.contains(false) { return .unclear }
        if isProgram.contains(true) { return .programs }
        return lines.allSatisfy(\.isPlainlyQuoted) ? .quoted : .cards
    }

    /// A line that shows tracks: where they begin and end.
    private struct Shown {
        let line: ArraySlice<UInt8>
        let tracks: Range<Int>
        /// The tracks themselves, without what stands between them.
        private let texts: [[UInt8]]
        /// What quotes stand round the tracks; nil where none do.
        let quote: UInt8?

        init?(_ line: ArraySlice<UInt8>) {
            let bytes = Array(line)
            guard let end = bytes.lastIndex(of: UInt8(ascii: "?")) else { return nil }
            // What stands behind the last track may look like the begin of another.
            let found = try? TrackScan.tracks(in: Array(bytes[...end]))
            let usual = bytes[..<end].firstIndex { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: ";") }
            guard let start = found?.first?.range.lowerBound ?? usual else { return nil }
            let tracks = start..<(end + 1)
            self.line = bytes[...]
            self.tracks = tracks
            texts = found.map { $0.map(\.text) } ?? [Array(bytes[tracks])]
            quote = quotes.first { quote in
                let before = bytes[..<tracks.lowerBound].count { $0 == quote }
                return !before.isMultiple(of: 2) && bytes[tracks.upperBound...].contains(quote)
            }
        }

        var isQuoted: Bool { quote != nil }

        /// Something in the tracks that a program may have put there.
        var hasMarks: Bool {
            texts.contains { text in text.contains(backslash) || quotesInside(text) > 1 } || hasEntities
        }

        /// A literal with the tracks, quote for quote: its ends are not theirs.
        var isPlainlyQuoted: Bool { isQuoted && texts.allSatisfy { quotesInside($0) == 0 } }

        private func quotesInside(_ text: [UInt8]) -> Int {
            quote.map { quote in text.count { $0 == quote } } ?? 0
        }

        /// `&#34;` behind a tag: what a page puts for a quote, or the card's own characters.
        var hasEntities: Bool {
            guard line[..<tracks.lowerBound].contains(UInt8(ascii: "<")) else { return false }
            let inside = line[tracks]
            return inside.indices.contains { place in
                guard inside[place] == UInt8(ascii: "&") else { return false }
                let name = inside[(place + 1)...].prefix(TrackMarks.longestEntity)
                let end = name.firstIndex(of: UInt8(ascii: ";")) ?? name.startIndex
                return end > name.startIndex && name[..<end].allSatisfy(TrackMarks.isOfEntity)
            }
        }

        /// Python's bytes and the shell's `$'…'`, in which no backslash stands for itself.
        var isCertainlyEscaped: Bool {
            guard let quote, let open = line[..<tracks.lowerBound].lastIndex(of: quote),
                open > line.startIndex,
                line[open - 1] == UInt8(ascii: "b") || line[open - 1] == UInt8(ascii: "$")
            else { return false }
            var rest = line[open...]
            return StringLiterals.literal(&rest, quote: quote) != nil && rest.startIndex > tracks.upperBound
        }
    }

    /// The longest of HTML's names for a character of the alphabet.
    private static let longestEntity = 12

    private static func isOfEntity(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "#"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    /// Whether a text is an object or a list in JSON (RFC 8259), or several, as far as its words go: strings with JSON's escapes,
    /// and marks, numbers and names between them. In a string alone, nothing tells.
    private static func isJSON(_ text: ArraySlice<UInt8>) -> Bool {
        guard let first = text.first, "{[".utf8.contains(first), let last = text.last,
            "}]".utf8.contains(last)
        else { return false }
        var rest = text
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") {
                guard endOfString(&rest) else { return false }
            } else if !between.contains(byte), !CaptureText.isSpace(byte) {
                return false
            }
        }
        return true
    }

    private static let between = Set("{}[]:,+-.0123456789truefalsnE".utf8)

    private static func endOfString(_ rest: inout ArraySlice<UInt8>) -> Bool {
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return true }
            if byte < 0x20 { return false }
            guard byte == backslash else { continue }
            guard let kind = rest.popFirst() else { return false }
            if kind == UInt8(ascii: "u") {
                let digits = rest.prefix(4)
                guard digits.count == 4, digits.allSatisfy({ HexField.value($0) != nil }) else {
                    return false
                }
            } else if !"\"\\/bfnrt".utf8.contains(kind) {
                return false
            }
        }
        return false
    }
}
