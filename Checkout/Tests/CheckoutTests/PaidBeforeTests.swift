import CardData
import CheckoutTesting
import Foundation
import Synchronization
import Testing

@testable import Checkout
@testable import TillScreen

/// What was paid before, by somebody else, is said by a word of its own: nobody takes another card, or cash, for it.
@Suite struct PaidBeforeTests {
    private static func paidElsewhere() -> ScriptedGateway {
        var script = Machines.approving
        script.isPaidElsewhere = true
        return ScriptedGateway(script)
    }

    /// It was paid while the form stood open: the machine is over, and its screen hears no "not paid".
    @Test func theMachineIsOver() async throws {
        let gateway = ScriptedGateway(Machines.approving)
        let (machine, screen) = try await Machines.begun(gateway)
        gateway.books.withLock { $0.script.isPaidElsewhere = true }
        Machines.fill(machine)
        let end = try await machine.submit()
        #expect(end == .failure(.alreadyPaid(ScriptedGateway.charge)))
        #expect(screen.calls.last?.hasPrefix("maybe ") == true && gateway.charges == 0, "\(screen.calls)")
        #expect(machine.edit(.cardNumber) { $0.type("4") } == .rejected)
    }

    /// A client says which charge it was, and a form asks for no other order after that.
    @Test func theFormAsksForNoOtherOrder() async throws {
        let gateway = Self.paidElsewhere()
        let form = Components.Form()
        form.order = .request(OrderRequest(description: "Shoes", amountInCents: 440, reference: "17"))
        let component = form.component(gateway)
        component.add(form.number, form.expiry, form.code)
        form.fill()
        await component.submit()
        await component.submit()
        let paid = CaptureError.alreadyPaid(ScriptedGateway.charge)
        #expect(form.errors == [paid, paid] && form.orders == 1 && gateway.charges == 0)
    }

    /// Two calls for one order: the second one is told that the first is at it, not that it was paid.
    @Test func whatIsUnderWayIsNotPaid() async throws {
        var script = Machines.approving
        script.pause = .milliseconds(300)
        let gateway = ScriptedGateway(script)
        let client = Components.client(gateway)
        let (id, card) = (TransactionID("txn_1"), try clearCard())
        let first = Task { try await client.capture(orderID: id, card: card) }
        while !gateway.requests.contains("create") { try await Task.sleep(for: .milliseconds(1)) }
        await #expect(throws: CaptureError.underWay(id)) { try await client.capture(orderID: id, card: card) }
        #expect(try await first.value.charge == ScriptedGateway.charge)
        await #expect(throws: CaptureError.alreadyCaptured(id)) {
            try await client.capture(orderID: id, card: card)
        }
        #expect(gateway.charges == 1)
    }

    /// What is only held is told as that: it is captured or voided, not paid anew.
    @Test(arguments: [(true, "Paid before: ", false), (false, "Authorised before: ", true)])
    func whatIsHeldIsToldSo(isCaptured: Bool, beginning: String, isNamed: Bool) throws {
        let charge = Charge(
            id: "ch_1", amount: try euros(440), description: "Shoes", isCaptured: isCaptured)
        let result = TillResult(
            .notBegun, description: "Shoes", amount: charge.amount, locale: MoneyLocale("C"), order: "17",
            error: .alreadyPaid(charge))
        let words = result.words(ScreenText(hasUnicode: true))
        #expect(words.hasPrefix(beginning) && words.contains("charge ch_1"), "\(words)")
        #expect(words.contains("captured or voided") == isNamed, "\(words)")
        #expect(result.outcome == .perhapsPaid && result.json.contains("\"captured\":0") == isNamed)
    }

    /// What was over in another start of the machine was over before; where nobody knows which start it was, times decide.
    @Test(arguments: [("boot another\n", true), ("boot \n", false), ("", false)])
    func startsOfTheMachineAreToldApart(line: String, isBefore: Bool) throws {
        let folder = try Folder()
        let journal = try FileJournal(folder: folder.path("j"))
        let start = OpenAttempt.sinceBoot
        while OpenAttempt.sinceBoot <= start + 1 { sched_yield() }
        let paid = try attempt(1)
        try journal.open(paid)
        journal.close(paid, isPaid: true)
        let path = folder.path("j/\(try #require(try journal.names(FileJournal.over).first))")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.contains("boot "))
        try Data(text.replacing(/boot [^\n]*\n/, with: line).utf8).write(to: URL(filePath: path))
        #expect((journal.mark(at: .milliseconds(start)).over.count == 1) == isBefore)
    }
}
