import CheckoutTesting
import Foundation
import Synchronization
import Testing

/// Keys as they really come: many at once, pasted, or before the form is there. None is lost, each is in its field, on a
/// screen of any width.
@Suite(.serialized) struct TypingTests {

    /// A whole card in one read, as a quick typist's keys or a scanner's come: the focus goes on with each field.
    @Test(
        arguments: [
            "55555555555544441230123", "41111111111111111230123", "5555555555554444\t1230\t123",
            "5555 5555 5555 4444 12/30 123",
        ], Typing.widths)
    func aBurstFillsTheForm(keys: String, columns: Int) async throws {
        try await withSandbox { sandbox, address in
            let till = try await TillTerminal(
                address, ["Shoes", "4.40", "--no-reader"], size: (columns, 60))
            try await till.wait(for: "> Number")
            try await till.type(keys)
            try await till.wait(for: "12/30")
            try await till.wait(for: "•••")
            try await till.press("Enter")
            try await till.wait(for: "status 0")
            #expect(try await sandbox.ledger().map(\.amount) == [440])
        }
    }

    /// The key that pays comes in the same read: it pays with all that came before it.
    @Test func enterMayComeAtOnce() async throws {
        try await withSandbox { sandbox, address in
            let till = try await TillTerminal(address, ["Shoes", "4.40", "--no-reader"])
            try await till.wait(for: "> Number")
            try await till.type("55555555555544441230123\r")
            try await till.wait(for: "status 0")
            #expect(try await sandbox.ledger().count == 1)
        }
    }

    /// A scanner that ends each field with Enter: the form says what is missing, and takes it.
    @Test func enterMayComeAfterEachField() async throws {
        try await withSandbox { sandbox, address in
            let till = try await TillTerminal(address, ["Shoes", "4.40", "--no-reader"])
            try await till.wait(for: "> Number")
            try await till.type("4111111111111111\r1230\r123\r")
            try await till.wait(for: "status 0")
            #expect(try await sandbox.ledger().count == 1)
        }
    }

    @Test(
        arguments: [
            "4111111111111111 12/30 123", "4111-1111-1111-1111\t12/30\t123\n",
            "4111 1111 1111 1111\n12 30\n123",
            "6200000000000005/12/2030/123",
        ], Typing.widths)
    func aPastedCardFallsIntoTheFields(text: String, columns: Int) async throws {
        try await withSandbox { sandbox, address in
            let till = try await TillTerminal(
                address, ["Shoes", "4.40", "--no-reader"], size: (columns, 60))
            try await till.wait(for: "> Number")
            try await till.paste(text)
            try await till.wait(for: "12/30")
            try await till.wait(for: "•••")
            #expect(try await sandbox.ledger().isEmpty, "a paste does not pay")
            if text.hasPrefix("4") {
                try await till.press("Enter")
                try await till.wait(for: "status 0")
                #expect(try await sandbox.ledger().count == 1)
            }
        }
    }

    /// Who types while the payment service is still asked finds it in the form.
    @Test func keysBeforeTheFormAreKept() async throws {
        try await withSandbox { sandbox, address in
            let tap = try WireTap(to: address, isHeld: true)
            let till = try await TillTerminal(tap.address, ["Shoes", "4.40", "--no-reader"])
            try await till.wait(for: "Asking the payment service")
            try await till.type("55555555555544441230")
            try await till.type("123")
            tap.letGo()
            try await till.wait(for: "•••")
            try await till.press("Enter")
            try await till.wait(for: "status 0")
            #expect(try await sandbox.ledger().count == 1)
            tap.stop()
        }
    }

    /// Who types before the till runs at all sees it shown by the terminal; it is off the screen once the till is there, of however
    /// many lines it was, and the fields have it.
    @Test(arguments: ["4111111111111111\t1230\t123", "4111111111111111\n1230\n123"], [20, 80])
    func keysBeforeTheTillAreNotLeft(keys: String, columns: Int) async throws {
        try await withSandbox { sandbox, address in
            let till = try await TillTerminal(
                address, ["Shoes", "4.40", "--no-reader"], size: (columns, 60), delay: 3)
            try await till.wait(for: "before")
            try await till.type(keys)
            try await till.wait(for: "4111111")
            try await till.wait(for: "•••")
            try await till.press("Enter")
            let screen = try await till.wait(for: "status 0")
            #expect(!screen.contains("4111111") && screen.contains("before"))
            #expect(try await sandbox.ledger().map(\.amount) == [440])
        }
    }

    /// The same where the till has something to say before its form is there.
    @Test func keysBeforeANoticeAreNotLeft() async throws {
        let fake = try FakePayroc()
        defer { fake.service.stop() }
        let till = try await TillTerminal(
            fake.service.address, ["Shoes", "4.40", "--no-reader"],
            environment: [
                "TILL_KEY": "payroc_1", "TILL_API": "payroc", "TILL_PAYROC_IDENTITY": fake.service.address,
                "TILL_PAYROC_TERMINAL": "1234001",
            ], size: (80, 60), delay: 3)
        try await till.wait(for: "before")
        try await till.type("4111111111111111\t1230\t123")
        try await till.wait(for: "4111111")
        try await till.wait(for: "•••")
        try await till.press("Enter")
        let screen = try await till.wait(for: "status 0")
        #expect(!screen.contains("4111111") && screen.contains("before") && screen.contains("payroc"))
        #expect(fake.charges == 1)
    }

    /// A second card at a keyboard's reader, key by key: no field of the first one is left beside it, and its code is typed anew.
    @Test(arguments: [true, false]) func aSecondCardStandsAlone(atOnce: Bool) async throws {
        try await withSandbox { sandbox, address in
            let till = try await TillTerminal(address, ["Shoes", "4.40", "--no-reader"])
            try await till.wait(for: "> Number")
            for track in [
                "%B5555555555554444^DOE/JOHN^3011201000?", "%B4111111111111111^DOE/JANE^3012201000?",
            ] {
                for part in atOnce ? [track] : track.map(String.init) { try await till.type(part) }
                try await till.wait(for: "> CVV")
                if track.hasPrefix("%B5") {
                    try await till.wait(for: "11/30")
                    try await till.type("9")
                }
            }
            try await till.wait(for: "12/30")
            let screen = try await till.wait(for: "4111 11")
            #expect(!screen.contains("5555 55"), "\(screen)")
            try await till.type("123")
            try await till.press("Enter")
            try await till.wait(for: "status 0")
            #expect(try await sandbox.ledger().count == 1)
        }
    }

    /// Half a track was typed, then a whole one came at once: the code that is typed next is no part of either.
    @Test func aCodeAfterATrackIsTaken() async throws {
        try await withSandbox { sandbox, address in
            let till = try await TillTerminal(address, ["Shoes", "4.40", "--no-reader"])
            try await till.wait(for: "> Number")
            try await till.type("5555555555554444")
            try await till.wait(for: "> Expiry")
            try await till.type("^")
            try await till.type("%B4111111111111111^DOE/JOHN^3012201000?")
            try await till.wait(for: "12/30")
            try await till.wait(for: "> CVV")
            for digit in ["1", "2", "3"] { try await till.type(digit) }
            try await till.press("Enter")
            try await till.wait(for: "status 0")
            #expect(try await sandbox.ledger().count == 1)
        }
    }

    /// A reader that is a keyboard: in one read, and key by key.
    @Test(arguments: [true, false]) func aTypedTrackFillsTheForm(atOnce: Bool) async throws {
        try await withSandbox { sandbox, address in
            let till = try await TillTerminal(address, ["Shoes", "4.40", "--no-reader"])
            try await till.wait(for: "> Number")
            let track = "%B4111111111111111^DOE/JOHN^3012201000?"
            for part in atOnce ? [track] : track.map(String.init) { try await till.type(part) }
            let screen = try await till.wait(for: "> CVV")
            #expect(screen.contains("12/30"))
            try await till.type("123")
            try await till.press("Enter")
            try await till.wait(for: "status 0")
            #expect(try await sandbox.ledger().count == 1)
        }
    }

    /// Keys during a payment are for nothing, and that is said: not for the next card's form, and no Enter of theirs pays.
    @Test func keysDuringAPaymentAreRefused() async throws {
        try await withSandbox { sandbox, address in
            let proxy = try FaultProxy(to: address, delay: .seconds(3)) { request in
                request.hasSuffix("/authorise") ? .lateAnswer : nil
            }
            let till = try await TillTerminal(proxy.address, ["Shoes", "4.40", "--no-reader"])
            try await till.wait(for: "> Number")
            try await till.typeCard("4012888888881881")
            try await till.press("Enter")
            try await till.wait(for: "thorising")
            try await till.type("5555555555554444\t1230\t123\r")
            try await till.wait(for: "keys are not taken")
            let screen = try await till.wait(for: "declined")
            #expect(!screen.contains("5555"))
            try await till.typeCard("4111111111111111")
            try await till.press("Enter")
            try await till.wait(for: "status 0")
            #expect(try await sandbox.ledger().map(\.amount) == [440])
            proxy.stop()
        }
    }

    /// Who types while the till still asks what became of an earlier payment shows nothing, and finds it in the form.
    @Test func keysBeforeTheScreenAreKept() async throws {
        try await withSandbox { sandbox, address in
            let isSlow = Atomic(false)
            let proxy = try FaultProxy(to: address, delay: .seconds(3)) { request in
                isSlow.load(ordering: .relaxed) && request.hasPrefix("GET /v1/transactions/")
                    ? .lateAnswer : nil
            }
            // Killed while the customer is asked: no money moved, and none will.
            let journal = try Folder()
            let killed = try RunningProcess(
                Programs.path("till"), ["Hat", "9.00", "--no-reader"], input: "5105105105105100\n1230\n123\n",
                environment: TillRun.environment(proxy.address, journal))
            while (try? journal.notes("attempts").count) != 1 { try await Task.sleep(for: .milliseconds(5)) }
            try await killed.killAtOnce()
            isSlow.store(true, ordering: .relaxed)
            let till = try await TillTerminal(
                proxy.address, ["Shoes", "4.40", "--no-reader"],
                environment: ["TILL_JOURNAL": journal.path("attempts")])
            try await till.wait(for: "asking the payment service")
            isSlow.store(false, ordering: .relaxed)
            try await till.type("41111111111111111230")
            try await till.type("123")
            #expect(try await !till.screen().contains("41111"), "shown in clear")
            try await till.wait(for: "•••")
            try await till.press("Enter")
            try await till.wait(for: "status 0")
            #expect(!till.seen.contains("41111") && till.seen.contains("4111 11•• •••• 1111"))
            #expect(try await sandbox.ledger().map(\.amount) == [440])
            proxy.stop()
        }
    }

    /// The focus goes on after a whole Visa number as after a Mastercard's, and not after a wrong one.
    @Test(arguments: Typing.widths) func aWholeVisaNumberMovesTheFocus(columns: Int) async throws {
        try await withSandbox { _, address in
            let till = try await TillTerminal(
                address, ["Shoes", "4.40", "--no-reader"], size: (columns, 60))
            try await till.wait(for: "> Number")
            for digit in "4111111111111112" { try await till.type(String(digit)) }
            try await till.wait(for: "> Number")
            try await till.press("BSpace")
            try await till.type("1")
            try await till.wait(for: "> Expiry")
        }
    }
}
