import ReaderPackets

/// A dump whose lines begin with their offset, as xxd, hexdump, od, Wireshark and debuggers write it.
///
///     00000000: 0000 003c 251f 0025  ...<%..%          xxd
///     00000000  00 00 00 3c 25 1f 00 25  |...<%..%|    hexdump -C; Wireshark has its text behind three spaces
///     *                                                the line before again, up to the next offset
///     0000020 0000 3c00 1f25                           hexdump and od: words as the machine has them
///     0000040                                          the length, alone
///
/// Every offset must be right, and says how many bytes stand in the line before: that is what tells a dump from hex that
/// merely begins with zeros, and bytes from the column of text.
enum OffsetDump {
    /// A dump cannot make more than this out of its repeated lines.
    static let maximumBytes = HIDCapture.maximumBytes
    /// No tool writes longer lines.
    static let maximumRowBytes = 64
    private static let usualRowBytes = 16

    private enum Line {
        case row(Row)
        case repeated
        case label
    }

    struct Row {
        var offset: ArraySlice<UInt8>
        /// Blanks in front included: some forms count columns.
        var rest: ArraySlice<UInt8>
        var isPlainlyDump: Bool
    }

    /// A run of lines whose offsets grow; what no row says is nil.
    private struct Section {
        var rows: [(offset: Int, row: Row, isRepeated: Bool)] = []

        /// Whether a number alone can be the dump's length, which its last line holds.
        func canEnd(at offset: Int) -> Bool {
            guard let last = rows.last else { return true }
            return offset > last.offset
                && (last.isRepeated || offset - last.offset <= OffsetDump.maximumRowBytes)
        }

        /// Where the next row begins, if it is as long as the last but one.
        var nextOffset: Int? {
            guard let last = rows.last, rows.count > 1 else { return nil }
            return last.offset &+ (last.offset - rows[rows.count - 2].offset)
        }
    }

    /// All ways to read these lines as dumps, one or several; empty where they are none.
    static func readings(_ lines: [ArraySlice<UInt8>]) -> [[[UInt8]]] {
        let whole = lines.filter { !$0.isEmpty }
        let bare = whole.map(withoutPrefix)
        return readings(of: CaptureText.withOffsetsInFront(whole)) + (bare == whole ? [] : readings(of: bare))
    }

    private static func readings(of lines: [ArraySlice<UInt8>]) -> [[[UInt8]]] {
        let lines = lines.map(line)
        return [16, 8, 10].flatMap { radix -> [[[UInt8]]] in
            guard let sections = sections(lines, radix: radix), !sections.isEmpty else { return [] }
            return DumpWord.allCases.compactMap { word in
                var parts: [[UInt8]] = []
                for section in sections {
                    guard let bytes = bytes(section, word) else { return nil }
                    parts.append(bytes)
                }
                return parts
            }
        }
    }

    private static func line(_ line: ArraySlice<UInt8>) -> Line {
        if line.elementsEqual("*".utf8) { return .repeated }
        var rest = line
        let isTable = rest.first == UInt8(ascii: "|")
        if isTable { rest = CaptureText.trimmed(rest.dropFirst()) }
        let isPrefixed = rest.starts(with: "0x".utf8)
        if isPrefixed { rest = rest.dropFirst(2) }
        let offset = address(&rest)
        guard (1...16).contains(offset.count) else { return .label }
        if rest.first == UInt8(ascii: "h") { rest = rest.dropFirst() }
        if isTable { rest = rest.drop { $0 == 0x20 } }
        let isMarked = rest.first == UInt8(ascii: ":") || rest.first == UInt8(ascii: "|")
        if isMarked { rest = rest.dropFirst() }
        guard rest.isEmpty || rest.first == 0x20 || rest.first == 0x09 else { return .label }
        let isPlain = offset.count >= 4 && (isMarked || rest.starts(with: [0x20, 0x20]))
        return .row(Row(offset: offset, rest: rest, isPlainlyDump: isPlain))
    }

    /// The digits of an offset; WinDbg parts an address of 64 bits: `000001d4`5c8f0000`.
    private static func address(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let high = rest.prefix { HexField.value($0) != nil }
        rest = rest[high.endIndex...]
        guard high.count == 8, rest.first == UInt8(ascii: "`") else { return high }
        let low = rest.dropFirst().prefix { HexField.value($0) != nil }
        guard low.count == 8 else { return high }
        rest = rest[low.endIndex...]
        return high + low
    }

    /// A line without what a log has before the dump: `[  123.000000] hid-generic: 00000010: 35 35 …`.
    private static func withoutPrefix(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        for word in line.split(separator: 0x20).dropFirst() where (5...17).contains(word.count) {
            if word.last == UInt8(ascii: ":"), word.dropLast().allSatisfy({ HexField.value($0) != nil }) {
                return line[word.startIndex...]
            }
        }
        return line
    }

    /// A dump ends where another begins, or where a line is none of its rows: but for the head and the foot of a page, behind
    /// which it goes on at the next offset.
    private static func sections(_ lines: [Line], radix: Int) -> [Section]? {
        var sections: [Section] = []
        var section = Section()
        var isInterrupted = false
        // A single line that begins with a number may be anything.
        func end() {
            if section.rows.count > 1 || section.rows.first?.row.isPlainlyDump == true {
                sections.append(section)
            }
            (section, isInterrupted) = (Section(), false)
        }
        for line in lines {
            switch line {
            case .label: isInterrupted = true
            case .repeated:
                guard !section.rows.isEmpty, !isInterrupted else { return nil }
                section.rows[section.rows.count - 1].isRepeated = true
            case .row(let row):
                guard let offset = Int(String(decoding: row.offset, as: UTF8.self), radix: radix) else {
                    end()
                    continue
                }
                // A page's number.
                if CaptureText.trimmed(row.rest).isEmpty, !section.canEnd(at: offset) {
                    isInterrupted = true
                    continue
                }
                if let last = section.rows.last, offset <= last.offset { end() }
                if isInterrupted, offset != section.nextOffset { end() }
                isInterrupted = false
                section.rows.append((offset, row, false))
            }
        }
        end()
        return sections
    }

    private static func bytes(_ section: Section, _ word: DumpWord) -> [UInt8]? {
        let rows = section.rows
        guard let first = rows.first else { return nil }
        // Debuggers count from an address.
        let base = first.row.offset.count >= 4 ? first.offset : 0
        var bytes: [UInt8] = []
        var width = usualRowBytes
        for (index, (offset, row, isRepeated)) in rows.enumerated() {
            guard offset - base == bytes.count else { return nil }
            let next = index + 1 < rows.count ? rows[index + 1].offset : nil
            // A dump's last line holds its length alone.
            if next == nil, !isRepeated, index > 0, CaptureText.trimmed(row.rest).isEmpty { break }
            let wanted = isRepeated ? width : next.map { $0 - offset }
            let isLast = next == nil && index > 0
            guard
                var taken = word.bytes(row, wanted: wanted)
                    ?? (isLast ? word.bytes(row, wanted: width) : nil),
                !taken.isEmpty
            else { return nil }
            // The column of text is of digits, too, and passed for bytes.
            if isLast, taken.count > width {
                guard let row = word.bytes(row, wanted: width) else { return nil }
                taken = row
            }
            bytes += taken
            width = taken.count
            guard isRepeated else { continue }
            // Padding repeats itself. Anything else would let a line that is missing be made up of the one before.
            guard let next, next - base <= maximumBytes, taken.allSatisfy({ $0 == taken[0] }) else {
                return nil
            }
            while bytes.count + width <= next - base { bytes += taken }
        }
        return bytes
    }
}
