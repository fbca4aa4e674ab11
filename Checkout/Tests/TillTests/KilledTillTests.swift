import CheckoutTesting
import Foundation
import Testing

/// Tills that are killed at any moment, by SIGKILL: what they leave behind is found by the next one, which never charges
/// twice, and which says so when money has moved.
@Suite(.serialized) struct KilledTillTests {
    /// How many tills are killed; CHECKOUT_KILLS says another number. See README.md.
    static let kills = ProcessInfo.processInfo.environment["CHECKOUT_KILLS"].flatMap { Int($0) } ?? 24
    static let seed =
        ProcessInfo.processInfo.environment["CHECKOUT_SEED"].flatMap { UInt64($0) } ?? 20_261_121
    /// Approved, processing for a while, charged and then a 500, charged and then cut, declined.
    static let cards = [
        "4111111111111111", "6011111111111117", "3530111333300000", "3566002020360505", "4012888888881881",
    ]

    struct ResultLine: Decodable {
        var outcome: String
        var charge: String?
        var error: String?
        var earlierOutcome: String?
        var earlierCharge: String?
    }

    /// What the tills of one kill did.
    struct Run {
        /// What the killed one printed before.
        var told: String
        /// How the next one ended.
        var next: ResultLine
        var charges: [String]
    }

    @Test(.timeLimit(.minutes(30))) func nextTillsKnow() async throws {
        var ends: [String: Int] = [:]
        var random = SeededGenerator(state: Self.seed)
        // Some requests wait, so that more of the moments lie between a request and its answer.
        try await withSandbox(["--faults", "150", "--seed", "\(Self.seed)", "--lateness", "0.1"]) {
            sandbox, address in
            let longest = try await Self.timeOfOne(address)
            for number in 0..<Self.kills {
                let item = "Shoes \(number)"
                let run = try await Self.run(item, address, sandbox, longest, &random)
                Self.expectOneCharge(run, item)
                let told = run.told.isEmpty ? "told nothing" : "told its end"
                let earlier = run.next.earlierOutcome.map { "earlier \($0)" } ?? "nothing left behind"
                ends["\(told), then \(earlier), \(run.charges.count) charged", default: 0] += 1
            }
        }
        for (end, count) in ends.sorted(by: { $0.key < $1.key }) { print("  \(count) × \(end)") }
    }

    /// How many milliseconds a payment takes here and now; tills are killed before it is over, or just after.
    private static func timeOfOne(_ address: String) async throws -> Int {
        let start = ContinuousClock.now
        for _ in 1...3 {
            _ = try await TillRun.onPipe(
                address, ["Hat", "1.00", "--no-reader"], input: "4111111111111111\n1230\n123\n")
        }
        return max(Int((ContinuousClock.now - start) / .milliseconds(1)) / 3, 50)
    }

    private static func run(
        _ item: String, _ address: String, _ sandbox: SandboxProcess, _ longest: Int,
        _ random: inout SeededGenerator
    ) async throws -> Run {
        let journal = try Folder()
        let card = cards.randomElement(using: &random) ?? ""
        let till = try RunningProcess(
            Programs.path("till"), [item, "4.40", "--no-reader", "--json"], input: "\(card)\n1230\n123\n",
            environment: TillRun.environment(address, journal))
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...longest, using: &random)))
        try await till.killAtOnce()
        let told = till.firstLine() ?? ""
        // The person tries again: the same thing, another card.
        let next = try await TillRun.onPipe(
            address, [item, "4.40", "--no-reader", "--json", "--patience", "5"],
            input: "5555555555554444\n1230\n123\n", journal: journal)
        let charges = try await sandbox.ledger().filter { $0.description == item }.map(\.id)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let line = try decoder.decode(ResultLine.self, from: Data(next.output.utf8))
        return Run(told: told, next: line, charges: charges)
    }

    /// A till that told its end is over: what follows is another payment, which a person began knowingly. One that was
    /// killed before left one payment, whatever the next one does.
    private static func expectOneCharge(_ run: Run, _ item: String) {
        if run.told.contains("\"outcome\":\"success\"") || run.told.contains("possible_success") { return }
        #expect(run.charges.count <= 1, "\(item): two charges for one payment")
        switch run.next.outcome {
        case "success":
            #expect(run.next.earlierOutcome == nil)
            #expect(
                run.charges == [run.next.charge].compactMap { $0 },
                "\(item): charged before, and charged again")
        case "possible_success": break
        default: #expect(run.charges.isEmpty, "\(item): \(run.next.outcome) although the ledger has a charge")
        }
        if run.next.earlierOutcome == "success" {
            #expect(run.next.outcome == "possible_success" && run.next.error == "earlier_payment")
            #expect(run.charges == [run.next.earlierCharge].compactMap { $0 })
        }
    }

    /// The same in words, at a moment that is sure: the money has moved, the till waits for its confirmation.
    @Test func theNextTillSaysThatMoneyMoved() async throws {
        let settled = try Gate()
        try await withSandbox(["--slow-until", settled.path]) { sandbox, address in
            let journal = try Folder()
            let till = try RunningProcess(
                Programs.path("till"), ["Shoes", "4.40", "--no-reader"],
                input: "6011111111111117\n1230\n123\n",
                environment: TillRun.environment(address, journal))
            while try await sandbox.ledger().isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            try await till.killAtOnce()
            try settled.open()
            let charge = try await sandbox.ledger()[0].id

            let card = "4111111111111111\n1230\n123\n"
            let hat = try await TillRun.onPipe(
                address, ["Hat", "9.00", "--no-reader", "--json"], input: card,
                environment: ["TILL_SERVICE": "http://127.0.0.1:1"], journal: journal)
            #expect(
                hat.output.contains("\"error\":\"unreachable\""), "another service's payments are its own")

            let again = try await TillRun.onPipe(
                address, ["Shoes", "4.40", "--no-reader"], input: card, journal: journal)
            #expect(again.status == 3)
            #expect(
                again.output.hasPrefix(
                    "Perhaps paid: there is an earlier payment, of this till or another one. "
                        + "€4.40 for Shoes went through, charge \(charge). Do not charge again."))
            #expect(try await sandbox.ledger().count == 1)

            // Somebody was told: the next payment is another one.
            let next = try await TillRun.onPipe(
                address, ["Shoes", "4.40", "--no-reader"], input: card, journal: journal)
            #expect(next.status == 0)
            #expect(try journal.notes("attempts").isEmpty)
        }
    }

    /// Another thing is sold after the kill: that one was not begun, which a script may tell from "perhaps paid".
    @Test func anotherPaymentIsNotBegunBeforeSomebodyWasTold() async throws {
        try await withSandbox { sandbox, address in
            let journal = try Folder()
            try await leaveBehind(journal, address, "6011000990139424")
            let hat = try await TillRun.onPipe(
                address, ["Hat", "9.00", "--no-reader", "--patience", "1"],
                input: "4111111111111111\n1230\n123\n",
                journal: journal)
            #expect(hat.status == 5)
            #expect(hat.output.contains("€4.40 for Shoes may have gone through. "))
            #expect(hat.output.contains("Nothing was charged for Hat."))
            #expect(try await sandbox.ledger().count == 1)
            let next = try await TillRun.onPipe(
                address, ["Hat", "9.00", "--no-reader"], input: "4111111111111111\n1230\n123\n",
                journal: journal)
            #expect(next.status == 0, "somebody was told, also of what the service never says")
        }
    }

    /// While the service cannot be asked, what is written down stays.
    @Test func whatCannotBeAskedStaysWrittenDown() async throws {
        let journal = try Folder()
        var address = ""
        try await withSandbox { _, there in
            address = there
            try await leaveBehind(journal, there, "6011000990139424")
        }
        for _ in 1...2 {
            let till = try await TillRun.onPipe(
                address, ["Shoes", "4.40", "--no-reader", "--json"], input: "4111111111111111\n1230\n123\n",
                journal: journal)
            #expect(till.status == 3)
            #expect(till.output.contains("\"earlier_outcome\":\"possible_success\""))
        }
    }

    /// Nobody was told: standard output is closed, so is the descriptor that a journal's file would get.
    @Test func whatNobodyCouldReadStaysWrittenDown() async throws {
        try await withSandbox { sandbox, address in
            let journal = try Folder()
            let till = [Programs.path("till"), "Shoes", "4.40", "--no-reader", "--json"]
            let run = try await FinishedProcess.run(
                "bash", ["-c", "exec \"$@\" <<< $'4111111111111111\\n1230\\n123' >&-", "bash"] + till,
                environment: TillRun.environment(address, journal))
            #expect(run.status == 0 && run.output.isEmpty)
            let next = try await TillRun.onPipe(
                address, ["Shoes", "4.40", "--no-reader"], input: "4111111111111111\n1230\n123\n",
                journal: journal)
            #expect(next.status == 3 && next.output.contains("€4.40 for Shoes went through"))
            #expect(try await sandbox.ledger().count == 1)
        }
    }

    /// The key is not good any more, so that nobody can ask: a person looks it up, names it and says yes.
    @Test func aPersonMayForget() async throws {
        try await withSandbox { sandbox, address in
            let journal = try Folder()
            try await leaveBehind(journal, address, "6011000990139424")
            let card = "4111111111111111\n1230\n123\n"
            let retired = ["TILL_KEY": "pkey_refused"]
            for item in ["Shoes", "Hat"] {
                let till = try await TillRun.onPipe(
                    address, [item, "4.40", "--no-reader"], input: card, environment: retired,
                    journal: journal)
                #expect(till.status == (item == "Shoes" ? 3 : 5))
            }
            let transaction = try await sandbox.ledger()[0].transaction
            for (name, answer, words, status) in [
                ("txn_1", "yes\n", "Nothing of transaction txn_1 is written down", 1),
                (transaction, "\n", "Not forgotten.", 1), (transaction, "yes\n", "Forgotten.", 0),
                (transaction, "yes\n", "Nothing of transaction", 1),
            ] {
                let till = try await TillRun.onPipe(
                    address, ["--forget", name], input: answer, environment: retired, journal: journal)
                #expect(
                    till.status == Int32(status) && till.output.contains(words),
                    "\(till.output)\(till.errors)")
            }
            let next = try await TillRun.onPipe(
                address, ["Shoes", "4.40", "--no-reader"], input: card, journal: journal)
            #expect(next.status == 0)
        }
    }

    /// A card's number that was typed where the item belongs is in no note, result or error.
    @Test func aCardsNumberIsNoItem() async throws {
        let journal = try Folder()
        for words in [["4111 1111 1111 1111", "4.40"], ["Shoes", "4.40", "--order", "4111111111111111"]] {
            let till = try await TillRun.onPipe("http://127.0.0.1:1", words + ["--json"], journal: journal)
            #expect(till.status == 64 && till.errors.contains("a card's number in it"))
            #expect(!(till.output + till.errors).contains("1111"))
        }
    }

    @Test func withoutAJournalNothingIsPaid() async throws {
        try await withSandbox { sandbox, address in
            let till = try await TillRun.onPipe(
                address, ["Shoes", "4.40", "--no-reader"], input: "4111111111111111\n1230\n123\n",
                environment: ["TILL_JOURNAL": "/proc/nowhere"])
            let json = try await TillRun.onPipe(
                address, ["Shoes", "4.40", "--no-reader", "--json"],
                environment: ["TILL_JOURNAL": "/proc/nowhere"])
            #expect(json.status == 5 && json.output.contains(#""error":"journal_unreadable""#))
            #expect(till.status == 5)
            #expect(till.output.contains("Payments under way cannot be read from /proc/nowhere"))
            #expect(try await sandbox.ledger().isEmpty)
        }
    }

    /// A till that is killed while its money moves.
    private func leaveBehind(_ journal: Folder, _ address: String, _ card: String) async throws {
        let till = try RunningProcess(
            Programs.path("till"), ["Shoes", "4.40", "--no-reader"], input: "\(card)\n1230\n123\n",
            environment: TillRun.environment(address, journal))
        let folder = journal.path("attempts")
        while try await visit(address + "/v1/ledger").contains("Shoes") == false {
            try await Task.sleep(for: .milliseconds(5))
        }
        try await till.killAtOnce()
        let left = try journal.notes("attempts")
        #expect(left.count == 1)
        let text = try String(contentsOfFile: "\(folder)/\(left.first ?? "")", encoding: .utf8)
        // Four digits alone stand in a time of day, too.
        let digits = [card.prefix(6), card.suffix(6)]
        #expect(!digits.contains { text.contains($0) } && !text.contains("pkey"), "neither card nor key")
    }
}
