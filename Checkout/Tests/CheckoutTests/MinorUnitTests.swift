import Checkout
import Testing

/// Amounts are whole numbers of minor units, of 0, 2 or 3 digits (ISO 4217), and stay the same through text.
@Suite struct MinorUnitTests {
    @Test(arguments: ["JPY", "KRW", "EUR", "USD", "CHF", "KWD", "BHD", "TND"])
    func amountsSurviveText(code: String) throws {
        let currency = try #require(Currency(code))
        var random = RandomEdits.Random(state: 4217)
        for _ in 0..<500 {
            let units = random.below(Money.most + 1)
            let money = try #require(Money(minorUnits: units, currency: currency))
            #expect(Money(money.displayAmount, currency: currency) == money)
            let digits = money.displayAmount.split(separator: ".").dropFirst().first?.count ?? 0
            #expect(digits == currency.minorDigits)
        }
    }

    /// Sums that binary fractions get wrong.
    @Test func tenthsAreExact() throws {
        let dinar = try #require(Currency("KWD"))
        let parts = ["0.1", "0.2", "0.3", "1.1", "2.675"].map { Money($0, currency: dinar)?.minorUnits }
        #expect(parts == [100, 200, 300, 1100, 2675])
    }

    @Test(arguments: [("JPY", "1.0"), ("EUR", "1.005"), ("KWD", "1.0005")])
    func moreDigitsThanTheCurrencyHasAreRefused(code: String, text: String) throws {
        #expect(Money(text, currency: try #require(Currency(code))) == nil)
    }
}
