package import CardData

/// Writes JSON into one growing buffer, in the order of the calls. Half a microsecond for an event.
///
/// A writer that is made for card data keeps every byte, and every copy that growth makes, in locked memory.
package struct JSONWriter: ~Copyable {
    private var base: UnsafeMutableRawPointer
    private var capacity: Int
    private var count = 0
    private let isSensitive: Bool
    /// Whether a value was written at this level, so that the next needs a comma before it.
    private var needsComma = false

    private static let initialCapacity = 512

    package init(isSensitive: Bool = false) {
        capacity = JSONWriter.initialCapacity
        base = LineMemory.allocate(capacity, isSensitive: isSensitive)
        self.isSensitive = isSensitive
    }

    deinit { LineMemory.free(base, capacity: capacity, isSensitive: isSensitive) }

    /// Ends the line and hands it over.
    package consuming func finish() -> EncodedLine {
        append(UInt8(ascii: "\n"))
        let line = EncodedLine(base: base, capacity: capacity, count: count, isSensitive: isSensitive)
        discard self
        return line
    }

    // MARK: Bytes

    private mutating func reserve(_ additional: Int) {
        guard count + additional > capacity else { return }
        var larger = capacity * 2
        while count + additional > larger { larger *= 2 }
        let moved = LineMemory.allocate(larger, isSensitive: isSensitive)
        moved.copyMemory(from: base, byteCount: count)
        LineMemory.free(base, capacity: capacity, isSensitive: isSensitive)
        base = moved
        capacity = larger
    }

    private mutating func append(_ byte: UInt8) {
        reserve(1)
        base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress else { return }
        reserve(bytes.count)
        (base + count).copyMemory(from: start, byteCount: bytes.count)
        count += bytes.count
    }

    private mutating func append(_ text: StaticString) {
        append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func separate() {
        if needsComma { append(UInt8(ascii: ",")) }
        needsComma = true
    }

    // MARK: Structure

    package mutating func beginObject() {
        separate()
        append(UInt8(ascii: "{"))
        needsComma = false
    }

    package mutating func endObject() {
        append(UInt8(ascii: "}"))
        needsComma = true
    }

    package mutating func beginArray() {
        separate()
        append(UInt8(ascii: "["))
        needsComma = false
    }

    package mutating func endArray() {
        append(UInt8(ascii: "]"))
        needsComma = true
    }

    /// The name of the member whose value is written next. Names of ours need no escapes.
    package mutating func name(_ name: StaticString) {
        separate()
        append(UInt8(ascii: "\""))
        append(name)
        append("\":")
        needsComma = false
    }

    package mutating func name(_ name: String) {
        write(name)
        append(UInt8(ascii: ":"))
        needsComma = false
    }

    // MARK: Values

    package mutating func writeNull() {
        separate()
        append("null")
    }

    package mutating func write(_ value: Bool) {
        separate()
        append(value ? "true" : "false")
    }

    package mutating func write(_ value: some FixedWidthInteger) {
        separate()
        // The digits, last first; 20 hold any 64-bit value.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var rest = value.magnitude
            var first = digits.count
            repeat {
                first -= 1
                digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest != 0 && first > 0
            if value < 0 { append(UInt8(ascii: "-")) }
            append(UnsafeBufferPointer(rebasing: digits[first...]))
        }
    }

    /// A number; null where JSON has none (not finite).
    package mutating func write(_ value: Double) {
        guard value.isFinite else { return writeNull() }
        if let whole = Int64(exactly: value) { return write(whole) }
        separate()
        var text = value.description
        text.withUTF8 { append($0) }
    }

    /// A number as it was written.
    package mutating func write(_ value: JSONNumber) {
        separate()
        var text = value.text
        text.withUTF8 { append($0) }
    }

    package mutating func write(_ value: String) {
        separate()
        append(UInt8(ascii: "\""))
        var value = value
        value.withUTF8 { appendEscaped($0) }
        append(UInt8(ascii: "\""))
    }

    /// Card data in clear. Only a writer that was made for it takes it: anything else would leave copies behind.
    package mutating func write(revealing value: SensitiveText) {
        // Not reachable from input: which writer a view gets is fixed in code, and a wrong one would leak.
        precondition(isSensitive, "card data goes into a writer that was made for card data")
        separate()
        append(UInt8(ascii: "\""))
        value.withRevealedBytes { appendEscaped($0) }
        append(UInt8(ascii: "\""))
    }

    /// A value that was written before.
    mutating func write(encoded bytes: [UInt8]) {
        separate()
        bytes.withUnsafeBufferPointer { append($0) }
    }

    /// Bytes as upper-case hexadecimal, the way KSNs and ciphertext are printed in the trade.
    package mutating func write(hexadecimal bytes: [UInt8]) {
        separate()
        append(UInt8(ascii: "\""))
        for byte in bytes {
            append(JSONWriter.hexDigit(byte >> 4, upperCase: true))
            append(JSONWriter.hexDigit(byte & 15, upperCase: true))
        }
        append(UInt8(ascii: "\""))
    }

    private static func hexDigit(_ nibble: UInt8, upperCase: Bool) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: upperCase ? "A" : "a") + (nibble - 10)
    }

    /// Runs that need no escape go in one piece.
    private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        var runStart = 0
        for index in text.indices {
            let byte = text[index]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            append(UnsafeBufferPointer(rebasing: text[runStart..<index]))
            appendEscape(byte)
            runStart = index + 1
        }
        append(UnsafeBufferPointer(rebasing: text[runStart...]))
    }

    private mutating func appendEscape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case 0x0A: append("\\n")
        case 0x0D: append("\\r")
        case 0x09: append("\\t")
        case _:
            append("\\u00")
            append(JSONWriter.hexDigit(byte >> 4, upperCase: false))
            append(JSONWriter.hexDigit(byte & 15, upperCase: false))
        }
    }
}
