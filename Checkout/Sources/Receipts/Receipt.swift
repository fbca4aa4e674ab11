public import CardData
public import Checkout

/// What a customer gets in the hand: what was paid, how, and how to find it again.
///
/// Of the card it keeps the last four digits, and has no place for more.
public struct Receipt: Sendable, Hashable {
    /// What happened to the money.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// It moved to the merchant.
        case sale
        /// It is held on the card, and none has moved.
        case authorisation
        /// It moved back, or a part of it.
        case refund
        /// The sale was taken back before it was settled: no money moves.
        case void
    }

    /// What happened to the money.
    public var kind: Kind
    /// The merchant's name, and what else stands at the top: an address, a tax number.
    public var merchant: [String]
    /// The merchant's, or the payment service's, name for the order; nil for none.
    public var order: String?
    /// What was sold.
    public var description: String
    /// For how much, without the tip. Never negative: ``kind`` says which way it went.
    public var amount: Money
    /// What the customer gave on top, in the same currency; nil for nothing.
    public var tip: Money?
    /// The card; nil where it was none.
    public var card: Card?
    /// What the card's bank gave as its word; nil where the service does not tell it.
    public var approvalCode: String?
    /// The payment service's name for the charge.
    public var charge: String
    /// When.
    public var time: ReceiptTime

    /// A receipt of a sale without tip, order or card; set what there is.
    public init(
        _ kind: Kind = .sale, merchant: [String], description: String, amount: Money, charge: String,
        time: ReceiptTime
    ) {
        self.kind = kind
        self.merchant = merchant
        self.description = description
        self.amount = amount
        self.charge = charge
        self.time = time
    }

    /// Takes a tip out of the amount that it is a part of.
    public mutating func split(tip: Money?) {
        guard let tip, tip.minorUnits > 0, tip.currency == amount.currency,
            let price = Money(minorUnits: amount.minorUnits - tip.minorUnits, currency: amount.currency)
        else { return }
        amount = price
        self.tip = tip
    }

    /// Amount and tip; nil where that is more than a payment may be, or the tip is of another currency.
    public var total: Money? {
        guard let tip else { return amount }
        guard tip.currency == amount.currency else { return nil }
        let (sum, isTooMuch) = amount.minorUnits.addingReportingOverflow(tip.minorUnits)
        return isTooMuch ? nil : Money(minorUnits: sum, currency: amount.currency)
    }
}

extension Receipt {
    /// What a receipt says of a card.
    public struct Card: Sendable, Hashable {
        /// The last four digits; fewer than four, or none, where the service told no more.
        public let lastDigits: String
        /// Whose card it is, where that is known.
        public let brand: CardBrand?
        /// How it came; nil where that is not known.
        public let entry: CardEntry?

        /// Keeps of a number, masked or not, the digits at its end, and of those four at most.
        public init(ending number: String?, brand: CardBrand?, entry: CardEntry?) {
            let end = (number ?? "").reversed().prefix { $0.isASCII && $0.isNumber }.prefix(4)
            lastDigits = String(end.reversed())
            self.brand = brand
            self.entry = entry
        }
    }
}

/// A moment as a clock on the merchant's wall shows it.
public struct ReceiptTime: Sendable, Hashable, CustomStringConvertible {
    let year, month, day, hour, minute, offset: Int

    /// A moment; `offset` is how many minutes local time is ahead of UTC.
    public init(year: Int, month: Int, day: Int, hour: Int, minute: Int, offset: Int) {
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.offset) = (hour, minute, offset)
    }

    /// As ISO 8601 writes it, which is no other day in any country: `2026-11-22 16:05 +01:00`.
    public var description: String {
        let zone = "\(offset < 0 ? "-" : "+")\(Self.two(abs(offset) / 60)):\(Self.two(abs(offset) % 60))"
        return "\(year)-\(Self.two(month))-\(Self.two(day)) \(Self.two(hour)):\(Self.two(minute)) \(zone)"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
