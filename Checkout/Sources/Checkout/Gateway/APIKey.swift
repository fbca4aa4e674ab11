public import CardData

/// A merchant's key to the payment service. Both kinds may take payments; neither prints itself.
public struct APIKey: Sendable, Hashable, CustomStringConvertible {
    /// Which kind of key it is.
    public enum Kind: String, Sendable, Hashable {
        /// For programs that customers hold in their hands. For servers and tills.
        case publicKey, secretKey
    }

    /// Which kind of key it is.
    public let kind: Kind
    /// The key itself.
    public let value: SensitiveText

    /// A key for programs that customers hold in their hands.
    public static func publicKey(_ value: String) -> APIKey {
        APIKey(kind: .publicKey, value: SensitiveText(value))
    }

    /// A key for servers and tills.
    public static func secretKey(_ value: String) -> APIKey {
        APIKey(kind: .secretKey, value: SensitiveText(value))
    }

    /// The kind alone.
    public var description: String { kind.rawValue }
}

/// Names one attempt to do something: the service does what it names once, however often it is asked.
public struct IdempotencyKey: Sendable, Hashable, CustomStringConvertible {
    /// 32 hexadecimal digits.
    public let value: String

    /// A new one: 128 random bits.
    public init() {
        var generator = SystemRandomNumberGenerator()
        value = [generator.next(), generator.next()].map { (bits: UInt64) in
            let digits = String(bits, radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }.joined()
    }

    /// The digits.
    public var description: String { value }
}
