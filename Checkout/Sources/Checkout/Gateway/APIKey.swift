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

    /// Tells two keys apart and says nothing else of them: 32 bits of their FNV-1a sum (IETF draft-eastlake-fnv).
    public var fingerprint: String {
        let sum = value.withRevealedBytes { bytes in
            bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        }
        let digits = String(UInt32(truncatingIfNeeded: sum ^ (sum >> 32)), radix: 16)
        return String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }
}

/// Names one attempt to do something: the service does what it names once, however often it is asked.
public struct IdempotencyKey: Sendable, Hashable, CustomStringConvertible {
    /// 32 hexadecimal digits, or what an order's name makes.
    public let value: String

    /// The most bytes that an order's name may have: services take keys of up to 128.
    public static let longestOrder = 50

    /// The same one for the same order, at every time, in every program.
    public init(naming order: String) {
        value =
            "order-of-checkout-" + order.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// One that was used before.
    init(written value: String) { self.value = value }

    /// One that a service has in its books.
    public init(booked value: String) { self.value = value }

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
