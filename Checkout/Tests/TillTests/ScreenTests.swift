import CheckoutTesting
import Foundation
import Testing

/// The till in a real terminal.
@Suite(.serialized) struct ScreenTests {
    @Test func aTypedCardPaysWithoutADaemon() async throws {
        try await withSandbox { sandbox, address in
            let till = try await TillTerminal(address, ["Shoes", "4.40"])
            try await till.wait(for: "no reader daemon: type the card")
            try await till.type("4111111111111111")
            let screen = try await till.wait(for: "4111 11•• •••• 1111")
            #expect(screen.contains("Visa"))
            #expect(screen.contains("€4.40"))
            try await till.wait(for: "ok")
            try await till.press("Tab")
            try await till.type("1230")
            try await till.wait(for: "12/30")
            try await till.type("123")
            try await till.wait(for: "•••  ")
            try await till.press("Enter")
            try await till.wait(for: "Paid: €4.40 for Shoes.")
            try await till.wait(for: "status 0")
            #expect(try await sandbox.ledger().map(\.amount) == [440])
            try expectNoCard(till.seen)
        }
    }

    @Test func aDeclinedCardAndThenAnother() async throws {
        try await withSandbox { sandbox, address in
            let till = try await TillTerminal(address, ["Shoes", "4.40", "--no-reader"])
            try await till.wait(for: "Number")
            try await till.typeCard("4012888888881881")
            try await till.press("Enter")
            try await till.wait(for: "The card was declined. Ask for another card, or for cash.")
            try await till.typeCard("5555555555554444")
            try await till.wait(for: "5555 55•• •••• 4444")
            try await till.press("Enter")
            try await till.wait(for: "status 0")
            #expect(try await sandbox.ledger().count == 1)
        }
    }

    @Test func doubtSaysNotToChargeAgain() async throws {
        try await withSandbox { sandbox, address in
            let till = try await TillTerminal(address, ["Shoes", "4.40", "--no-reader", "--patience", "1"])
            try await till.wait(for: "Number")
            try await till.typeCard("6011000990139424")
            try await till.press("Enter")
            try await till.wait(for: "Perhaps paid:")
            let screen = try await till.wait(for: "status 3")
            #expect(screen.contains("Do not charge again."))
            #expect(try await sandbox.ledger().count == 1, "the money did move")
        }
    }

    @Test func whatIsWrongIsSaid() async throws {
        try await withSandbox { sandbox, address in
            let till = try await TillTerminal(address, ["Shoes", "4.40", "--no-reader"])
            try await till.wait(for: "Number")
            try await till.typeCard("4111111111111112", "0120", "12")
            let before = try await till.wait(for: "••  ")
            #expect(!before.contains("has a wrong digit"), "not before the first submit")
            try await till.press("Enter")
            let screen = try await till.wait(for: "has a wrong digit")
            #expect(screen.contains("is past: the card has"))
            #expect(screen.contains("is not complete"))
            try await till.press("Escape")
            try await till.wait(for: "Cancelled: €4.40 for Shoes. Nothing was charged.")
            try await till.wait(for: "status 4")
            #expect(try await sandbox.ledger().isEmpty)
        }
    }

    @Test func plainTerminalsGetPlainText() async throws {
        try await withSandbox { _, address in
            let till = try await TillTerminal(
                address, ["Shoes", "4.40", "--no-reader", "--locale", "de_DE"],
                environment: ["NO_COLOR": "1", "LC_ALL": "C"])
            try await till.wait(for: "Number")
            try await till.type("4111111111111111")
            let screen = try await till.wait(for: "4111 11** **** 1111")
            #expect(screen.contains("4,40"))
            #expect(!screen.contains { !$0.isASCII })
            #expect(try await !till.screen(colours: true).contains("\u{1B}[3"))
        }
    }

    @Test func coloursShowWhatIsGood() async throws {
        try await withSandbox { _, address in
            let till = try await TillTerminal(address, ["Shoes", "4.40", "--no-reader"])
            try await till.wait(for: "Number")
            try await till.type("4111111111111111")
            try await till.wait(for: "4111 11•• •••• 1111")
            try await till.wait(for: "\u{1B}[32m4111 11•• •••• 1111", colours: true)
        }
    }

    @Test func aWholeCardMayBePastedAndMended() async throws {
        try await withSandbox { _, address in
            let till = try await TillTerminal(address, ["Shoes", "4.40", "--no-reader"], size: (40, 24))
            try await till.wait(for: "Number")
            try await till.type("４１１１-1111 1111 11x19")
            try await till.wait(for: "4111 11")
            try await till.press("BSpace")
            try await till.type("1")
            try await till.wait(for: "4111 11•• •••• 1111")
        }
    }

    // MARK: With a reader

    static let needsDaemon = Comment(
        rawValue: "the daemon is not built: run 'swift build' in the package above")

    @Test(.enabled(if: Programs.daemon != nil, needsDaemon)) func aSwipePays() async throws {
        let reader = try ReaderUnderTest()
        try await withSandbox { sandbox, address in
            let till = try await TillTerminal(address, ["Shoes", "4.40", "--socket", reader.socket])
            try await till.wait(for: "swipe a card, or type it")
            try reader.swipe("4111111111111111")
            try await till.wait(for: "Paid: €4.40 for Shoes.")
            #expect(try await sandbox.ledger().count == 1)
            try expectNoCard(till.seen)
        }
    }

    @Test(.enabled(if: Programs.daemon != nil, needsDaemon)) func aBadSwipeAndThenAGoodOne() async throws {
        let reader = try ReaderUnderTest()
        try await withSandbox { sandbox, address in
            let till = try await TillTerminal(address, ["Shoes", "4.40", "--socket", reader.socket])
            try await till.wait(for: "swipe a card, or type it")
            try reader.swipe("4111111111111111", "2001")
            try await till.wait(for: "The card has expired.")
            try reader.swipe("4012888888881881")
            try await till.wait(for: "The card was declined.")
            try reader.swipe("4111111111111111")
            try await till.wait(for: "status 0")
            #expect(try await sandbox.ledger().count == 1)
        }
    }

    @Test(.enabled(if: Programs.daemon != nil, needsDaemon)) func theReaderIsUnpluggedInMidPayment()
        async throws
    {
        let reader = try ReaderUnderTest()
        try await withSandbox(["--slow", "4"]) { sandbox, address in
            let till = try await TillTerminal(address, ["Shoes", "4.40", "--socket", reader.socket])
            try await till.wait(for: "swipe a card, or type it")
            try reader.swipe("6011111111111117")
            try await till.wait(for: "Waiting for the payment service")
            reader.unplug()
            try await till.wait(for: "was unplugged")
            try await till.wait(for: "status 0")
            #expect(try await sandbox.ledger().count == 1)
        }
    }

    /// No more of a card on any screen than its first six and last four digits.
    private func expectNoCard(_ seen: String) throws {
        #expect(!seen.isEmpty)
        for line in seen.split(separator: "\n") where line.contains("Number") || line.contains("Card") {
            #expect(line.count { $0.isNumber } <= 10, "\(line)")
        }
        #expect(!seen.contains("CVV       123"))
    }
}
