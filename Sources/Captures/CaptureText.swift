import ReaderPackets

/// Text in captures.
enum CaptureText {
    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// Printable ASCII, white space and the sentinels of JIS II, nothing else.
    static func isText(_ bytes: [UInt8]) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { (0x20...0x7F).contains($0) || isSpace($0) }
    }

    /// A capture's text as UTF-8; nil where it is bytes. What editors and terminals put around text is taken off: the
    /// two bytes of UTF-16, a byte order mark, zeros at the end, STX and ETX.
    static func text(of capture: [UInt8]) -> [UInt8]? {
        if isText(capture) { return capture }
        // A serial line's start and end of text.
        let bare = capture.filter { $0 != 0x02 && $0 != 0x03 }
        if bare.count < capture.count, isText(bare) { return bare }
        if let wide = utf16(capture) { return wide }
        var bytes = capture[...]
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        while bytes.last == 0 { bytes.removeLast() }
        guard bytes.allSatisfy({ $0 >= 0x20 || isSpace($0) }),
            String(validating: bytes, as: UTF8.self) != nil
        else { return nil }
        return bytes.isEmpty ? nil : Array(bytes)
    }

    private static func utf16(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= 2, bytes.count.isMultiple(of: 2) else { return nil }
        let isMarkedLittle = bytes.starts(with: [0xFF, 0xFE])
        let isMarked = isMarkedLittle || bytes.starts(with: [0xFE, 0xFF])
        let isLittle = isMarked ? isMarkedLittle : bytes[1] == 0
        let start = isMarked ? 2 : 0
        let units: [UInt16] = stride(from: start, to: bytes.count, by: 2).map { place in
            let (low, high) = isLittle ? (place, place + 1) : (place + 1, place)
            return UInt16(bytes[high]) << 8 | UInt16(bytes[low])
        }
        // Without a mark only text that is plainly text.
        let isPlain = units.allSatisfy { $0 < 0x7F && ($0 >= 0x20 || (0x09...0x0D).contains($0)) }
        guard isPlain || isMarked, let text = String(validating: units, as: UTF16.self) else { return nil }
        let utf8 = Array(text.utf8)
        return utf8.allSatisfy { $0 >= 0x20 || isSpace($0) } ? utf8 : nil
    }

    /// Web pages have other blanks, and characters that nobody sees: a reader sends none of them.
    static func withUsualBlanks(_ text: [UInt8]) -> [UInt8] {
        guard text.contains(where: { $0 >= 0x80 }) else { return text }
        var plain = String.UnicodeScalarView()
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
            switch scalar.value {
            case 0xA0, 0x2000...0x200A, 0x202F, 0x205F, 0x3000: plain.append(" ")
            case 0xAD, 0x200B...0x200D, 0x2060, 0xFEFF: break
            case _: plain.append(scalar)
            }
        }
        return Array(String(plain).utf8)
    }

    /// Text for the forms of hex: other characters than ASCII are blanks, rules of tables are bars, lines end with LF.
    static func ascii(_ text: [UInt8]) -> [UInt8] {
        guard text.contains(where: { $0 >= 0x80 || $0 == 0x0D }) else { return text }
        return String(decoding: text, as: UTF8.self).unicodeScalars.map { scalar in
            switch scalar.value {
            case 0x0D: 0x0A
            case 0x2502: UInt8(ascii: "|")
            case 0..<0x80: UInt8(truncatingIfNeeded: scalar.value)
            default: 0x20
            }
        }
    }

    /// Pages taken apart into text have an offset on a line of its own, and the row on the next.
    static func withOffsetsInFront(_ lines: [ArraySlice<UInt8>]) -> [ArraySlice<UInt8>] {
        // Of other dumps only the last line is a number alone.
        guard 5 * lines.count(where: isNumber) >= 2 * lines.count else { return lines }
        var joined: [ArraySlice<UInt8>] = []
        for line in lines {
            if let offset = joined.last, isNumber(offset), !isNumber(line) {
                joined[joined.count - 1] = offset + [0x20] + line
            } else {
                joined.append(line)
            }
        }
        return joined
    }

    private static let mostOffsetDigits = 8

    private static func isNumber(_ line: ArraySlice<UInt8>) -> Bool {
        line.count <= mostOffsetDigits && line.allSatisfy { HexField.value($0) != nil }
    }

    /// Without the comment lines at the top that say where a capture is from: `# …`.
    static func withoutHeader(_ text: [UInt8]) -> [UInt8] {
        var rest = text[...]
        while rest.starts(with: Array("# ".utf8)) {
            guard let end = rest.firstIndex(of: 0x0A) else { return [] }
            rest = rest[(end + 1)...]
        }
        return Array(rest)
    }

    /// Lines of hex or of a program without `# …`, `// …`, `-- …` and `/* … */`.
    static func withoutComments(_ lines: [ArraySlice<UInt8>]) -> [ArraySlice<UInt8>] {
        var isInside = false
        return lines.map { line in
            var kept: [UInt8] = []
            var place = line.startIndex
            while place < line.endIndex {
                let pair = Array(line[place...].prefix(2))
                if isInside {
                    if pair == Array("*/".utf8) { (isInside, place) = (false, place + 1) }
                } else if pair == Array("/*".utf8) {
                    (isInside, place) = (true, place + 1)
                } else if line[place] == UInt8(ascii: "#") || pair == Array("//".utf8)
                    || pair == Array("--".utf8)
                {
                    break
                } else {
                    kept.append(line[place])
                }
                place += 1
            }
            return trimmed(kept[...])
        }
    }

    static func joined(_ lines: [ArraySlice<UInt8>]) -> [UInt8] { Array(lines.joined(separator: [0x0A])) }

    static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let start = line.drop { isSpace($0) }
        guard let end = start.lastIndex(where: { !isSpace($0) }) else { return [] }
        return start[...end]
    }

    static func contains(_ line: ArraySlice<UInt8>, _ word: [UInt8]) -> Bool {
        line.indices.contains { line[$0...].starts(with: word) }
    }
}
