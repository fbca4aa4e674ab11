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
        var isOpen = false
        for line in lines {
            let found = run(line)
            if found.isWhole {
                rows.append(found.bytes)
                if isOpen, let last = blocks.indices.last {
                    blocks[last] += found.bytes
                } else {
                    blocks.append(found.bytes)
                }
                isOpen = true
            } else if found.bytes.count >= leastBytes {
                rows.append(found.bytes)
                blocks.append(found.bytes)
                isOpen = true
            } else {
                isOpen = false
            }
        }
        return [rows, blocks].filter { !$0.isEmpty }
    }

    /// The longest run of bytes in a line, and whether there is nothing else.
    private static func run(_ line: ArraySlice<UInt8>) -> (bytes: [UInt8], isWhole: Bool) {
        let words = line.split { CaptureText.isSpace($0) || separators.contains($0) }
        var longest: [UInt8] = []
        var run: [UInt8] = []
        var isWhole = !words.isEmpty
        for word in words {
            guard let bytes = bytes(word) else {
                isWhole = false
                run = []
                continue
            }
            run += bytes
            if run.count > longest.count { longest = run }
        }
        return (longest, isWhole)
    }

    private static let separators = Set(",;[]{}()<>|\"'".utf8)

    /// `3C`, `0x3c`, `00:3C`, `00-3C`, or a word of eight digits and more.
    private static func bytes(_ word: ArraySlice<UInt8>) -> [UInt8]? {
        if word.starts(with: "0x".utf8) {
            let digits = word.dropFirst(2)
            return digits.count == 1 ? HexField.bytes([0x30] + digits) : HexField.bytes(digits)
        }
        for joint in [UInt8(ascii: ":"), UInt8(ascii: "-")] where word.contains(joint) {
            let pairs = word.split(separator: joint, omittingEmptySubsequences: false)
            return pairs.allSatisfy { $0.count == 2 } ? HexField.bytes(pairs.flatMap(\.self)) : nil
        }
        return word.count == 2 || word.count >= 8 ? HexField.bytes(word) : nil
    }
}
