import CardData
import Checkout
import CheckoutTesting
import Foundation
import ReceiptPDF
import Receipts
import Testing

/// Receipts: what is on them, how they fit the paper, and that they show no more of a card than its last four digits.
@Suite struct ReceiptTests {
    static func receipt(_ kind: Receipt.Kind = .sale, _ cents: Int = 440) throws -> Receipt {
        var receipt = Receipt(
            kind, merchant: ["Shoe Shop", "1 Main Street"], description: "Shoes", amount: try euros(cents),
            charge: "ch_1",
            time: ReceiptTime(year: 2026, month: 11, day: 2, hour: 9, minute: 5, offset: 60))
        receipt.order = "txn_1"
        receipt.tip = try euros(50)
        receipt.approvalCode = "7Q4K2A"
        receipt.card = Receipt.Card(ending: "411111…1111", brand: .visa, entry: .swiped)
        return receipt
    }

    private func lines(
        _ receipt: Receipt, _ columns: Int = 32, _ locale: String = "en_IE", unicode: Bool = true
    )
        -> [String]
    {
        ReceiptText(receipt, columns: columns, locale: MoneyLocale(locale), hasUnicode: unicode).lines
    }

    @Test func aSaleSaysEverything() throws {
        let lines = lines(try Self.receipt())
        #expect(
            lines == [
                "           Shoe Shop", "         1 Main Street", "", "2026-11-02 09:05 +01:00",
                "Order                      txn_1", "SALE", "--------------------------------",
                "Shoes                      €4.40", "Tip                        €0.50",
                "TOTAL                      €4.90", "--------------------------------",
                "Visa                   **** 1111", "Card                      swiped",
                "Approval                  7Q4K2A", "Charge                      ch_1",
            ])
    }

    @Test func refundsAndVoidsSayWhatTheyAre() throws {
        let refund = try lines(Self.receipt(.refund))
        #expect(refund.contains("REFUND") && refund.contains("TOTAL                     -€4.90"))
        #expect(refund.contains("The amount goes back to the"))
        let void = try lines(Self.receipt(.void), 42)
        #expect(void.contains("VOID"))
        #expect(void.suffix(2) == ["The sale was taken back. Nothing is", "charged."])
    }

    @Test(arguments: [
        ("de_DE", "EUR", 123_450, "1.234,50 €"), ("en_IE", "JPY", 1200, "¥1,200"),
        ("en_US", "KWD", 1_234_567, "KWD 1,234.567"),
        ("de_CH", "CHF", 440, "CHF 4.40"), ("fr_FR", "EUR", 123_450, "1 234,50 €"),
    ])
    func amountsAreTheCountrys(locale: String, code: String, units: Int, text: String) throws {
        let currency = try #require(Currency(code))
        var receipt = try Self.receipt()
        receipt.amount = try #require(Money(minorUnits: units, currency: currency))
        receipt.tip = nil
        let total = try #require(lines(receipt, 42, locale).first { $0.hasPrefix("TOTAL") })
        #expect(total.hasSuffix(" " + text) && total.count == 42)
        #expect(lines(receipt, 42, locale, unicode: false).joined().allSatisfy { $0.isASCII })
    }

    @Test func entriesAreSaid() throws {
        var receipt = try Self.receipt()
        for (entry, words) in [
            (CardEntry.typed, "typed"), (.swiped, "swiped"), (.fallback, "swiped, not inserted"),
        ] {
            receipt.card = Receipt.Card(ending: "1111", brand: nil, entry: entry)
            #expect(lines(receipt).contains { $0.hasPrefix("Card") && $0.hasSuffix(" " + words) })
        }
        receipt.card = nil
        #expect(!lines(receipt).contains { $0.hasPrefix("Card") }, "a wallet")
    }

    @Test func totalsDoNotOverflow() throws {
        var receipt = try Self.receipt()
        receipt.amount = try euros(Money.most)
        #expect(receipt.total == nil)
        receipt.tip = Money(minorUnits: 1, currency: .usd)
        #expect(receipt.total == nil)
        receipt.tip = nil
        #expect(receipt.total?.minorUnits == Money.most)
    }

    // MARK: What is never on them

    private static let numbers = [
        "4111111111111111", "5555555555554444", "378282246310005", "30569309025904", "4222222222222",
        "62" + String(repeating: "0", count: 17), "2223003122003222",
    ]

    @Test(arguments: numbers) func aCardKeepsFourDigits(number: String) {
        for text in [
            number, "\(number.prefix(6))…\(number.suffix(4))", "\(number.prefix(6))******\(number.suffix(4))",
        ] {
            #expect(
                Receipt.Card(ending: text, brand: .visa, entry: .typed).lastDigits == String(number.suffix(4))
            )
        }
        #expect(Receipt.Card(ending: "4111…", brand: nil, entry: nil).lastDigits.isEmpty)
        #expect(Receipt.Card(ending: nil, brand: nil, entry: nil).lastDigits.isEmpty)
    }

    /// Whatever is in whatever field, on paper of any width: no line is too long, no word is cut that has room, and no
    /// card number can be put together from the lines, but its last four digits.
    @Test func noReceiptShowsMore() throws {
        var random = RandomEdits.Random(state: 32)
        for _ in 0..<3_000 {
            let number = Self.numbers[random.below(Self.numbers.count)]
            var receipt = try Self.receipt(
                Receipt.Kind.allCases[random.below(Receipt.Kind.allCases.count)], random.below(1_000_000))
            let text = Self.text(around: number, &random)
            switch random.below(6) {
            case 0: receipt.merchant = [text, "Shop"]
            case 1: receipt.order = text
            case 2: receipt.description = text
            case 3: receipt.approvalCode = text
            case 4: receipt.charge = text
            default: receipt.card = Receipt.Card(ending: text, brand: .visa, entry: .typed)
            }
            let columns = [16, 32, 42, 80][random.below(4)]
            let lines = lines(receipt, columns, unicode: random.below(2) == 0)
            let shown = lines.joined().filter(\.isNumber)
            #expect(!shown.contains(number) && !shown.contains(number.dropLast(4)), "\(columns)")
            #expect(lines.allSatisfy { $0.count <= columns }, "\(columns)")
        }
    }

    /// A number as people write it, in groups or not, among other words.
    private static func text(around number: String, _ random: inout RandomEdits.Random) -> String {
        let separator = ["", " ", "-", ".", "  "][random.below(5)]
        var written = ""
        for (place, digit) in number.enumerated() {
            if place > 0, place.isMultiple(of: 4) { written += separator }
            written.append(digit)
        }
        let words = ["Socks", "for", "Mr", "靴", "extraordinarily-long-compound-words", "x"]
        let before = (0..<random.below(4)).map { _ in words[random.below(words.count)] }
        let after = (0..<random.below(4)).map { _ in words[random.below(words.count)] }
        return (before + [written] + after).joined(separator: " ")
    }

    @Test func otherNumbersStay() throws {
        var receipt = try Self.receipt()
        receipt.merchant = ["VAT IE1234567T", "+353 1 234 5678"]
        receipt.order = "2026-11-22/0001"
        let text = lines(receipt, 42).joined(separator: "\n")
        for part in receipt.merchant + [receipt.order ?? ""] { #expect(text.contains(part)) }
    }

    // MARK: PDF

    #if PDF
        @Test func aPDFHasTheSameLines() async throws {
            var receipt = try Self.receipt()
            receipt.description = "Schuhe für “Zoë” – 4111 1111 1111 1111"
            let text = ReceiptText(receipt, columns: 42, locale: MoneyLocale("de_DE"), hasUnicode: true)
            for font in [nil, "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"] {
                let read = try await Self.read(ReceiptPDF.bytes(text, font: font))
                for word in text.lines.flatMap({ $0.split(separator: " ") }) {
                    #expect(read.contains(word), "\(word)")
                }
                #expect(!read.contains("4111 1111"))
            }
        }

        @Test func aFontThatIsNoneIsNamed() throws {
            let text = ReceiptText(
                try Self.receipt(), columns: 42, locale: MoneyLocale("de_DE"), hasUnicode: true)
            #expect(throws: ReceiptPDFError.font("/dev/null")) {
                try ReceiptPDF.bytes(text, font: "/dev/null")
            }
        }

        /// What another program reads in it.
        private static func read(_ pdf: [UInt8]) async throws -> String {
            let folder = try Folder()
            try Data(pdf).write(to: folder.url.appending(path: "receipt.pdf"))
            return try await FinishedProcess.run(
                "pdftotext", ["-layout", folder.path("receipt.pdf"), "-"]
            ).output
        }
    #else
        @Test func withoutTheLibraryItSaysSo() throws {
            let text = ReceiptText(
                try Self.receipt(), columns: 42, locale: MoneyLocale("de_DE"), hasUnicode: true)
            #expect(throws: ReceiptPDFError.notBuiltIn) { try ReceiptPDF.bytes(text) }
            #expect(!ReceiptPDF.isBuiltIn)
        }
    #endif
}
