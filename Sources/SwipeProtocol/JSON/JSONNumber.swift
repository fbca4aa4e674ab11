/// A number as it was written: its grammar (RFC 8259, section 6) sets no limit to it, and a program's types do.
public struct JSONNumber: Sendable, Hashable {
    /// The number, as it stands in the line.
    public let text: String

    /// - Parameter text: a number by JSON's grammar.
    init(validated text: String) { self.text = text }

    /// The number; nil where JSON has none: not finite.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        text = value.description
    }

    /// The nearest number of 64 bits with a fraction; nil where it is beyond all of them.
    public var double: Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }

    /// The whole number that it is, where 64 bits hold it: -0, 3.0 and 30e-1 are whole numbers too.
    public var integer: Int64? {
        if let plain = Int64(text) { return plain }
        let parts = text.utf8.split { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }
        guard let mantissa = parts.first else { return nil }
        var digits = mantissa.filter { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        let fraction = mantissa.split(separator: UInt8(ascii: ".")).dropFirst().first?.count ?? 0
        guard digits.contains(where: { $0 != UInt8(ascii: "0") }) else { return 0 }
        let exponent = parts.count < 2 ? 0 : Int(String(decoding: parts[1], as: UTF8.self))
        guard let exponent, JSONNumber.exponents.contains(exponent) else { return nil }
        var zeros = exponent - fraction
        while zeros < 0, digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            zeros += 1
        }
        let leading = digits.prefix { $0 == UInt8(ascii: "0") }.count
        guard zeros >= 0, digits.count - leading + zeros <= JSONNumber.digitsOfAnInteger else { return nil }
        let whole = String(decoding: digits.dropFirst(leading), as: UTF8.self)
        let sign = mantissa.first == UInt8(ascii: "-") ? "-" : ""
        return Int64(sign + whole + String(repeating: "0", count: zeros))
    }

    /// Beyond them a number that fits a line is never whole and of 64 bits, unless it is 0.
    private static let exponents = -ProtocolLimits.lineOut...ProtocolLimits.lineOut
    /// Of 2^63.
    private static let digitsOfAnInteger = 19
}
