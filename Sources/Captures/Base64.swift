/// Base64 (RFC 4648, either alphabet), as JSON and mail carry bytes.
enum Base64 {
    /// No report or packet is shorter.
    private static let leastCharacters = 24

    /// All lines as one, or each of them.
    static func readings(_ lines: [ArraySlice<UInt8>]) -> [[[UInt8]]] {
        let lines = lines.filter { !$0.isEmpty }.map(withoutScheme)
        let all = bytes(lines.flatMap(\.self)[...]).map { [$0] }
        let each = lines.compactMap(bytes)
        return [all, lines.count > 1 && each.count == lines.count ? each : nil].compactMap { $0 }
    }

    /// A browser's `data:…;base64,` in front (RFC 2397).
    private static func withoutScheme(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard line.starts(with: "data:".utf8), let comma = line.firstIndex(of: UInt8(ascii: ",")),
            line[..<comma].suffix(7).elementsEqual(";base64".utf8)
        else { return line }
        return line[(comma + 1)...]
    }

    static func bytes(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var characters = text
        while characters.last == UInt8(ascii: "="), text.count - characters.count < 2 {
            characters.removeLast()
        }
        guard text.count >= leastCharacters, characters.count % 4 != 1,
            characters.count == text.count || text.count.isMultiple(of: 4)
        else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count * 3 / 4)
        var bits: UInt32 = 0
        var count = 0
        for character in characters {
            guard let value = value(character) else { return nil }
            bits = (bits << 6 | value) & 0xFFFFFF
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return bytes
    }

    private static func value(_ character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
