import Checkout
import Testing

@Suite struct MoneyTests {
    @Test(arguments: [
        ("4.40", "EUR", 440), ("4,40", "EUR", 440), ("4", "EUR", 400), ("4.4", "EUR", 440),
        ("0.05", "EUR", 5),
        ("500", "JPY", 500), ("1.250", "KWD", 1250), ("9999999999.99", "USD", 999_999_999_999),
    ])
    func amountsAreRead(text: String, code: String, units: Int) throws {
        let currency = try #require(Currency(code))
        #expect(Money(text, currency: currency)?.minorUnits == units)
    }

    @Test(arguments: [
        "", ".", "4.", ".40", "4.401", "1.000", "1,000.00", "-4", "+4", "4 4", "4e2", "99999999999999999999",
        "10000000000.00", "４", "0x4", "4.40 EUR",
    ])
    func whatIsNoAmountIsRefused(text: String) {
        #expect(Money(text, currency: .eur) == nil)
    }

    @Test func yenHaveNoFraction() {
        #expect(Money("4.40", currency: .jpy) == nil)
        #expect(Money("500", currency: .jpy)?.displayAmount == "500")
    }

    @Test(arguments: [(348, "3.48"), (5, "0.05"), (0, "0.00"), (123_456_789, "1234567.89")])
    func displayAmounts(cents: Int, text: String) throws {
        #expect(try euros(cents).displayAmount == text)
    }

    @Test(arguments: [
        ("en_US", "USD", "$1,234.50"), ("en_GB.UTF-8", "GBP", "£1,234.50"),
        ("de_DE", "EUR", "1.234,50\u{A0}€"),
        ("de-CH", "CHF", "CHF\u{A0}1’234.50"), ("fr_FR", "EUR", "1\u{202F}234,50\u{A0}€"),
        ("nl_NL", "EUR", "€\u{A0}1.234,50"), ("ja_JP", "JPY", "¥123,450"), ("C", "USD", "$1,234.50"),
        ("xx_YY", "EUR", "€1,234.50"), ("en_US", "SEK", "SEK\u{A0}1,234.50"),
        ("sv_SE", "SEK", "1\u{A0}234,50\u{A0}SEK"),
    ])
    func localesWriteAmounts(locale: String, code: String, text: String) throws {
        let money = try #require(Currency(code).flatMap { Money(minorUnits: 123_450, currency: $0) })
        #expect(MoneyLocale(locale).text(money) == text)
    }

    @Test(arguments: [
        ("en_US", "USD", "$1,234.50"), ("en_GB", "EUR", "EUR 1,234.50"), ("de_DE", "EUR", "1.234,50 EUR"),
        ("de-CH", "CHF", "CHF 1'234.50"), ("fr_FR", "EUR", "1 234,50 EUR"), ("ja_JP", "JPY", "JPY 123,450"),
        ("pl_PL", "PLN", "1 234,50 PLN"), ("en_US", "KWD", "KWD 123.450"),
    ])
    func plainScreensGetASCII(locale: String, code: String, text: String) throws {
        let money = try #require(Currency(code).flatMap { Money(minorUnits: 123_450, currency: $0) })
        #expect(MoneyLocale(locale).plainText(money) == text)
    }

    @Test func currenciesAreThoseOfISO4217() {
        #expect(Currency("eur")?.code == "EUR")
        #expect(Currency("QQQ") == nil)
        #expect(Currency("EURO") == nil)
        #expect(Currency("KWD")?.minorDigits == 3)
    }

    @Test(arguments: [
        (0, 1970, 1), (951_782_399, 2000, 2), (951_868_800, 2000, 3), (1_798_761_599, 2026, 12),
        (1_798_761_600, 2027, 1), (4_102_444_799, 2099, 12), (4_102_444_800, 2100, 1), (-1, 1969, 12),
    ])
    func monthsOfMoments(seconds: Int64, year: Int, month: Int) {
        #expect(CalendarMonth(secondsSince1970: seconds) == CalendarMonth(year: year, month: month))
    }

    @Test func monthsFollowTheTillsClock() {
        // 23:30 UTC on the last of December is next year in Vienna, not yet in Lisbon.
        #expect(
            CalendarMonth(secondsSince1970: 1_798_759_800, offset: 3600)
                == CalendarMonth(year: 2027, month: 1))
        #expect(CalendarMonth(secondsSince1970: 1_798_759_800) == CalendarMonth(year: 2026, month: 12))
        #expect(CalendarMonth(secondsSince1970: .max, offset: .max).month > 0)
        #expect(CalendarMonth(secondsSince1970: .min, offset: .min).month > 0)
    }
}
