import CardData
import Checkout
import Testing

@Suite struct NumberFieldTests {
    @Test(arguments: [
        ("4111111111111111", "4111 1111 1111 1111"), ("378282246310005", "3782 822463 10005"),
        ("30569309025904", "3056 930902 5904"), ("3056930009020004", "3056 9300 0902 0004"),
        ("5555555555554444", "5555 5555 5555 4444"), ("4222222222222", "4222 2222 2222 2"),
        ("6759649826438453", "6759 6498 2643 8453"), ("41", "41"), ("4111", "4111"), ("41111", "4111 1"),
    ])
    func digitsAreGroupedByBrand(digits: String, text: String) {
        let editor = typed(digits)
        #expect(editor.text.reveal() == text)
        #expect(editor.caret == text.count)
    }

    @Test(arguments: [
        ("4111111111111111", CardBrand.visa), ("5105105105105100", .mastercard),
        ("2223003122003222", .mastercard),
        ("378282246310005", .amex), ("6011111111111117", .discover), ("3530111333300000", .jcb),
        ("38520000023237", .diners), ("6200000000000005", .unionpay), ("6759649826438453", .maestro),
        ("2200000000000004", .mir),
    ])
    func wholeNumbersAreGood(digits: String, brand: CardBrand) {
        let editor = typed(digits)
        #expect(editor.isValid)
        #expect(CardBrand.of(beginning: digits.utf8) == brand)
    }

    @Test(
        arguments: [
            ("4", CardBrand.visa), ("34", .amex), ("37", .amex), ("35", .jcb), ("36", .diners),
            ("51", .mastercard),
            ("222", .mastercard), ("6011", .discover), ("3", nil), ("5", nil), ("6", nil), ("62", nil),
            ("9", nil), ("", nil),
        ] as [(String, CardBrand?)])
    func brandsShowAsSoonAsTheyAreCertain(beginning: String, brand: CardBrand?) {
        #expect(CardBrand.of(beginning: beginning.utf8) == brand)
    }

    @Test(arguments: [
        ("", FieldProblem.missing), ("4111", .incomplete), ("4111111111111112", .checkDigit),
        ("411111111111111", .incomplete), ("41111111111111111", .incomplete), ("37828224631000", .incomplete),
    ])
    func problemsAreNamed(digits: String, problem: FieldProblem) {
        #expect(typed(digits).problem == problem)
    }

    @Test func everyPublishedLengthOfEachBrandIsTaken() {
        for brand in CardBrand.allCases {
            #expect(!brand.numberLengths.isEmpty)
            #expect(brand.codeLength == (brand == .amex ? 4 : 3))
        }
        #expect(CardBrand.visa.numberLengths == [13, 16, 19])
        #expect(CardBrand.maestro.numberLengths == Array(12...19))
    }

    @Test func noMoreDigitsThanTheBrandHas() {
        var editor = typed("378282246310005")
        #expect(editor.type("1") == .rejected)
        #expect(editor.text.reveal() == "3782 822463 10005")
        #expect(typed("5555555555554444").isFull)
        #expect(!typed("4111111111111111").isFull, "Visa has numbers of 19 digits")
    }

    @Test(arguments: [
        ("4111111111111111", true), ("4111111111111112", false), ("4222222222222", false),
        ("5555555555554444", true), ("6200000000000005", false), ("6011111111111117", false),
        ("378282246310005", true), ("4" + String(repeating: "0", count: 17) + "6", true),
        ("41111111111111111", false),
    ])
    func wholeNumbersLetTheFocusGo(digits: String, isWhole: Bool) {
        #expect(typed(digits).isWhole == isWhole)
        #expect(!typed("1230", into: .cvv).isWhole || typed("1230", into: .cvv).isFull)
    }

    @Test(arguments: [
        "4111 1111 1111 1111", "4111-1111-1111-1111", " 4111111111111111\n", "４１１１ １１１１ １１１１ １１１１",
        "card: 4111.1111.1111.1111", "٤١١١١١١١١١١١١١١١",
    ])
    func pastedNumbersAreUnderstood(text: String) {
        var editor = CardFieldEditor(.cardNumber, today: november2026)
        #expect(editor.type(text) == .changed)
        #expect(editor.picture == "4111 1111 1111 1111|")
    }

    @Test(arguments: ["a", " ", "-", "", "½", "①", "\u{0}", "🂡"])
    func whatIsNoDigitIsRejected(text: String) {
        var editor = typed("4111")
        #expect(editor.type(text) != .changed)
        #expect(editor.text.reveal() == "4111")
    }

    @Test func pastedBooksAreCutShort() {
        var editor = CardFieldEditor(.cardNumber, today: november2026)
        #expect(editor.type(String(repeating: "41", count: 1_000_000)) == .changed)
        #expect(editor.digits.count == 19)
    }

    // MARK: The caret

    @Test func deletingInTheMiddle() {
        var editor = typed("4111111111111111")
        editor.moveCaret(to: 5)
        #expect(editor.picture == "4111 |1111 1111 1111")
        #expect(editor.deleteBackward() == .changed)
        #expect(editor.picture == "411|1 1111 1111 111")
        #expect(editor.deleteForward() == .changed)
        #expect(editor.picture == "411|1 1111 1111 11")
        #expect(editor.type("9") == .changed)
        #expect(editor.picture == "4119 |1111 1111 111")
    }

    @Test func deletingAGapDeletesTheDigitBeforeIt() {
        var editor = typed("41112222")
        #expect(editor.replace(4..<5, with: "") == .changed)
        #expect(editor.picture == "411|2 222")
    }

    @Test func aSelectionIsReplaced() {
        var editor = typed("4111222233334444")
        #expect(editor.replace(2..<12, with: "99") == .changed)
        #expect(editor.picture == "4199 |3344 44")
        #expect(editor.setText("5") == .changed)
        #expect(editor.picture == "5|")
        #expect(editor.setText("") == .changed)
        #expect(editor.picture == "|")
    }

    @Test func theBrandMayChangeUnderTheCaret() {
        var editor = typed("7828224631000")
        editor.moveCaret(to: 0)
        #expect(editor.type("3") == .changed)
        #expect(editor.picture == "3|782 822463 1000")
    }

    @Test func placesOutsideAreCut() {
        var editor = typed("4111")
        editor.moveCaret(to: .max)
        #expect(editor.caret == 4)
        editor.moveCaret(to: .min)
        #expect(editor.caret == 0)
        editor.moveCaret(by: .max)
        #expect(editor.caret == 4)
        editor.moveCaret(by: .min)
        #expect(editor.caret == 0)
        #expect(editor.deleteBackward() == .unchanged)
        #expect(editor.replace(-5..<900, with: "42") == .changed)
        #expect(editor.picture == "42|")
    }
}
