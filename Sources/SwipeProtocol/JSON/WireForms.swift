import CardData

/// A whole number that may be negative.
enum AnyInteger: WireForm {
    static var schema: JSONValue { ["type": "integer"] }
    static func write(_ value: Int, to writer: inout JSONWriter) { writer.write(value) }
    static func read(_ json: JSONValue) throws(WireError) -> Int? { try Int(json: json) }
}

/// A measured number, to a tenth: more is not known.
enum Tenths: WireForm {
    static var schema: JSONValue { SchemaParts.number }
    static func write(_ value: Double, to writer: inout JSONWriter) {
        writer.write((value * 10).rounded() / 10)
    }
    static func read(_ json: JSONValue) throws(WireError) -> Double? { try Double(json: json) }
}

/// Card data in clear: into a writer that was made for it, and no other.
enum Revealed: WireForm {
    static var schema: JSONValue { SchemaParts.string }
    static func write(_ value: SensitiveText, to writer: inout JSONWriter) { writer.write(revealing: value) }
    static func read(_ json: JSONValue) throws(WireError) -> SensitiveText? {
        SensitiveText(try String(json: json))
    }
}

/// Bytes, written as upper-case hexadecimal digits: the way KSNs and ciphertext are printed in the trade.
enum Hexadecimal: WireForm {
    static var schema: JSONValue { SchemaParts.hexadecimal }
    static func write(_ value: [UInt8], to writer: inout JSONWriter) { writer.write(hexadecimal: value) }
    static func read(_ json: JSONValue) throws(WireError) -> [UInt8]? {
        let digits = try Array(String(json: json)).map(\.hexDigitValue)
        guard digits.count.isMultiple(of: 2) else { throw WireError("not pairs of hexadecimal digits") }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else {
                throw WireError("not pairs of hexadecimal digits")
            }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }
}
