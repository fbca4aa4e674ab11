internal import CardData
internal import NIOCore

/// Writes a request's JSON object straight into the buffer that is sent, so that card data is in no string on its way.
struct JSONBody {
    private(set) var buffer = ByteBuffer()
    private var needsComma = false

    init() { buffer.writeStaticString("{") }

    /// The whole object.
    consuming func finished() -> ByteBuffer {
        buffer.writeStaticString("}")
        return buffer
    }

    mutating func field(_ name: String, _ value: String?) {
        guard let value else { return }
        start(name)
        write(string: value.utf8)
    }

    mutating func field(_ name: String, _ value: Int) {
        start(name)
        buffer.writeString(String(value))
    }

    mutating func field(_ name: String, _ value: Bool) {
        start(name)
        buffer.writeString(value ? "true" : "false")
    }

    mutating func field(_ name: String, revealing value: SensitiveText?) {
        guard let value else { return }
        start(name)
        value.withRevealedBytes { write(string: $0) }
    }

    mutating func object(_ name: String, _ body: (inout JSONBody) -> Void) {
        start(name)
        nested(body)
    }

    mutating func list<Element>(
        _ name: String, _ elements: [Element], _ body: (inout JSONBody, Element) -> Void
    ) {
        start(name)
        buffer.writeStaticString("[")
        for (place, element) in elements.enumerated() {
            if place > 0 { buffer.writeStaticString(",") }
            nested { body(&$0, element) }
        }
        buffer.writeStaticString("]")
        needsComma = true
    }

    private mutating func nested(_ body: (inout JSONBody) -> Void) {
        buffer.writeStaticString("{")
        needsComma = false
        body(&self)
        buffer.writeStaticString("}")
        needsComma = true
    }

    private mutating func start(_ name: String) {
        if needsComma { buffer.writeStaticString(",") }
        needsComma = true
        write(string: name.utf8)
        buffer.writeStaticString(":")
    }

    private mutating func write(string bytes: some Sequence<UInt8>) {
        buffer.writeStaticString("\"")
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                buffer.writeInteger(UInt8(ascii: "\\"))
                buffer.writeInteger(byte)
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                buffer.writeString("\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits)
            default: buffer.writeInteger(byte)
            }
        }
        buffer.writeStaticString("\"")
    }
}
