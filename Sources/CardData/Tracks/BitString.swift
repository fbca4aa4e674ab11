/// Bits written as text, for vectors, tools and bug reports.
public enum BitString {
    /// The bits of a text of `0` and `1`; spaces separate, anything else makes it nil.
    public static func bits(_ text: String) -> [UInt8]? {
        var bits: [UInt8] = []
        for character in text.utf8 {
            switch character {
            case UInt8(ascii: "0"): bits.append(0)
            case UInt8(ascii: "1"): bits.append(1)
            case UInt8(ascii: " "), UInt8(ascii: "\n"): continue
            default: return nil
            }
        }
        return bits
    }

    /// Bits as a text of `0` and `1`.
    public static func text(_ bits: some Sequence<UInt8>) -> String {
        String(decoding: bits.map { $0 == 0 ? UInt8(ascii: "0") : UInt8(ascii: "1") }, as: UTF8.self)
    }
}
