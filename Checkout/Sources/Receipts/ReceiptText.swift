internal import CardData
public import Checkout
internal import TillScreen

/// A receipt as lines for a printer of so many columns.
///
///             Shoe Shop
///
///     2026-11-22 16:05 +01:00
///     SALE
///     --------------------------------
///     Shoes                      €4.40
///     Tip                        €0.50
///     TOTAL                      €4.90
///     --------------------------------
///     Visa                   **** 1111
///     Card                     swiped
///     Approval                  7Q4K2A
///     Charge                    ch_bd6
public struct ReceiptText: Sendable {
    /// How wide the paper of usual printers is: of 58 mm, and of 80 mm.
    public static let widths = [32, 42]

    /// The lines. None is wider than the paper; long ones go on at a word.
    public private(set) var lines: [String] = []
    private let columns: Int
    private let locale: MoneyLocale
    private let screen: ScreenText

    /// Narrower paper is taken for this.
    private static let narrowest = 16

    /// Writes a receipt.
    ///
    /// - Parameters:
    ///   - columns: how many letters a line has.
    ///   - locale: how amounts are written.
    ///   - hasUnicode: whether the printer has more letters than those of ASCII.
    public init(_ receipt: Receipt, columns: Int, locale: MoneyLocale, hasUnicode: Bool) {
        self.columns = max(columns, Self.narrowest)
        self.locale = locale
        screen = ScreenText(hasUnicode: hasUnicode)
        addHead(receipt)
        addAmounts(receipt)
        addCard(receipt)
    }

    /// All lines, each with its end.
    public var text: String { lines.map { $0 + "\n" }.joined() }

    private mutating func addHead(_ receipt: Receipt) {
        for line in receipt.merchant.flatMap({ wrapped($0) }) {
            lines.append(String(repeating: " ", count: (columns - ScreenText.width(line)) / 2) + line)
        }
        if !receipt.merchant.isEmpty { lines.append("") }
        lines += wrapped(receipt.time.description)
        if let order = receipt.order { add("Order", order) }
        lines += wrapped(receipt.kind.heading)
        addRule()
    }

    private mutating func addAmounts(_ receipt: Receipt) {
        add(receipt.description, amount(receipt.amount, receipt.kind))
        if let tip = receipt.tip { add("Tip", amount(tip, receipt.kind)) }
        if let total = receipt.total { add("TOTAL", amount(total, receipt.kind)) }
        addRule()
    }

    private mutating func addCard(_ receipt: Receipt) {
        if let card = receipt.card {
            let digits = card.lastDigits.isEmpty ? "" : "**** \(card.lastDigits)"
            add(card.brand?.title ?? "Card", digits)
            if let entry = card.entry { add("Card", entry.words) }
        }
        if let code = receipt.approvalCode { add("Approval", code) }
        add("Charge", receipt.charge)
        if let end = receipt.kind.end { lines += wrapped(end) }
    }

    // MARK: Lines

    private mutating func addRule() { lines.append(String(repeating: "-", count: columns)) }

    /// Two texts at the two sides of a line; the right one goes below where they have no room, long ones go over several.
    private mutating func add(_ left: String, _ right: String) {
        let (left, right) = (wrapped(left), wrapped(right))
        lines += left.dropLast()
        let (last, first) = (left.last ?? "", right.first ?? "")
        let gap = columns - ScreenText.width(last) - ScreenText.width(first)
        if gap > 0, right.count <= 1 {
            return lines.append(first.isEmpty ? last : last + String(repeating: " ", count: gap) + first)
        }
        lines.append(last)
        lines += right.map { String(repeating: " ", count: columns - ScreenText.width($0)) + $0 }
    }

    private func wrapped(_ text: String) -> [String] {
        ScreenText.wrap(screen.plain(CardDigits.hidden(in: text)), to: columns)
    }

    private func amount(_ money: Money, _ kind: Receipt.Kind) -> String {
        let text = screen.hasUnicode ? locale.text(money) : locale.plainText(money)
        switch kind {
        case .sale, .authorisation, .void: return text
        case .refund: return "-" + text
        }
    }
}

extension Receipt.Kind {
    fileprivate var heading: String {
        switch self {
        case .sale: "SALE"
        case .authorisation: "AUTHORISATION"
        case .refund: "REFUND"
        case .void: "VOID"
        }
    }

    fileprivate var end: String? {
        switch self {
        case .sale: nil
        case .authorisation: "The amount is held on the card. Nothing is charged yet."
        case .refund: "The amount goes back to the card."
        case .void: "The sale was taken back. Nothing is charged."
        }
    }
}

extension CardEntry {
    fileprivate var words: String {
        switch self {
        case .typed: "typed"
        case .swiped: "swiped"
        case .fallback: "swiped, not inserted"
        }
    }
}
