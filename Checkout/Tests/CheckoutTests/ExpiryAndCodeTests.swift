import CardData
import Testing

@testable import Checkout

@Suite struct ExpiryFieldTests {
    @Test(arguments: [
        ("1227", "12/27|"), ("12/27", "12/27|"), ("127", "12/7|"), ("2", "02/|"), ("1/", "01/|"),
        ("12", "12/|"),
        ("13", "1|"), ("00", "0|"), ("1/27", "01/27|"), ("12//27", "12/27|"), ("12279", "12/27|"),
        ("１２２７", "12/27|"),
    ])
    func typing(text: String, picture: String) {
        #expect(typed(text, into: .expiry).picture == picture)
    }

    @Test(arguments: ["12/27", "12/2027", "2027-12", "12 / 27", "1227", "122027", "１２/２７", " 12-27\n"])
    func pastedDatesAreUnderstood(text: String) {
        var editor = CardFieldEditor(.expiry, today: november2026)
        #expect(editor.type(text) == .changed)
        #expect(editor.picture == "12/27|")
    }

    @Test(arguments: ["13/27", "00/27", "2027-13"])
    func monthsThatAreNoneAreRejected(text: String) {
        var editor = CardFieldEditor(.expiry, today: november2026)
        #expect(editor.type(text) == .rejected)
    }

    /// A card is good to the last day of its month.
    @Test(arguments: [
        ("1126", FieldProblem?.none), ("1026", .expired), ("1226", nil), ("0127", nil), ("1125", .expired),
        ("1246", nil), ("0147", .tooFarAhead), ("1199", .expired), ("12", .incomplete), ("", .missing),
    ])
    func monthEnds(text: String, problem: FieldProblem?) {
        #expect(typed(text, into: .expiry).problem == problem)
    }

    @Test(arguments: [
        (2098, 12, "0100", FieldProblem?.none), (2099, 12, "0100", nil), (2099, 12, "1299", nil),
        (2100, 1, "1299", .expired), (2100, 1, "0100", nil), (2026, 11, "0100", .expired),
        (2085, 1, "0105", nil),
        (2000, 1, "1299", .expired), (1999, 12, "0100", nil),
    ])
    func centuriesTurn(year: Int, monthNumber: Int, text: String, problem: FieldProblem?) {
        var editor = CardFieldEditor(.expiry, today: month(year, monthNumber))
        _ = editor.type(text)
        #expect(editor.problem == problem)
    }

    @Test func deletingBehindTheSlash() {
        var editor = typed("1227", into: .expiry)
        _ = editor.deleteBackward()
        _ = editor.deleteBackward()
        #expect(editor.picture == "12/|")
        #expect(editor.deleteBackward() == .changed)
        #expect(editor.picture == "1|")
    }
}

@Suite struct CodeFieldTests {
    @Test(arguments: [
        ("123", "4111111111111111", FieldProblem?.none), ("12", "4111111111111111", .incomplete),
        ("1234", "378282246310005", nil), ("123", "378282246310005", .incomplete),
        ("", "4111111111111111", .missing),
        ("123", "", nil), ("1234", "", nil),
    ])
    func lengthsFollowTheBrand(code: String, number: String, problem: FieldProblem?) {
        var form = CardForm(today: november2026, swipeNeedsCode: false)
        _ = form.edit(.cardNumber) { $0.type(number) }
        _ = form.edit(.cvv) { $0.type(code) }
        #expect(form.cvv.problem == problem)
    }

    /// The brand may become known after the code was typed.
    @Test func aCodeMayBecomeWrong() {
        var form = CardForm(today: november2026, swipeNeedsCode: false)
        _ = form.edit(.cvv) { $0.type("1234") }
        #expect(form.cvv.isValid)
        let (_, events) = form.edit(.cardNumber) { $0.type("4111") }
        #expect(form.cvv.problem == .wrongCodeLength(expected: 3))
        #expect(events.contains(.fieldValidated(.cvv, isValid: false)))
        _ = form.edit(.cardNumber) { $0.setText("3782") }
        #expect(form.cvv.isValid)
    }
}
