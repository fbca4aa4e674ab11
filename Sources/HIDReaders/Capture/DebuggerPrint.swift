/// An array of characters as gdb prints it.
///
///     $1 = "\000\000\000<%\037", '\000' <repeats 50 times>, ";5452300551227189=…?"
enum DebuggerPrint {
    private static let mark = Array("<repeats ".utf8)
    private static let end = Array(" times>".utf8)

    /// Nothing else has such runs.
    static func isForm(of text: [UInt8]) -> Bool {
        CaptureText.contains(text[...], mark) && CaptureText.contains(text[...], end)
    }

    /// The bytes; nil where a part of them is left out (`"…"...`), or is in no form that is known.
    static func bytes(_ text: [UInt8]) -> [UInt8]? {
        var rest = CaptureText.trimmed(text[...])
        guard let start = rest.firstIndex(where: isQuote) else { return nil }
        rest = rest[start...]
        var bytes: [UInt8] = []
        while let quote = rest.first {
            guard isQuote(quote), var part = StringLiterals.literal(&rest, quote: quote) else { return nil }
            if quote == UInt8(ascii: "'") {
                guard part.count == 1, let count = repeats(&rest),
                    bytes.count + count <= HIDCapture.maximumBytes
                else { return nil }
                part = Array(repeating: part[0], count: count)
            }
            bytes += part
            rest = CaptureText.trimmed(rest)
            if rest.isEmpty { return bytes }
            guard rest.popFirst() == UInt8(ascii: ",") else { return nil }
            rest = CaptureText.trimmed(rest)
        }
        return nil
    }

    private static func isQuote(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
    }

    /// ` <repeats 50 times>`
    private static func repeats(_ rest: inout ArraySlice<UInt8>) -> Int? {
        rest = CaptureText.trimmed(rest)
        guard rest.starts(with: mark) else { return nil }
        rest = rest.dropFirst(mark.count)
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        rest = rest[digits.endIndex...]
        guard rest.starts(with: end), let count = Int(String(decoding: digits, as: UTF8.self)),
            count <= HIDCapture.maximumBytes
        else { return nil }
        rest = rest.dropFirst(end.count)
        return count
    }
}
