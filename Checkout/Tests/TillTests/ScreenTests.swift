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
            // A terminal may be seen while it is half painted.
            for text in ["4111 11•• •••• 1111", "Visa", "€4.40"] { try await till.wait(for: text) }
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
            for text in ["Do not charge again.", "status 3"] { try await till.wait(for: text) }
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
            for text in ["has a wrong digit", "is past: the card has", "is not complete"] {
                try await till.wait(for: text)
            }
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
            #expect(screen.contains("4,40 EUR"))
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

    /// Errors on a screen without room for them, and screens that change while somebody types.
    @Test(arguments: [(40, 24), (30, 12), (20, 6), (200, 60)]) func anySizeWillDo(columns: Int, rows: Int)
        async throws
    {
        try await withSandbox { sandbox, address in
            let till = try await TillTerminal(
                address, ["Shoes", "4.40", "--no-reader"], size: (columns, rows))
            try await till.wait(for: "Number")
            try await till.press("Enter")
            try await till.wait(for: "is missing")
            try await till.resize(rows + 10, columns)
            try await till.resize(80, 24)
            try await till.wait(for: "Enter pays, Tab next field, F1 SandPay, Esc gives up")
            try await till.typeCard("4111111111111111")
            try await till.press("Enter")
            try await till.wait(for: "status 0")
            #expect(try await sandbox.ledger().count == 1)
        }
    }

    @Test func aWalletHasAKey() async throws {
        try await withSandbox { sandbox, address in
            let till = try await TillTerminal(address, ["Shoes", "4.40", "--no-reader"], size: (120, 24))
            try await till.wait(for: "F1 SandPay")
            try await till.press("F2")
            try await till.press("F1")
            let screen = try await till.wait(for: "/approve/src_")
            let page = try #require(
                screen.split(whereSeparator: \.isWhitespace).first { $0.contains("/approve/") })
            try await visit(page + "?answer=yes")
            try await till.wait(for: "status 0")
            #expect(try await sandbox.ledger().count == 1)
        }
    }

    /// A book in the clipboard is cut short, and the line feeds in it do not pay.
    @Test func aPastedBookDoesNotPay() async throws {
        try await withSandbox { sandbox, address in
            let till = try await TillTerminal(address, ["Shoes", "4.40", "--no-reader"])
            try await till.wait(for: "Number")
            try await till.typeCard("4111111111111111")
            try await till.paste(String(repeating: "all work and no play\n", count: 2000))
            try await till.press("Tab")
            try await till.press("x")
            try await till.wait(for: "> Number")
            #expect(try await sandbox.ledger().isEmpty)
            try await till.press("Enter")
            try await till.wait(for: "status 0")
        }
    }

    /// Standard output and error go into a file: the form is on the terminal all the same, and nothing is echoed there.
    @Test func theFormFindsTheTerminal() async throws {
        let folder = try Folder()
        try await withSandbox { _, address in
            let till = try await TillTerminal(
                address, ["Shoes", "4.40", "--no-reader", "--json"],
                redirection: ">\(folder.path("out")) 2>&1")
            try await till.wait(for: "Number")
            try await till.typeCard("4111111111111111")
            try await till.wait(for: "4111 11•• •••• 1111")
            try await till.press("Enter")
            try await till.wait(for: "status 0")
            let output = try String(contentsOfFile: folder.path("out"), encoding: .utf8)
            #expect(output.hasPrefix("{\"outcome\":\"success\""))
        }
    }

    /// A terminal that cannot be drawn on gets lines, and what is typed is not shown.
    @Test func dumbTerminalsEchoNothing() async throws {
        try await withSandbox { _, address in
            let till = try await TillTerminal(
                address, ["Shoes", "4.40", "--no-reader"], environment: ["TERM": "dumb"])
            for (question, answer) in [("Number?", "4111111111111111"), ("Expiry?", "1230"), ("CVV?", "123")]
            {
                try await till.wait(for: question)
                try await till.type(answer)
                try await till.press("Enter")
            }
            let screen = try await till.wait(for: "status 0")
            #expect(screen.contains("Number: 4111 11•• •••• 1111 Visa ok"))
            try await till.wait(for: " echo ")
            try expectNoCard(till.seen)
            #expect(!till.seen.contains("4111111111111111"))
        }
    }

    // MARK: With a reader

    @Test(.enabled(if: Programs.daemon != nil, Screens.needsDaemon)) func aSwipePays() async throws {
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

    /// A reader that encrypts: ciphertext and key serial number go from the daemon over the till to the service, and no
    /// digit of the card but those that the reader shows.
    @Test(.enabled(if: Programs.daemon != nil, Screens.needsDaemon)) func anEncryptedSwipePays() async throws
    {
        let reader = try ReaderUnderTest()
        try await withSandbox { sandbox, address in
            let tap = try WireTap(to: address)
            let till = try await TillTerminal(tap.address, ["Shoes", "4.40", "--socket", reader.socket])
            try await till.wait(for: "swipe a card, or type it")
            try reader.swipeEncrypted()
            try await till.wait(for: "Paid: €4.40 for Shoes.")
            #expect(try await sandbox.ledger().count == 1)
            let source = try #require(tap.sent.split(separator: "\r\n").first { $0.contains("\"entry\"") })
            #expect(source.contains("\"entry\":\"encrypted\",\"scheme\":\"dukpt-tdes\",\"ksn\":\""))
            #expect(source.contains("\"ciphertext\":\""))
            for name in ["\"number\"", "\"expiry\"", "\"cvv\""] { #expect(!source.contains(name)) }
            tap.stop()
        }
    }

    @Test(.enabled(if: Programs.daemon != nil, Screens.needsDaemon)) func aBadSwipeAndThenAGoodOne()
        async throws
    {
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

    @Test(.enabled(if: Programs.daemon != nil, Screens.needsDaemon)) func theReaderIsUnpluggedInMidPayment()
        async throws
    {
        let reader = try ReaderUnderTest()
        let settled = try Gate()
        try await withSandbox(["--slow-until", settled.path]) { sandbox, address in
            let till = try await TillTerminal(address, ["Shoes", "4.40", "--socket", reader.socket])
            try await till.wait(for: "swipe a card, or type it")
            try reader.swipe("6011111111111117")
            try await till.wait(for: "Waiting for the payment service")
            reader.unplug()
            try await till.wait(for: "was unplugged")
            try settled.open()
            try await till.wait(for: "status 0")
            #expect(try await sandbox.ledger().count == 1)
        }
    }

    /// Another program has asked for the reader: the till says so, leaves it alone, and has it again when it is free.
    @Test(.enabled(if: Programs.daemon != nil, Screens.needsDaemon)) func theReaderIsTakenAndComesBack()
        async throws
    {
        let reader = try ReaderUnderTest()
        try await withSandbox { sandbox, address in
            let till = try await TillTerminal(address, ["Shoes", "4.40", "--socket", reader.socket])
            try await till.wait(for: "swipe a card, or type it")
            let taker = try reader.take()
            try await till.wait(for: "used by another program")
            try await taker.killAtOnce()
            try await till.wait(for: "swipe a card, or type it")
            try reader.swipe("4111111111111111")
            try await till.wait(for: "Paid: €4.40 for Shoes.")
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
