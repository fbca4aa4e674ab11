import CardData
import Testing

/// What is known of a number while somebody types it.
@Suite struct BeginningTests {
    @Test(
        arguments: [
            ("4", CardBrand.visa), ("34", .amex), ("37", .amex), ("300", .diners), ("3095", .diners),
            ("36", .diners), ("38", .diners), ("51", .mastercard), ("222", .mastercard),
            ("2221", .mastercard),
            ("6011", .discover), ("644", .discover), ("65", .discover), ("81", .unionpay), ("2200", .mir),
            ("508", .rupay), ("56", .maestro), ("6759", .maestro), ("622126", .discover),
            ("622925", .discover),
            ("622125", .unionpay), ("622926", .unionpay), ("272099", .mastercard),
            // One brand alone begins so, although not every number that does is one.
            ("35", .jcb), ("309", .diners), ("5", nil), ("6", nil), ("62", nil), ("6221", nil),
            ("30", .diners),
            ("2", nil), ("220", .mir), ("60", nil), ("3", nil), ("8", nil), ("9", nil), ("0", nil),
            ("27", .mastercard),
            ("272100", nil), ("310", nil), ("", nil), ("4x", nil), ("x", nil),
        ] as [(String, CardBrand?)])
    func brandsOfBeginnings(beginning: String, brand: CardBrand?) {
        #expect(CardBrand.of(beginning: beginning.utf8) == brand)
    }

    /// What stands behind the sixth digit changes nothing.
    @Test(arguments: ["411111", "622126", "310000"]) func sixDigitsDecide(beginning: String) {
        let brand = CardBrand.of(beginning: beginning.utf8)
        #expect(CardBrand.of(beginning: (beginning + "0000000000000").utf8) == brand)
        #expect(CardBrand.of(beginning: (beginning + "9999999999999").utf8) == brand)
    }

    /// Each beginning against all that it can become: one brand, where they have one brand between them.
    ///
    /// Every 23rd number of six digits is tried; no row of the published lists is narrower.
    @Test func beginningsAgreeWithWholePrefixes() {
        var possible: [String: Set<CardBrand>] = [:]
        for number in stride(from: 0, to: 1_000_000, by: 23) {
            let digits = String(String(number + 1_000_000).dropFirst())
            guard let brand = CardBrand.of(beginning: digits.utf8) else { continue }
            for length in 1...4 { possible[String(digits.prefix(length)), default: []].insert(brand) }
        }
        for length in 1...4 {
            for number in 0..<[1, 10, 100, 1_000, 10_000][length] {
                let whole = String(number)
                let digits = String(repeating: "0", count: length - whole.count) + whole
                let brands = possible[digits] ?? []
                let expected = brands.count == 1 ? brands.first : nil
                #expect(CardBrand.of(beginning: digits.utf8) == expected, "\(digits)")
            }
        }
    }

    // MARK: Text that is put together in place

    @Test func textsAreFilledInPlace() {
        let text = SensitiveText(count: 4) { bytes in
            #expect(bytes.count == 4)
            #expect(bytes.allSatisfy { $0 == 0 }, "zero before")
            for place in bytes.indices { bytes[place] = UInt8(ascii: "1") + UInt8(place) }
        }
        #expect(text.reveal() == "1234")
        #expect(text == SensitiveText("1234"))
        #expect("\(text)" == "<4 characters withheld>")
    }

    @Test(arguments: [0, -1, .min]) func textsOfNothing(count: Int) {
        var wasAsked = false
        let text = SensitiveText(count: count) { bytes in
            wasAsked = true
            #expect(bytes.isEmpty)
        }
        #expect(wasAsked && text.count == 0 && text.reveal() == "")
    }

    /// What is not filled is zero, and not what another text left there.
    @Test func nothingOfAnotherTextIsLeft() {
        for count in [1, 19, 200, 5_000] {
            for _ in 0..<3 {
                var old: SensitiveText? = SensitiveText(count: count) {
                    $0.update(repeating: UInt8(ascii: "9"))
                }
                #expect(old?.count == count)
                old = nil
                let new = SensitiveText(count: count) { _ in }
                #expect(new.withRevealedBytes { $0.allSatisfy { $0 == 0 } })
            }
        }
    }
}
