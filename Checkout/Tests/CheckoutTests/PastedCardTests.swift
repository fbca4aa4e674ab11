import CardData
import Testing

@testable import Checkout

/// A card that was copied as one text falls into the fields.
@Suite struct PastedCardTests {
    private static func form() -> CardForm { CardForm(today: november2026, swipeNeedsCode: false) }

    private func texts(_ form: CardForm) -> [String] {
        CardForm.order.map { form[$0]?.text.reveal() ?? "" }
    }

    @Test(arguments: [
        "4111111111111111 12/30 123", "4111 1111 1111 1111 12/30 123", "4111-1111-1111-1111 12-2030 123",
        "4111111111111111\t1230\t123\n", "4111111111111111\r\n12\r\n30\r\n123", "4111111111111111/12/30/123",
        "4111111111111111|12|2030|123", "Number: 4111.1111.1111.1111, good thru 12/30, CVC 123",
        "４１１１１１１１１１１１１１１１ １２/３０ １２３", "41111111111111111230123", "4111111111111111 2030-12 123",
        "  4111111111111111   122030 123 ",
    ])
    func wholeCardsFallIntoTheFields(text: String) throws {
        for component in CardForm.order {
            var form = Self.form()
            _ = form.edit(.cardNumber) { $0.type("5") }
            let filled = form.fill(text, from: component)
            let events = try #require(filled)
            #expect(texts(form) == ["4111 1111 1111 1111", "12/30", "123"])
            #expect(form.submit().card != nil)
            #expect(events.last == .fieldShouldFocus(.cvv))
            #expect(events.count { if case .fieldShouldFocus = $0 { true } else { false } } == 1)
        }
    }

    /// What a reader that is a keyboard types: the year comes first, and there is no code. Both tracks, or one of them.
    @Test(arguments: [
        "%B4111111111111111^DOE/JOHN^30122010000000000000?", ";4111111111111111=30122010000000000000?",
        "%B4111 1111 1111 1111^DOE/J. 2ND^3012?", "4111111111111111=3012",
        "%B4111111111111111^DOE/JOHN^30122010000?;4111111111111111=30122010000?\n",
        "\u{2}%B4111111111111111^^30122010000?\r",
    ])
    func tracksFallIntoTheFields(text: String) throws {
        for component in CardForm.order {
            var form = Self.form()
            let filled = form.fill(text, from: component)
            let events = try #require(filled)
            #expect(texts(form) == ["4111 1111 1111 1111", "12/30", ""])
            #expect(events.last == .fieldShouldFocus(.cvv))
        }
    }

    @Test(arguments: [
        "%B4111111111111111^DOE/JOHN", "%B4111111111111111^DOE/JOHN^", "4111111111111112=3012",
        ";4111111111111111=30", "=3012", "^^3012",
    ])
    func whatIsNoTrackIsNone(text: String) { #expect(TrackText(text) == nil) }

    /// The same, key by key: what belongs to no field is in none.
    @Test(arguments: [
        ("4111111111111111^DOE/JOHN 12^3012201123?;4111111111111111=3012201123?", "1230"),
        ("4111111111111111=3012201123?", "1230"), ("4111111111111111=1230", "1230"),
    ])
    func tracksMayBeTyped(text: String, date: String) {
        var (track, number, dates, rest) = (TypedTrack(), "", [String](), "")
        for letter in text.map(String.init) {
            switch track.take(letter, afterNumber: number.count == 16) {
            case .pass: if number.count < 16 { number += letter } else { rest += letter }
            case .swallow, .begins: break
            case .expiry(let date): dates.append(date)
            }
        }
        #expect(number == "4111111111111111" && dates == [date] && rest.isEmpty)
        track.end()
        #expect(track.take("1", afterNumber: true) == .pass)
        #expect(track.take("^", afterNumber: false) == .pass, "without a number it is no track")
    }

    /// The sentinel of a track says that another card comes; not within a track, and the next track of the same card does not.
    @Test(arguments: ["%", ";"]) func aTrackBegins(sentinel: String) {
        var track = TypedTrack()
        #expect(track.take(sentinel, afterNumber: true) == .begins)
        #expect(track.take("4", afterNumber: false) == .pass)
        for letter in ["=", "3", "0", "1"] { #expect(track.take(letter, afterNumber: true) == .swallow) }
        #expect(track.take("2", afterNumber: true) == .expiry("1230"))
        for letter in ["0", "?", ";", "4", "?"] { #expect(track.take(letter, afterNumber: true) == .swallow) }
        track.end()
        #expect(track.take(sentinel, afterNumber: true) == .begins)
    }

    /// The second card comes without a code: the first one's is not left beside its number.
    @Test func noCodeOfTheCardBefore() throws {
        var form = Self.form()
        #expect(form.fill("4111111111111111 12/30 123", from: .cardNumber) != nil)
        #expect(form.fill(";5555555555554444=3011201000?", from: .cardNumber) != nil)
        #expect(form.number.digits.reveal() == "5555555555554444" && form.cvv.digits.count == 0)
        #expect(form.fill("1230 456", from: .expiry) != nil && form.cvv.digits.reveal() == "456")
    }

    /// Numbers of every length and brand, with and without a code.
    @Test(arguments: [
        ("378282246310005", "1234"), ("5555555555554444", "123"), ("30569309025904", "123"),
        ("62" + String(repeating: "0", count: 17), "123"), ("6759649826438453", "123"),
        ("4222222222222", "123"),
        ("4" + String(repeating: "0", count: 17) + "6", "123"), ("6200000000000005", "123"),
    ])
    func everyBrandIsRead(number: String, code: String) throws {
        for separator in [" ", "\t", "\n", "/", "  ,  "] {
            var form = Self.form()
            #expect(
                form.fill([number, "12/30", code].joined(separator: separator), from: .cardNumber) != nil)
            #expect(form.number.digits.reveal() == number && form.cvv.digits.reveal() == code)
            var half = Self.form()
            let filled = half.fill(number + separator + "1230", from: .cardNumber)
            let events = try #require(filled)
            #expect(half.number.digits.reveal() == number && half.expiry.text.reveal() == "12/30")
            #expect(events.last == .fieldShouldFocus(.cvv))
        }
    }

    @Test func aDateWithItsCodeFallsIntoTheirs() {
        var form = Self.form()
        _ = form.edit(.cardNumber) { $0.type("378282246310005") }
        #expect(form.fill("12/30 123", from: .expiry) == nil, "an American Express code has four digits")
        #expect(form.fill("12/30 1234", from: .cardNumber) == nil)
        #expect(form.fill("12/30 1234", from: .expiry) != nil)
        #expect(texts(form) == ["3782 822463 10005", "12/30", "1234"])
    }

    /// What is over is in its field all the same, for the form to say so.
    @Test func expiredCardsAreRead() throws {
        var form = Self.form()
        let filled = form.fill("4111111111111111 01/20 123", from: .cardNumber)
        let events = try #require(filled)
        #expect(form.expiry.problem == .expired)
        #expect(events.last == .fieldShouldFocus(.expiry))
    }

    @Test(arguments: [
        "", "4", "4111111111111111", "4111 1111 1111 1111", "4111111111111112 12/30 123",
        "4111111111111111 13/30 123", "4111111111111111 12/30 12", "4111111111111111 12/30 123 4",
        "4111111111111111 123", "all work and no play", "1230", "12/30",
        "4111111111111111 12/30 123 " + String(repeating: "x", count: 5_000),
    ])
    func whatIsNoCardIsNotTaken(text: String) {
        var form = Self.form()
        #expect(form.fill(text, from: .cardNumber) == nil)
        #expect(form.isUntouched)
    }

    /// Any text at all: no trap, and what is taken is a good number and a month.
    @Test func anyTextWillDo() {
        var random = RandomEdits.Random(state: 19)
        let letters = Array("0123456789 /-\n4111x")
        for _ in 0..<2_000 {
            let text = String((0..<random.below(40)).map { _ in letters[random.below(letters.count)] })
            for component in CardForm.order {
                var form = Self.form()
                guard form.fill(text, from: component) != nil else { continue }
                #expect(form.number.isValid || component == .expiry)
                #expect(form.expiry.month != nil)
            }
        }
    }
}
