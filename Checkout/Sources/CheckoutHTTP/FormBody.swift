internal import CardData
internal import NIOCore

/// Writes pairs of names and values (WHATWG URL §5) straight into the buffer that is sent, so that card data is in no string on
/// its way.
struct FormBody {
    private(set) var buffer = ByteBuffer()

    mutating func field(_ name: String, _ value: String?) {
        guard let value else { return }
        start(name)
        write(value.utf8)
    }

    mutating func field(_ name: String, _ value: Int) { field(name, String(value)) }

    mutating func field(_ name: String, revealing value: SensitiveText?) {
        guard let value else { return }
        start(name)
        value.withRevealedBytes { write($0) }
    }

    private mutating func start(_ name: String) {
        if buffer.readableBytes > 0 { buffer.writeStaticString("&") }
        write(name.utf8)
        buffer.writeStaticString("=")
    }

    private mutating func write(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"):
                buffer.writeInteger(byte)
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                buffer.writeString("%" + (digits.utf8.count < 2 ? "0" : "") + digits)
            }
        }
    }

    /// The pairs of an answer; nil where that is none.
    static func pairs(_ body: ByteBuffer) -> [String: String]? {
        var pairs: [String: String] = [:]
        for part in String(buffer: body).split(whereSeparator: { "&\r\n".contains($0) }) {
            let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard words.count == 2, let name = unescaped(words[0]), let value = unescaped(words[1]) else {
                return nil
            }
            pairs[name] = value
        }
        return pairs
    }

    private static func unescaped(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(0x20)
            case UInt8(ascii: "%"):
                guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16),
                    rest.count >= 2
                else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(2)
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
