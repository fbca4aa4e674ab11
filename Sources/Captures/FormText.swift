import ReaderPackets

/// A form as browsers send it, which shops write down: `amount=1.00&track=%25B4111…%3F`.
enum FormText {
    /// The values that hold a track: its end sentinel is always escaped.
    static func values(_ text: [UInt8]) -> [[UInt8]] {
        text.split(separator: UInt8(ascii: "&")).compactMap { field in
            let sign = field.firstIndex(of: UInt8(ascii: "="))
            let value = sign.map { field[($0 + 1)...] } ?? field
            let isEscaped =
                CaptureText.contains(value, Array("%3F".utf8))
                || CaptureText.contains(value, Array("%3f".utf8))
            return isEscaped ? unescaped(CaptureText.trimmed(value)) : nil
        }
    }

    /// RFC 3986, section 2.1. A `+` is a blank where a form was sent, which escapes a slash too; from JavaScript's `escape`,
    /// which does not, it is a `+`. Nil where nothing tells.
    private static func unescaped(_ value: ArraySlice<UInt8>) -> [UInt8]? {
        let text = String(decoding: value, as: UTF8.self).uppercased()
        let isForm = ["%2F", "%40", "%2B"].contains { text.contains($0) }
        let isPlain = text.contains("%20") || text.contains("/") || text.contains("@")
        guard isForm != isPlain || !value.contains(UInt8(ascii: "+")) else { return nil }
        var plain: [UInt8] = []
        var rest = value
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "+") {
                plain.append(isForm ? 0x20 : byte)
            } else if byte == UInt8(ascii: "%") {
                guard let escaped = HexField.bytes(rest.prefix(2)), escaped.count == 1 else { return nil }
                plain += escaped
                rest = rest.dropFirst(2)
            } else {
                plain.append(byte)
            }
        }
        return plain
    }
}
