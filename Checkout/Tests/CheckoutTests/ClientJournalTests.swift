import Synchronization
import Testing

@testable import Checkout

/// A program that pays by components and is killed: its next start charges nothing before somebody was told.
@Suite struct ClientJournalTests {
    private static let order = OrderRequest(description: "Shoes", amountInCents: 440)
    private static let id = TransactionID("txn_left")

    private static func left(_ number: Int = 1) throws -> OpenAttempt {
        try attempt(number, transaction: id.value)
    }

    /// A service that knows the source of a killed program.
    private static func gateway(_ status: PaymentSource.Status) -> ScriptedGateway {
        let gateway = ScriptedGateway(Machines.approving)
        gateway.books.withLock { $0.sources[SourceID("src_1")] = status }
        return gateway
    }

    @Test func theNoteComesBeforeTheAuthorisation() async throws {
        let gateway = ScriptedGateway(Machines.approving)
        let journal = TestJournal { gateway.requests }
        let client = Components.client(gateway, Payments.patient, journal)
        let response = try await client.capture(order: Self.order, card: try clearCard())
        #expect(journal.notes == ["open src_1 after create", "end src_1"])
        await client.acknowledge(response.orderID)
        await client.acknowledge(response.orderID)
        #expect(journal.notes == ["open src_1 after create", "end src_1", "close src_1"])
    }

    @Test func whatCannotBeWrittenDownIsNotAuthorised() async throws {
        let gateway = ScriptedGateway(Machines.approving)
        let client = Components.client(gateway, Payments.patient, TestJournal(isFull: true))
        await #expect(throws: CaptureError.failed(.notWrittenDown("notes"))) {
            try await client.capture(order: Self.order, card: try clearCard())
        }
        #expect(gateway.charges == 0)
    }

    /// Money moved, or may have: nothing is paid until somebody was told, and that order never again.
    @Test(arguments: [
        (PaymentSource.Status.consumed(ScriptedGateway.charge), CaptureError.alreadyCaptured(id)),
        (.processing, .possibleSuccess(orderID: id, .pollTimedOut)),
    ])
    func nothingIsPaidBeforeSomebodyWasTold(status: PaymentSource.Status, refusal: CaptureError) async throws
    {
        let gateway = Self.gateway(status)
        let journal = TestJournal(left: [try Self.left()])
        let client = Components.client(gateway, Payments.impatient, journal)
        let card = try clearCard()
        for _ in 1...2 {
            await #expect {
                try await client.capture(order: Self.order, card: card)
            } throws: {
                guard case CaptureError.earlierPayments(let payments) = $0 else { return false }
                return payments.map(\.attempt) == [try Self.left()]
            }
        }
        #expect(!gateway.requests.contains("create") && journal.notes.isEmpty)
        let earlier = try #require(try await client.earlierPayments().first)
        // Who sells something else was told.
        await client.acknowledge(earlier, selling: OrderRequest(description: "Hat", amountInCents: 900))
        #expect(journal.notes == ["release src_1 told"])
        await client.acknowledge(earlier, selling: Self.order)
        // What the service is still at stays for who sells the same.
        let isOver = refusal == .alreadyCaptured(Self.id)
        #expect(journal.notes == ["release src_1 told", isOver ? "close src_1" : "release src_1 told"])
        await #expect(throws: refusal) { try await client.capture(orderID: Self.id, card: card) }
        guard isOver else { return }
        #expect(try await client.capture(order: Self.order, card: card).charge == ScriptedGateway.charge)
    }

    /// What moved no money, and never will, holds nobody up.
    @Test(arguments: [
        PaymentSource.Status.pending, .failed(.declined), .redirect(address: "https://bank.example"),
    ])
    func whatMovedNoMoneyIsForgotten(status: PaymentSource.Status) async throws {
        let gateway = Self.gateway(status)
        let journal = TestJournal(left: [try Self.left()])
        let client = Components.client(gateway, Payments.patient, journal)
        _ = try await client.capture(order: Self.order, card: try clearCard())
        #expect(journal.notes.first == "close src_1")
        #expect(gateway.charges == 1)
    }

    /// While the service cannot be asked, what is written down stays, whatever anybody acknowledges.
    @Test func whatCannotBeAskedStaysWrittenDown() async throws {
        let gateway = Self.gateway(.consumed(ScriptedGateway.charge))
        gateway.books.withLock { $0.script.open = [.failsBefore(Payments.lost)] }
        let journal = TestJournal(left: [try Self.left()])
        let client = Components.client(gateway, Payments.patient, journal)
        let unanswered = try await client.earlierPayments()
        #expect(unanswered.map(\.isUnanswered) == [true])
        await client.acknowledge(try #require(unanswered.first), selling: Self.order)
        #expect(journal.notes == ["release src_1"])
        let answered = try await client.earlierPayments()
        #expect(answered.map(\.end) == [.success(ScriptedGateway.charge)])
        await client.acknowledge(try #require(answered.first), selling: Self.order)
        #expect(try await client.earlierPayments() == [])
        #expect(journal.notes == ["release src_1", "close src_1"])
    }

    @Test func aJournalThatCannotBeReadStopsEverything() async throws {
        let gateway = ScriptedGateway(Machines.approving)
        let client = Components.client(gateway, Payments.patient, TestJournal(left: nil))
        await #expect(throws: CaptureError.journalUnreadable("notes")) {
            try await client.capture(order: Self.order, card: try clearCard())
        }
        #expect(gateway.requests.isEmpty)
    }

    /// Whoever comes while the service is asked waits for the same answer.
    @Test func nobodyOvertakesTheQuestion() async throws {
        let gateway = Self.gateway(.consumed(ScriptedGateway.charge))
        let client = Components.client(
            gateway, Payments.patient, TestJournal(left: [try Self.left()]))
        let card = try clearCard()
        let refused = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    do throws(CaptureError) {
                        _ = try await client.capture(order: Self.order, card: card)
                    } catch {
                        if case .earlierPayments = error { return true }
                    }
                    return false
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(refused == 8 && gateway.charges == 0)
    }

    /// The form passes on what the client says.
    @Test func theFormIsTold() async throws {
        let gateway = Self.gateway(.consumed(ScriptedGateway.charge))
        let form = Components.Form()
        let component = form.component(
            gateway, Payments.patient, TestJournal(left: [try Self.left()]))
        component.add(form.number, form.expiry, form.code)
        form.fill()
        await component.submit()
        #expect(
            form.errors == [
                .earlierPayments([EarlierPayment(try Self.left(), .success(ScriptedGateway.charge))])
            ])
        #expect(form.approved.isEmpty)
    }

    /// Programs that never acknowledge anything are stopped before their journal is without end.
    @Test func theJournalHasAnEnd() async throws {
        var script = Machines.approving
        script.hasManyOrders = true
        let gateway = ScriptedGateway(script)
        let journal = TestJournal()
        let client = Components.client(gateway, Payments.patient, journal)
        let card = try clearCard()
        for _ in 0..<CardClient.mostRecords { _ = try await client.capture(order: Self.order, card: card) }
        await #expect(throws: CaptureError.failed(.unfit("too many payments wait to be acknowledged"))) {
            try await client.capture(order: Self.order, card: card)
        }
        #expect(journal.notes.count { $0.hasPrefix("open") } == CardClient.mostRecords)
    }
}
