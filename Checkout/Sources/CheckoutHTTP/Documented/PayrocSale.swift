internal import CardData
internal import Checkout

/// A sale at a service that has nothing of it before a card is there: its name says all of it.
///
///     order/17/440/EUR/40/automatic/Shoes
///     │     │  │   │   │  │         └ what is sold
///     │     │  │   │   │  └ when the money moves
///     │     │  │   │   └ how much of it is a tip
///     │     │  └───┴ for how much
///     │     └ its `orderId` in the service's books, as in a path
///     └ `order` where the merchant named it, `sale` where chance did
struct PayrocSale: Sendable, Hashable {
    let isOrder: Bool
    let orderID: String
    let amount: Money
    let tip: Int
    let capture: CaptureTime
    let description: String

    private static let parts = 7
    /// The most bytes that `orderId` takes.
    static let longestOrder = 24

    init(_ request: TransactionRequest, key: IdempotencyKey) {
        isOrder = request.order != nil
        // The random digits of a key, no more than are said to fit.
        orderID = request.order ?? String(key.value.prefix(Self.longestOrder))
        amount = request.amount
        tip = request.tip?.minorUnits ?? 0
        capture = request.capture
        description = request.description
    }

    init?(_ id: TransactionID) {
        let parts = id.value.split(
            separator: "/", maxSplits: Self.parts - 1, omittingEmptySubsequences: false
        ).map(String.init)
        guard parts.count == Self.parts, ["order", "sale"].contains(parts[0]),
            let name = Self.name(inPath: parts[1]),
            let units = Int(parts[2]), let currency = Currency(parts[3]),
            let amount = Money(minorUnits: units, currency: currency), let tip = Int(parts[4]),
            let capture = CaptureTime(rawValue: parts[5])
        else { return nil }
        self.isOrder = parts[0] == "order"
        self.orderID = name
        self.amount = amount
        self.tip = tip
        self.capture = capture
        self.description = parts[6]
    }

    var id: TransactionID {
        TransactionID(
            [
                isOrder ? "order" : "sale", HTTPGateway.inPath(orderID), String(amount.minorUnits),
                amount.currency.code, String(tip), capture.rawValue, description,
            ].joined(separator: "/"))
    }

    func transaction(_ token: SensitiveText, charge: Charge?) -> Transaction {
        Transaction(
            id: id, token: token, description: description, amount: amount,
            methods: [
                PaymentMethod(id: "card", kind: .creditCard, flow: .inPlace),
                PaymentMethod(id: "swipe", kind: .swipe, flow: .inPlace),
            ], charge: charge)
    }

    /// What ``HTTPGateway/inPath(_:)`` made of a name.
    private static func name(inPath text: String) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else { bytes.append(byte); continue }
            guard let code = UInt8(String(Substring(rest.prefix(2))), radix: 16) else { return nil }
            bytes.append(code)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

/// A key in the only form that the service takes: a UUID of version 4 (RFC 9562 §5.4).
enum PayrocKey {
    /// The same one for the same name, in every program: FNV-1a of 128 bits (IETF draft-eastlake-fnv), of which the version takes
    /// six. Two names with one key would be a refusal, not a second payment: a key with another body is a 409.
    static func uuid(_ name: String) -> String {
        var sum: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D
        for byte in name.utf8 { sum = (sum ^ UInt128(byte)) &* 0x100_0000_0000_0000_0000_013B }
        var digits = Array(String(sum, radix: 16))
        digits = Array(repeating: "0", count: 32 - digits.count) + digits
        digits[12] = "4"
        digits[16] = ["8", "9", "a", "b"][Int(truncatingIfNeeded: sum & 3)]
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
        return groups.joined(separator: "-")
    }
}
