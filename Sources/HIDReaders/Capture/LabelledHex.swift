import ReaderPackets

/// Hex with words around it: logs, notes, the kernel's `/sys/kernel/debug/hid/*/events`.
///
///     report (size 856) (unnumbered) =  00 00 3c 25 …
///     12:30:00.123 RX [856]: 00003C25…
///     Report:
///         00 00 3C 25
///         1F 00
///
/// A line's bytes are its longest run of them. Lines of bytes alone go on with what the line before began.
enum LabelledHex {
    /// Fewer bytes in a line with words are a part of the words: a time, an address.
    private static let leastBytes = 8

    static func readings(_ lines: [ArraySlice<UInt8>]) -> [[[UInt8]]] {
        var blocks: [[UInt8]] = []
        var rows: [[UInt8]] = []
        /// With shorter lines that end equal parts.
        var withTails: [[UInt8]] = []
        var isOpen = false
        for line in lines {
            let found = run(line)
            if found.isWhole || found.bytes.count >= leastBytes {
                if found.isWhole, isOpen, let last = blocks.indices.last {
                    blocks[last] += found.bytes
                } else {
                    blocks.append(found.bytes)
                }
                isOpen = true
                rows.append(found.bytes)
                withTails.append(found.bytes)
            } else {
                isOpen = false
                if endsParts(found.bytes, withTails) { withTails.append(found.bytes) }
            }
        }
        return [rows, blocks, withTails.count > rows.count ? withTails : []].filter { !$0.isEmpty }
    }

    /// A USB packet holds no more.
    private static let mostInPart = 64

    /// Whether a line is what a transfer of a few bytes each brings last.
    private static func endsParts(_ bytes: [UInt8], _ rows: [[UInt8]]) -> Bool {
        guard let last = rows.last, rows.count > 1, !bytes.isEmpty else { return false }
        return last.count <= mostInPart && rows[rows.count - 2].count == last.count
    }

    /// The longest run of bytes in a line, and whether there is nothing else.
    private static func run(_ line: ArraySlice<UInt8>) -> (bytes: [UInt8], isWhole: Bool) {
        let words = line.split(whereSeparator: CaptureText.isSpace).flatMap { word in
            isCount(word) ? [word] : word.split(whereSeparator: separators.contains)
        }
        var longest: [UInt8] = []
        var run: [UInt8] = []
        var isWhole = !words.isEmpty
        var previous = 0
        for word in words {
            guard let bytes = bytes(word, after: previous) else {
                (isWhole, run, previous) = (false, [], 0)
                continue
            }
            run += bytes
            previous = word.count
            if run.count > longest.count { longest = run }
        }
        return (longest, isWhole)
    }

    /// `[64]`, `(64)`, `[64]:`: how many bytes follow, or which line it is.
    private static func isCount(_ word: ArraySlice<UInt8>) -> Bool {
        guard let first = word.first, "[(".utf8.contains(first) else { return false }
        return word.dropFirst().drop { HexField.value($0) != nil }.first.map { "])".utf8.contains($0) }
            ?? false
    }

    private static let separators = Set(",;[]{}()<>|\"'".utf8)

    /// `3C`, `0x3c`, `00:3C`, `00-3C`, or a word of eight digits and more; behind such a one, the last may be shorter.
    private static func bytes(_ word: ArraySlice<UInt8>, after previous: Int) -> [UInt8]? {
        if word.starts(with: "0x".utf8) {
            let digits = word.dropFirst(2)
            return digits.count == 1 ? HexField.bytes([0x30] + digits) : HexField.bytes(digits)
        }
        for joint in [UInt8(ascii: ":"), UInt8(ascii: "-")] where word.contains(joint) {
            let pairs = word.split(separator: joint, omittingEmptySubsequences: false)
            return pairs.allSatisfy { $0.count == 2 } ? HexField.bytes(pairs.flatMap(\.self)) : nil
        }
        return word.count == 2 || word.count >= 8 || previous >= 8 ? HexField.bytes(word) : nil
    }
}
