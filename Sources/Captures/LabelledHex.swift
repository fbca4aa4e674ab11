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
        var lastFront: [UInt8] = []
        for line in lines {
            let (runs, isWhole) = runs(line)
            let found = runs.reduce(Run(line)) { $1.bytes.count > $0.bytes.count ? $1 : $0 }
            if isWhole || found.bytes.count >= leastBytes {
                lastFront = front(line, found)
                if isWhole, isOpen, let last = blocks.indices.last {
                    blocks[last] += found.bytes
                } else {
                    blocks.append(found.bytes)
                }
                isOpen = true
                rows.append(found.bytes)
                withTails.append(found.bytes)
            } else {
                isOpen = false
                let tail = line.count > mostInLine ? nil : runs.first { front(line, $0) == lastFront }
                if let tail, endsParts(tail.bytes, withTails) { withTails.append(tail.bytes) }
            }
        }
        return [rows, blocks, withTails.count > rows.count ? withTails : []].filter { !$0.isEmpty }
    }

    /// A USB packet holds no more.
    private static let mostInPart = 64
    /// Characters of a line of a log with so many bytes.
    private static let mostInLine = 1_000

    /// Whether a line is what a transfer of a few bytes each brings last.
    private static func endsParts(_ bytes: [UInt8], _ rows: [[UInt8]]) -> Bool {
        guard let last = rows.last, rows.count > 1, !bytes.isEmpty else { return false }
        return last.count <= mostInPart && rows[rows.count - 2].count == last.count
    }

    private struct Run {
        var bytes: [UInt8] = []
        var start: Int

        init(_ line: ArraySlice<UInt8>) { start = line.startIndex }
    }

    /// The runs of bytes in a line, and whether there is nothing else.
    private static func runs(_ line: ArraySlice<UInt8>) -> (runs: [Run], isWhole: Bool) {
        let words = line.split(whereSeparator: CaptureText.isSpace).flatMap { word in
            isCount(word) ? [word] : word.split(whereSeparator: separators.contains)
        }
        var runs: [Run] = []
        var run = Run(line)
        var isWhole = !words.isEmpty
        var previous = line[line.startIndex..<line.startIndex]
        func end(before word: ArraySlice<UInt8>) {
            if !run.bytes.isEmpty { runs.append(run) }
            (isWhole, run, previous) = (false, Run(word), word.prefix(0))
        }
        for word in words {
            if previous.count == 2, isTextColumn(line[previous.endIndex...], run.bytes) {
                isWhole = false
                break
            }
            guard let bytes = bytes(word, after: previous.count) else {
                end(before: word)
                continue
            }
            // Pairs of digits do not go on as a longer word.
            if previous.count == 2, word.count >= 8 { end(before: word) }
            if run.bytes.isEmpty { run.start = word.startIndex }
            run.bytes += bytes
            previous = word
        }
        return (runs + (run.bytes.isEmpty ? [] : [run]), isWhole)
    }

    /// Whether all of a line from here on, behind two blanks and more, is the text of the bytes before.
    private static func isTextColumn(_ rest: ArraySlice<UInt8>, _ bytes: [UInt8]) -> Bool {
        guard rest.count <= bytes.count + mostInGap, bytes.count <= mostInPart else { return false }
        let gap = rest.prefix { $0 == 0x20 }.count
        guard gap >= 2 else { return false }
        return (2...gap).contains { TextColumn.shows(rest.dropFirst($0), bytes) }
    }

    private static let mostInGap = 200

    /// What stands before a run, a `#` for each number: lines of one log have the same.
    private static func front(_ line: ArraySlice<UInt8>, _ run: Run) -> [UInt8] {
        var front: [UInt8] = []
        for byte in line[..<run.start] {
            let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            if !isDigit { front.append(byte) } else if front.last != 0x23 { front.append(0x23) }
        }
        return front
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
