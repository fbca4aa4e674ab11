import CheckoutTesting
import Foundation
import Synchronization
import Testing

/// `till refund`, `till void` and `till capture` as a person or a script runs them, and kills them.
@Suite(.serialized) struct ChangeTillTests {
    static let kills = ProcessInfo.processInfo.environment["CHECKOUT_KILLS"].flatMap { Int($0) } ?? 24
    static let seed =
        ProcessInfo.processInfo.environment["CHECKOUT_SEED"].flatMap { UInt64($0) } ?? 20_261_123

    @Test func aChargeIsRefundedInPartsAndNoMore() async throws {
        try await withSandbox { sandbox, address in
            let journal = try Folder()
            let charge = try await ChangeTills.sell(address, journal)
            let part = try await TillRun.onPipe(
                address, ["refund", charge, "1.40"], journal: journal)
            #expect(
                part.status == 0 && part.output.hasPrefix("Refunded: €1.40, of charge \(charge). Refund re_"))
            let tooMuch = try await TillRun.onPipe(
                address, ["refund", charge, "3.01"], journal: journal)
            #expect(tooMuch.status == 1)
            #expect(tooMuch.output.contains("of the charge 3.00 EUR can still be refunded"))
            let rest = try await TillRun.onPipe(
                address, ["refund", charge, "--json"], journal: journal)
            let line = try ChangeTills.line(rest.output)
            #expect(rest.status == 0 && line.amount == 300 && line.refunded == 440 && line.change == "refund")
            #expect(line.idempotencyKey?.hasPrefix("change-of-checkout-") == true && line.time != nil)
            let void = try await TillRun.onPipe(address, ["void", charge], journal: journal)
            #expect(void.status == 1 && void.output.hasPrefix("Not voided: "))
            #expect(try await sandbox.changes().map(\.amount) == [140, 300])
            #expect(try journal.notes("attempts").isEmpty)
        }
    }

    /// Two tills that share nothing, and the number of a return: money goes back once. Without the number it would go back twice.
    @Test func aNamedRefundIsDoneOnce() async throws {
        try await withSandbox { sandbox, address in
            let charge = try await ChangeTills.sell(address, try Folder())
            let refund = ["refund", charge, "1.40", "--change", "return 5", "--json"]
            let first = try await TillRun.onPipe(address, refund)
            let second = try await TillRun.onPipe(address, refund)
            #expect(first.status == 0 && second.status == 3)
            let (here, there) = (try ChangeTills.line(first.output), try ChangeTills.line(second.output))
            #expect(
                here.idempotencyKey == there.idempotencyKey
                    && here.idempotencyKey?.hasPrefix("change-") == true)
            let other = try await TillRun.onPipe(address, ["refund", charge, "1.50", "--change", "return 5"])
            #expect(other.status == 1 && other.output.contains("the name was given to another change"))
            let wrong = try await TillRun.onPipe(address, ["refund", charge, "--change", "4111111111111111"])
            #expect(wrong.status == 64)
            #expect(try await sandbox.changes().map(\.amount) == [140])
        }
    }

    /// Authorised, captured in part with a tip, with a receipt of each; then voided.
    @Test func anAuthorisationIsCapturedWithATip() async throws {
        try await withSandbox { sandbox, address in
            let journal = try Folder()
            let receipt = { (name: String) in ["--receipt", journal.path(name), "--receipt-columns", "32"] }
            let charge = try await ChangeTills.sell(address, journal, ["--authorise-only"] + receipt("held"))
            let held = try String(contentsOfFile: journal.path("held"), encoding: .utf8)
            #expect(held.contains("AUTHORISATION\n") && held.contains("Nothing is charged yet."))
            let early = try await TillRun.onPipe(address, ["refund", charge], journal: journal)
            #expect(early.status == 1 && early.output.contains("nothing can be refunded"))
            let capture = try await TillRun.onPipe(
                address, ["capture", charge, "3.00", "--tip", "0.50"] + receipt("taken"),
                journal: journal)
            #expect(capture.status == 0)
            #expect(capture.output.hasPrefix("Captured: €3.50, €0.50 of it a tip, of charge \(charge)."))
            let taken = try String(contentsOfFile: journal.path("taken"), encoding: .utf8)
            #expect(taken.contains("SALE\n") && taken.contains("Tip                        €0.50\n"))
            #expect(
                taken.contains("TOTAL                      €3.50\n")
                    && taken.contains("Visa                   **** 1111\n"))
            let void = try await TillRun.onPipe(
                address, ["void", charge] + receipt("void"), journal: journal)
            #expect(void.status == 0 && void.output.hasPrefix("Voided: €4.40"))
            #expect(try String(contentsOfFile: journal.path("void"), encoding: .utf8).contains("VOID\n"))
            #expect(try await sandbox.changes().map(\.kind) == ["capture", "void"])
        }
    }

    /// A tip that comes with the payment; and currencies without a fraction, and with three digits.
    @Test func tipsAndCurrencies() async throws {
        try await withSandbox { sandbox, address in
            let journal = try Folder()
            let sale = try await TillRun.onPipe(
                address, ["Soup", "4.40", "--tip", "0.60", "--no-reader", "--receipt", journal.path("tip")],
                input: "4111111111111111\n1230\n123\n", journal: journal)
            #expect(sale.status == 0 && sale.output.contains("Paid: €5.00 for Soup"))
            let receipt = try String(contentsOfFile: journal.path("tip"), encoding: .utf8)
            #expect(receipt.contains("€4.40") && receipt.contains("€0.60") && receipt.contains("€5.00"))
            for (currency, amount, part, units) in [
                ("JPY", "500", "120", 120), ("KWD", "1.250", "0.125", 125),
            ] {
                let charge = try await TillRun.onPipe(
                    address, ["Tea", amount, "--currency", currency, "--no-reader", "--json"],
                    input: "4111111111111111\n1230\n123\n", journal: journal)
                let id = try #require(try ChangeTills.line(charge.output).charge)
                let refund = try await TillRun.onPipe(
                    address, ["refund", id, part, "--currency", currency, "--json"], journal: journal)
                #expect(refund.status == 0 && refund.output.contains("\"amount\":\(units),"))
                let wrong = try await TillRun.onPipe(address, ["refund", id, "1.00"], journal: journal)
                #expect(wrong.status == 1 && wrong.output.contains("the charge is in \(currency)"))
            }
            let fraction = try await TillRun.onPipe(address, ["refund", "ch_1", "1.5", "--currency", "JPY"])
            #expect(fraction.status == 64)
            #expect(try await sandbox.changes().map(\.amount) == [120, 125])
        }
    }

    @Test func whatCannotBeginSaysSo() async throws {
        try await withSandbox { _, address in
            let journal = try Folder()
            let unknown = try await TillRun.onPipe(
                address, ["refund", "ch_none", "--json"], journal: journal)
            #expect(unknown.status == 1 && unknown.output.contains(#""error":"not_found""#))
            let unwritten = try await TillRun.onPipe(
                address, ["void", "ch_1", "--json"], environment: ["TILL_JOURNAL": "/proc/nowhere"])
            #expect(unwritten.status == 5 && unwritten.output.contains(#""error":"journal_unreadable""#))
        }
    }

    /// The other one, which wants to know its terminal, and voids what is not settled yet.
    @Test func aTillSpeaksPayroc() async throws {
        let fake = try FakePayroc()
        defer { fake.service.stop() }
        let journal = try Folder()
        var key = [
            "TILL_KEY": "payroc_1", "TILL_API": "payroc", "TILL_PAYROC_IDENTITY": fake.service.address,
        ]
        let sale = ["Shoes", "4.40", "--no-reader", "--json", "--order", "17"]
        let card = "4111111111111111\n1230\n123\n"
        let nowhere = try await TillRun.onPipe(
            fake.service.address, sale, input: card, environment: key, journal: journal)
        #expect(nowhere.status == 64 && nowhere.errors.contains("terminal"))
        key["TILL_PAYROC_TERMINAL"] = "1234001"
        let paid = try await TillRun.onPipe(
            fake.service.address, sale, input: card, environment: key, journal: journal)
        #expect(paid.status == 0 && paid.errors.contains("never tested against the real service"))
        let charge = try #require(try ChangeTills.line(paid.output).charge)
        let again = try await TillRun.onPipe(fake.service.address, sale, input: card, environment: key)
        #expect(again.status != 0 && fake.charges == 1)
        let void = try await TillRun.onPipe(
            fake.service.address, ["void", charge], environment: key, journal: journal)
        #expect(void.status == 0 && fake.charges == 0 && fake.captures == 1)
    }

    /// A gateway that was made from documentation says so, each time.
    @Test func anUntestedGatewaySaysSo() async throws {
        let fake = try FakeStripe()
        let journal = try Folder()
        let key = ["TILL_KEY": "sk_test_1", "TILL_API": "stripe"]
        let sale = try await TillRun.onPipe(
            fake.service.address, ["Shoes", "4.40", "--no-reader", "--json"],
            input: "4111111111111111\n1230\n123\n", environment: key, journal: journal)
        #expect(sale.status == 0 && sale.errors.contains("never tested against the real service"))
        let charge = try #require(try ChangeTills.line(sale.output).charge)
        let back = try await TillRun.onPipe(
            fake.service.address, ["refund", charge, "--api", "stripe"], environment: key,
            journal: journal)
        #expect(
            back.status == 0
                && back.errors.contains("stripe: This gateway was made from public documentation"))
        #expect(fake.charges == 1 && fake.refunds() == [440])
        let unknown = try await TillRun.onPipe(
            fake.service.address, ["void", charge, "--api", "bank"])
        #expect(unknown.status == 64)
        fake.service.stop()
    }

    /// Killed between every two steps: while the charge is looked up, before the request, after it was done.
    @Test(arguments: ["refund", "void", "capture"]) func killedBetweenTheSteps(kind: String) async throws {
        // The first question is before the note, the second after it.
        for (phase, fault, isDone) in [
            (0, WireFault.stalledRequest, false), (1, .stalledRequest, false), (2, .stalledRequest, false),
            (2, .stalledHead, true), (3, .stalledRequest, true),
        ] {
            try await withSandbox { sandbox, address in
                let quiet = try Folder()
                let more = kind == "capture" ? ["--authorise-only"] : []
                let charge = try await ChangeTills.sell(address, quiet, more)
                let count = Mutex(0)
                let proxy = try FaultProxy(to: address, delay: .seconds(30)) { request in
                    guard !request.isEmpty else { return nil }
                    let number = count.withLock { count in
                        count += 1
                        return count - 1
                    }
                    return number == phase ? fault : nil
                }
                let journal = try Folder()
                let words = [kind, charge] + (kind == "void" ? [] : ["2.00"]) + ["--json"]
                let till = try RunningProcess(
                    Programs.path("till"), words, environment: TillRun.environment(proxy.address, journal))
                while proxy.counts.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
                while try await sandbox.changes().isEmpty == isDone {
                    try await Task.sleep(for: .milliseconds(5))
                }
                try await till.killAtOnce()
                let next = try await TillRun.onPipe(proxy.address, words, journal: journal)
                let line = try ChangeTills.line(next.output)
                #expect(
                    line.outcome == (isDone ? "possible_success" : "success"),
                    "\(phase) \(fault): \(next.output)")
                #expect(next.status == (isDone ? 3 : 0))
                if isDone { #expect(line.error == "earlier_change" && line.id != nil) }
                #expect(try await sandbox.changes().count == 1, "\(phase) \(fault)")
                proxy.stop()
            }
        }
    }

    /// The advice after a loss, followed to the letter: the very same is done, with its tip once.
    @Test func theAdviceIsTheSameChange() async throws {
        try await withSandbox { sandbox, address in
            let charge = try await ChangeTills.sell(address, try Folder(), ["--authorise-only"])
            let journal = try Folder()
            let isLossy = Mutex(true)
            let proxy = try FaultProxy(to: address, delay: .seconds(30)) { request in
                request.hasPrefix("POST") && isLossy.withLock { $0 } ? .lostRequest : nil
            }
            let lost = try await TillRun.onPipe(
                proxy.address,
                ["capture", charge, "3.00", "--tip", "0.40", "--patience", "1", "--timeout", "1"],
                journal: journal)
            #expect(lost.status == 3)
            isLossy.withLock { $0 = false }
            let advice = try #require(lost.output.firstMatch(of: /only once: till (.+?--currency EUR)/))
            let next = try await TillRun.onPipe(
                proxy.address, advice.1.split(separator: " ").map(String.init) + ["--json"], journal: journal)
            #expect(next.status == 0, "\(next.output)")
            #expect(try await sandbox.changes().map(\.amount) == [340])
            proxy.stop()
        }
    }

    /// Ctrl-C while the service does not answer: the truth of that moment, and the next one settles it.
    @Test func aStoppedRefundSaysWhatIsCertain() async throws {
        try await withSandbox { sandbox, address in
            let charge = try await ChangeTills.sell(address, try Folder())
            let journal = try Folder()
            let proxy = try FaultProxy(to: address, delay: .seconds(30)) { request in
                request.hasPrefix("POST") ? .stalledRequest : nil
            }
            let till = try RunningProcess(
                Programs.path("till"), ["refund", charge, "--json"],
                environment: TillRun.environment(proxy.address, journal))
            while proxy.counts.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            kill(till.identifier, SIGINT)
            let line = try ChangeTills.line(try #require(till.firstLine()))
            #expect(line.outcome == "possible_success" && line.error == "interrupted")
            #expect(line.idempotencyKey?.hasPrefix("change-of-checkout-") == true)
            #expect(try await sandbox.changes().isEmpty)
            proxy.stop()
        }
    }

    /// Killed at any moment, by SIGKILL, with requests going wrong: the next one is told, or does it, and never twice.
    @Test(.timeLimit(.minutes(30))) func killedTillsChangeOnce() async throws {
        var ends: [String: Int] = [:]
        var random = SeededGenerator(state: Self.seed)
        try await withSandbox(["--faults", "150", "--seed", "\(Self.seed)", "--lateness", "0.1"]) {
            sandbox, address in
            let quiet = try Folder()
            for number in 0..<Self.kills {
                let kind = ["refund", "void", "capture"][number % 3]
                guard let charge = try await ChangeTills.charge(address, quiet, kind, &random) else {
                    continue
                }
                let words =
                    [kind, charge] + (kind == "void" ? [] : ["2.00"]) + [
                        "--json", "--patience", "5",
                    ]
                let journal = try Folder()
                let till = try RunningProcess(
                    Programs.path("till"), words, environment: TillRun.environment(address, journal))
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...220, using: &random)))
                try await till.killAtOnce()
                let told = till.firstLine().map { $0.contains("\"success\"") } ?? false
                let next = try await TillRun.onPipe(address, words, journal: journal)
                let line = try ChangeTills.line(next.output)
                let booked = try await sandbox.changes().filter {
                    $0.charge == charge && $0.status == "done"
                }
                let expected = told && line.outcome == "success" ? 2 : 1
                #expect(booked.count <= expected, "\(words): \(booked.count) times")
                switch line.outcome {
                case "success": #expect(booked.contains { $0.id == line.id }, "a success without its change")
                case "possible_success":
                    #expect(line.idempotencyKey != nil && line.time != nil, "a perhaps without a name")
                default: #expect(told || booked.isEmpty, "\(line.outcome) although the books have it")
                }
                ends[
                    "\(told ? "told" : "not told"), then \(line.outcome), \(booked.count) booked", default: 0] +=
                    1
            }
        }
        for (end, count) in ends.sorted(by: { $0.key < $1.key }) { print("  \(count) × \(end)") }
    }

}
