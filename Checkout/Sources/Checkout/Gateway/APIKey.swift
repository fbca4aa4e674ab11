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

    /// Tells two keys apart and says nothing else of them: 32 bits of their sum.
    public var fingerprint: String {
        let sum = value.withRevealedBytes { fnv($0) }
        return hexadecimal(UInt64(UInt32(truncatingIfNeeded: sum ^ (sum >> 32))), digits: 8)
    }
}

/// FNV-1a (IETF draft-eastlake-fnv).
private func fnv(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
}

private func hexadecimal(_ number: UInt64, digits: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: max(digits - text.utf8.count, 0)) + text
}

/// Names one attempt to do something: the service does what it names once, however often it is asked.
public struct IdempotencyKey: Sendable, Hashable, CustomStringConvertible {
    /// 32 hexadecimal digits, or what an order's name or a change makes.
    public let value: String

    /// The most bytes that an order's name may have: services take keys of up to 128.
    public static let longestOrder = 50

    /// The same one for the same order, at every time, in every program.
    public init(naming order: String) { value = "order-of-checkout-" + Self.digits(of: order) }

    /// The same one for a change of that name, at every time, in every program; nil where it has none.
    package init?(named change: ChargeChange) {
        guard let name = change.name else { return nil }
        value = "change-\(Self.sum(of: change.charge))-" + Self.digits(of: name)
    }

    /// What a key says of the name of the change that it was made for.
    package enum ChangeName: Sendable, Hashable {
        /// It has none, or this one; or it has one that cannot be read.
        case unnamed, name(String), unreadable
    }

    /// The name of the change of a charge that this key was made for.
    package func changeName(of charge: ChargeID) -> ChangeName {
        guard value.hasPrefix("change-"), !value.hasPrefix("change-of-checkout-") else { return .unnamed }
        let digits = Array(value.utf8.reversed().prefix { $0 != UInt8(ascii: "-") }.reversed())
        let bytes = stride(from: 0, to: digits.count, by: 2).map { start in
            UInt8(String(decoding: digits[start...].prefix(2), as: UTF8.self), radix: 16)
        }
        let name = String(validating: bytes.compactMap(\.self), as: UTF8.self)
        let isIts = name.map { Self(named: .refund(charge).named($0)) == self } ?? false
        return name.flatMap { isIts ? .name($0) : nil } ?? .unreadable
    }

    /// The same one for the same change of a charge to which so much was done before, in every program: tills without a
    /// common journal that ask for the same refund at the same moment ask for one.
    init(naming change: ChargeChange, after count: Int) {
        let words = [
            "change-of-checkout", change.kind.rawValue, String(change.amount?.minorUnits ?? 0),
            String(change.tip?.minorUnits ?? 0), String(count), Self.sum(of: change.charge),
        ]
        value = words.joined(separator: "-")
    }

    private static func digits(of name: String) -> String {
        name.utf8.map { hexadecimal(UInt64($0), digits: 2) }.joined()
    }

    private static func sum(of charge: ChargeID) -> String {
        let name = Array(charge.value.utf8)
        return hexadecimal(fnv(name), digits: 16) + hexadecimal(fnv(name.reversed()), digits: 16)
    }

    /// One that was used before.
    init(written value: String) { self.value = value }

    /// One that a service has in its books.
    public init(booked value: String) { self.value = value }

    /// A new one: 128 random bits.
    public init() {
        var generator = SystemRandomNumberGenerator()
        value = [generator.next(), generator.next()].map { hexadecimal($0, digits: 16) }.joined()
    }

    /// The digits.
    public var description: String { value }
}
