import CardData
import Checkout
import Testing

/// The month in which most tests happen.
let november2026 = month(2026, 11)

func month(_ year: Int, _ month: Int) -> CalendarMonth {
    CalendarMonth(year: year, month: month) ?? CalendarMonth(secondsSince1970: 0)
}

func euros(_ cents: Int) throws -> Money { try #require(Money(minorUnits: cents, currency: .eur)) }

/// A field into which something was typed, a character at a time.
func typed(_ text: String, into component: CardComponent = .cardNumber) -> CardFieldEditor {
    var editor = CardFieldEditor(component, today: november2026)
    for character in text { _ = editor.type(String(character)) }
    return editor
}

extension CardFieldEditor {
    /// The text with `|` where the caret is.
    var picture: String {
        let text = text.reveal()
        let place = text.index(text.startIndex, offsetBy: caret, limitedBy: text.endIndex) ?? text.endIndex
        return text[..<place] + "|" + text[place...]
    }
}

func clearCard(
    _ number: String = "4111111111111111", _ expiry: CalendarMonth = month(2030, 12)
) throws -> CardDetails {
    let account = try #require(AccountNumber(digits: Array(number.utf8)))
    return CardDetails(.typed(ClearCard(number: account, expiry: expiry), cvv: SensitiveText("123")))
}

extension Payment {
    /// A payment at a desk of its own.
    convenience init(
        _ transaction: Transaction, gateway: any PaymentGateway, policy: PaymentPolicy = PaymentPolicy(),
        journal: any PaymentJournal = MemoryJournal()
    ) {
        let desk = PaymentDesk(.publicKey("pkey_1"), gateway: gateway, journal: journal, policy: policy)
        self.init(transaction, desk: desk)
    }
}

/// An attempt of the scripted service, as a journal has it.
func attempt(
    _ number: Int = 1, _ description: String = "Shoes", order: String? = nil, transaction: String? = nil,
    cents: Int = 440
) throws -> OpenAttempt {
    OpenAttempt(
        service: ScriptedGateway.service, order: order,
        transaction: TransactionID(transaction ?? "txn_\(number)"), source: SourceID("src_\(number)"),
        amount: try euros(cents), description: description)
}

extension PaymentDesk {
    /// Whoever sells it was told.
    func acknowledge(_ payment: EarlierPayment) { acknowledge(payment, selling: payment.attempt.sale) }
}
