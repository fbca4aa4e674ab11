import ReaderPackets

/// What a word of a dump stands for.
enum DumpWord: CaseIterable, Sendable {
    /// Hex digits in the order of the bytes: xxd, hexdump -C.
    case printed
    /// Numbers of a little-endian machine: hexdump, od -x; od -t x4, xxd -e; od -t x8.
    case hex16, hex32, hex64
    /// od -b, hexdump -b; od, hexdump -o.
    case octal8, octal16
    /// od -t u1 and -t d1; od -d, hexdump -d.
    case decimal8, decimal16
    /// xxd -b.
    case binary
    /// od -c, hexdump -c: four columns a byte.
    case characters

    /// The bytes of a row: so many, or up to its column of text where nobody says how many. Nil where they are not there.
    func bytes(_ row: OffsetDump.Row, wanted: Int?) -> [UInt8]? {
        guard (wanted ?? 1) <= OffsetDump.maximumRowBytes, (wanted ?? 1) > 0 else { return nil }
        if self == .characters { return wanted.flatMap { Self.columns(row.rest, $0) } }
        guard let wanted else { return tokens(Self.column(row)) }
        var bytes: [UInt8] = []
        var rest = row.rest
        while bytes.count < wanted {
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
            let token = rest.prefix { $0 != 0x20 && $0 != 0x09 }
            guard let word = self.word(token) else { return nil }
            bytes += word
            rest = rest[token.endIndex...]
        }
        // The last word may be longer than the data; behind it, only a column of text.
        guard bytes.count - wanted < width,
            Self.isTextColumn(rest) || TextColumn.shows(rest.dropFirst(), Array(bytes.prefix(wanted)))
        else { return nil }
        return Array(bytes.prefix(wanted))
    }

    /// How many bytes a word has; of printed ones any number, but none is longer than the data.
    private var width: Int {
        switch self {
        case .printed, .octal8, .decimal8, .binary, .characters: 1
        case .hex16, .octal16, .decimal16: 2
        case .hex32: 4
        case .hex64: 8
        }
    }

    private func tokens(_ column: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        for token in column.split(whereSeparator: CaptureText.isSpace) {
            guard let word = word(token) else { return nil }
            bytes += word
        }
        return bytes.count <= OffsetDump.maximumRowBytes ? bytes : nil
    }

    private func word(_ token: ArraySlice<UInt8>) -> [UInt8]? {
        let isPrefixed = token.starts(with: "0x".utf8)
        let text = String(decoding: token, as: UTF8.self)
        switch self {
        case .printed:
            // WinDbg has a dash in the middle of its rows.
            let pairs = token.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
            if pairs.count > 1 {
                return pairs.allSatisfy { $0.count == 2 } ? HexField.bytes(pairs.flatMap(\.self)) : nil
            }
            return token.isEmpty ? nil : HexField.bytes(isPrefixed ? token.dropFirst(2) : token)
        case .hex16: return little(text, radix: 16, digits: 4)
        case .hex32: return little(text, radix: 16, digits: 8)
        case .hex64: return little(text, radix: 16, digits: 16)
        case .octal8: return little(text, radix: 8, digits: 3)
        case .octal16: return little(text, radix: 8, digits: 6)
        case .binary: return little(text, radix: 2, digits: 8)
        case .decimal8:
            return Int(text).flatMap { (-128...255).contains($0) ? [UInt8(truncatingIfNeeded: $0)] : nil }
        case .decimal16:
            return Int(text).flatMap {
                (-32_768...65_535).contains($0) ? bytes(of: UInt64(truncatingIfNeeded: $0)) : nil
            }
        case .characters: return nil
        }
    }

    private func little(_ text: String, radix: Int, digits: Int) -> [UInt8]? {
        guard text.utf8.count == digits, let number = UInt64(text, radix: radix),
            width == 8 || number >> UInt64(8 * width) == 0
        else { return nil }
        return bytes(of: number)
    }

    private func bytes(of number: UInt64) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
    }

    private static func isTextColumn(_ rest: ArraySlice<UInt8>) -> Bool {
        rest.isEmpty || rest.first == 0x09 || rest.starts(with: [0x20, 0x20]) || rest.starts(with: " |".utf8)
            || rest.starts(with: " ;".utf8)
    }

    /// What stands before the column of text, where only blanks and bars tell.
    private static func column(_ row: OffsetDump.Row) -> ArraySlice<UInt8> {
        let hex = CaptureText.trimmed(row.rest)
        if let bar = hex.firstIndex(of: UInt8(ascii: "|")) { return hex[..<bar] }
        // xxd keeps its text two blanks away; others have two blanks in the middle of the bytes.
        for gap in [3, 2] {
            let end = hex.indices.first {
                hex[$0...].prefix(gap).elementsEqual(repeatElement(0x20, count: gap))
            }
            let column = end.map { hex[..<$0] } ?? hex
            if HexText.digits(of: column) != nil || gap == 2 { return column }
        }
        return hex
    }

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "0"): 0x00, UInt8(ascii: "a"): 0x07, UInt8(ascii: "b"): 0x08, UInt8(ascii: "t"): 0x09,
        UInt8(ascii: "n"): 0x0A, UInt8(ascii: "v"): 0x0B, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "r"): 0x0D,
    ]

    private static func columns(_ rest: ArraySlice<UInt8>, _ count: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        for place in 0..<count {
            let field = Array(rest.dropFirst(4 * place).prefix(4)).filter { $0 != 0x20 }
            if field.isEmpty {
                bytes.append(0x20)
            } else if field.count == 1 {
                bytes.append(field[0])
            } else if field.count == 2, field[0] == UInt8(ascii: "\\"), let byte = escapes[field[1]] {
                bytes.append(byte)
            } else if field.count == 3, let byte = UInt8(String(decoding: field, as: UTF8.self), radix: 8) {
                bytes.append(byte)
            } else {
                return nil
            }
        }
        return rest.dropFirst(4 * count).allSatisfy(CaptureText.isSpace) ? bytes : nil
    }
}
