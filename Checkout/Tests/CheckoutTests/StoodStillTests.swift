import CheckoutTesting
import Foundation
import Synchronization
import Testing

@testable import Checkout

/// A program that stands still between the moment when somebody decides to pay and the authorisation, and what others do
/// meanwhile.
@Suite struct StoodStillTests {
    private static let amount = ScriptedGateway.charge.amount

    private static func gateway() -> ScriptedGateway {
        var script = Machines.approving
        script.hasManyOrders = true
        return ScriptedGateway(script)
    }

    private static func desk(_ gateway: ScriptedGateway, _ journal: any PaymentJournal) -> PaymentDesk {
        PaymentDesk(.publicKey("pkey_1"), gateway: gateway, journal: journal, policy: Payments.patient)
    }

    /// Journals of two programs in one folder, or of two forms of one program.
    private static func journals(_ kind: OneSale.Journal, _ folder: Folder) throws
        -> (any PaymentJournal, any PaymentJournal)
    {
        switch kind {
        case .file:
            return (try FileJournal(folder: folder.path("j")), try FileJournal(folder: folder.path("j")))
        case .memory:
            let journal = MemoryJournal()
            return (journal, journal)
        }
    }

    /// Sells shoes from the beginning to the receipt.
    private static func sell(_ gateway: ScriptedGateway, _ journal: any PaymentJournal) async throws {
        let desk = desk(gateway, journal)
        let payment = try await desk.begin("Shoes", amount: amount)
        #expect(try await payment.pay(preparedBy: HeadlessPreparer(card: try clearCard())).name == "success")
        desk.acknowledge(try #require(payment.record))
    }

    /// It was decided to pay; then another program sold the same, and closed its note. That one is named, nothing is paid.
    @Test(arguments: OneSale.Journal.allCases) func whatWasPaidMeanwhileIsNamed(
        kind: OneSale.Journal
    ) async throws {
        let folder = try Folder()
        let (ours, theirs) = try Self.journals(kind, folder)
        let gateway = Self.gateway()
        let payment = try await Self.desk(gateway, ours).begin("Shoes", amount: Self.amount)
        try await Self.sell(gateway, theirs)
        let end = try await payment.pay(preparedBy: HeadlessPreparer(card: try clearCard()))
        guard case .failure(.earlierPayments(let payments)) = end else { Issue.record("\(end)"); return }
        #expect(payments.map(\.end) == [.success(ScriptedGateway.charge)])
        #expect(gateway.charges == 1)
        // Somebody was told; who decides anew may sell anew.
        let again = try await payment.pay(preparedBy: HeadlessPreparer(card: try clearCard()))
        #expect(again.name == "success" && gateway.charges == 2)
    }

    /// The form stood open, and is sent afterwards: another customer's shoes are in nobody's way.
    @Test(arguments: OneSale.Journal.allCases, [false, true]) func whoDecidesAfterwardsPays(
        kind: OneSale.Journal, isScripted: Bool
    ) async throws {
        let folder = try Folder()
        let (ours, theirs) = try Self.journals(kind, folder)
        let gateway = Self.gateway()
        var options = Machines.options
        options.journal = ours
        if isScripted { options.decided = ours.mark() }
        let machine = PaymentMachine(publicKey: "pkey_1", gateway: gateway, options: options)
        try await machine.begin(item: "Shoes", amountInCents: 440)
        try await Self.sell(gateway, theirs)
        Machines.fill(machine)
        let end = try await machine.submit()
        #expect(end?.name == (isScripted ? "failure" : "success"))
        #expect(gateway.charges == (isScripted ? 1 : 2))
    }

    /// Other sales, and those that moved no money, are in nobody's way either.
    @Test func otherSalesDoNotCount() async throws {
        let folder = try Folder()
        let journals = try (FileJournal(folder: folder.path("j")), FileJournal(folder: folder.path("j")))
        let mark = journals.0.mark()
        for (attempt, isPaid) in [(try attempt(1, "Hat"), true), (try attempt(2), false)] {
            try journals.1.open(attempt)
            journals.1.close(attempt, isPaid: isPaid)
        }
        let (third, fourth) = (try attempt(3), try attempt(4))
        try journals.0.open(third, since: mark)
        journals.0.close(third, isPaid: true)
        do throws(PaymentJournalError) {
            try journals.1.open(fourth, since: mark)
            Issue.record("opened")
        } catch {
            guard case .endedMeanwhile(third, let name) = error else { throw error }
            var later = mark
            later.over.insert(name)
            try journals.1.open(fourth, since: later)
        }
    }

    /// A program may say that it was decided before it looked at the journal, as when it began: by a clock that nobody can set.
    @Test func aMomentBeforeNowIsAMark() throws {
        let folder = try Folder()
        let journal = try FileJournal(folder: folder.path("j"))
        let close = { (number: Int) in
            let attempt = try attempt(number, "Hat \(number)")
            try journal.open(attempt)
            journal.close(attempt, isPaid: true)
        }
        try close(1)
        let before = journal.mark()
        let start = OpenAttempt.sinceBoot
        while OpenAttempt.sinceBoot <= start + 1 { sched_yield() }
        try close(2)
        #expect(journal.mark(at: .milliseconds(start + 1)) == before && before.over.count == 1)
        #expect(journal.mark(at: .milliseconds(start + 60_000)) == journal.mark())
        // The machine began anew, and its clock with it.
        for name in try journal.names(FileJournal.over) {
            let path = folder.path("j/\(name)")
            let text = try String(contentsOfFile: path, encoding: .utf8)
            try Data(text.replacing(/closed [0-9]+/, with: "closed 99999999999999").utf8).write(
                to: URL(filePath: path))
        }
        #expect(journal.mark(at: .milliseconds(start)) == journal.mark())
    }

    /// A folder does not fill up with what is over.
    @Test func whatIsOverIsKeptForAWhile() throws {
        let folder = try Folder()
        let journal = try FileJournal(folder: folder.path("j"))
        for number in 0..<(FileJournal.mostOver + 2) {
            let attempt = try attempt(number, "Hat \(number)")
            try journal.open(attempt)
            journal.close(attempt, isPaid: true)
        }
        let left = try journal.names(FileJournal.over).count
        #expect(left <= FileJournal.mostOver && left > FileJournal.mostOver / 2 - 2, "\(left)")
        #expect(try journal.findings(at: ScriptedGateway.service, for: nil) == JournalFindings())
    }

    /// Who stood still while more was sold than is kept does not pay: it may have been the same.
    @Test(arguments: OneSale.Journal.allCases) func whatWasForgottenMayBeThis(
        kind: OneSale.Journal
    ) async throws {
        let folder = try Folder()
        let (ours, theirs) = try Self.journals(kind, folder)
        let gateway = Self.gateway()
        try await Self.sell(gateway, theirs)
        let payment = try await Self.desk(gateway, ours).begin("Shoes", amount: Self.amount)
        try await Self.sell(gateway, theirs)
        for number in 0..<FileJournal.mostOver {
            let attempt = try attempt(number, "Hat \(number)")
            try theirs.open(attempt)
            theirs.close(attempt, isPaid: true)
        }
        let end = try await payment.pay(preparedBy: HeadlessPreparer(card: try clearCard()))
        guard case .failure(.notWrittenDown(let why)) = end else { Issue.record("\(end)"); return }
        #expect(why.contains("so much was sold") && gateway.charges == 2)
        // Who decides anew pays.
        let again = try await payment.pay(preparedBy: HeadlessPreparer(card: try clearCard()))
        #expect(again.name == "success" && gateway.charges == 3)
    }

    /// Somebody takes the folder away, or puts an empty one there, between the note and the authorisation: no other program
    /// would find the note.
    @Test(arguments: [false, true]) func aNoteThatWasTakenAwayPaysNothing(isReplaced: Bool) async throws {
        let folder = try Folder()
        let path = folder.path("j")
        let gateway = Self.gateway()
        gateway.books.withLock {
            $0.script.duringLookUp = {
                try? FileManager.default.removeItem(atPath: path)
                if isReplaced { _ = try? FileJournal(folder: path) }
            }
        }
        let payment = try await Self.desk(gateway, try FileJournal(folder: path)).begin(
            "Shoes", amount: Self.amount)
        let end = try await payment.pay(preparedBy: HeadlessPreparer(card: try clearCard()))
        #expect(end == .failure(.notWrittenDown("its note was taken away")))
        #expect(gateway.charges == 0 && !gateway.requests.contains("authorise"))
    }
}
