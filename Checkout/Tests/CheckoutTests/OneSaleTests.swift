import CheckoutTesting
import Synchronization
import Testing

@testable import Checkout

/// One sale is charged once: by one program with several machines, by merchants that share a folder, with a service that
/// answers in other words.
@Suite struct OneSaleTests {
    private static let amount = ScriptedGateway.charge.amount

    private static func desk(
        _ gateway: ScriptedGateway, _ journal: any PaymentJournal, key: String = "pkey_1"
    ) -> PaymentDesk {
        PaymentDesk(.publicKey(key), gateway: gateway, journal: journal, policy: Payments.patient)
    }

    private static func journal(_ kind: OneSale.Journal, _ folder: Folder) throws -> any PaymentJournal {
        switch kind {
        case .file: try FileJournal(folder: folder.path("j"))
        case .memory: MemoryJournal()
        }
    }

    // MARK: One program

    /// A program's own notes count as another one's do, for whoever asks for the same sale.
    @Test(arguments: OneSale.Journal.allCases) func ownNotesCount(kind: OneSale.Journal) throws {
        let folder = try Folder()
        let journal = try Self.journal(kind, folder)
        let (first, hat) = (try attempt(1), try attempt(3, "Hat"))
        let find = { (sale: SaleKey) in try journal.findings(at: ScriptedGateway.service, for: sale) }
        try journal.open(first)
        #expect(try find(first.sale) == JournalFindings(underWay: [first]))
        #expect(try find(hat.sale) == JournalFindings())
        #expect(throws: PaymentJournalError.sameSale(first)) { try journal.open(try attempt(2)) }
        journal.end(first)
        #expect(try find(first.sale) == JournalFindings(abandoned: [first]), "it came to its end")
        #expect(try find(hat.sale) == JournalFindings(), "which holds nobody else up")
        #expect(throws: PaymentJournalError.sameSale(first)) { try journal.open(try attempt(2)) }
        journal.release(first, isTold: false)
        #expect(try find(hat.sale).abandoned == [first])
        journal.release(first, isTold: true)
        #expect(try find(hat.sale) == JournalFindings() && find(first.sale).abandoned == [first])
        journal.close(first)
        try journal.open(try attempt(2))
        #expect(try find(first.sale).underWay == [try attempt(2)])
    }

    /// Two forms of one program are sent off at the same moment, for the same sale.
    @Test(arguments: OneSale.Journal.allCases, ["17", nil]) func formsOfOneProgramPayOnce(
        kind: OneSale.Journal, order: String?
    )
        async throws
    {
        let folder = try Folder()
        let journal = try Self.journal(kind, folder)
        var script = Machines.approving
        script.pause = .milliseconds(120)
        script.hasManyOrders = order == nil
        let gateway = ScriptedGateway(script)
        let card = try clearCard()
        let ends = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 1...4 {
                group.addTask {
                    let desk = Self.desk(gateway, journal)
                    do {
                        let payment = try await desk.begin("Shoes", amount: Self.amount, order: order)
                        return try await payment.pay(preparedBy: HeadlessPreparer(card: card)).name
                    } catch let error as PaymentError { return error.code }
                }
            }
            return try await group.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(gateway.charges == 1)
        #expect(ends.count { $0 == "success" } == 1, "\(ends)")
    }

    /// A machine whose sale was paid and not acknowledged says so to the next machine; then the next sale may be paid.
    @Test func theNextMachineIsTold() async throws {
        let gateway = ScriptedGateway(Machines.approving)
        var options = Machines.options
        options.journal = MemoryJournal()
        let first = PaymentMachine(publicKey: "pkey_1", gateway: gateway, options: options)
        try await first.begin(item: "Shoes", amountInCents: 440)
        Machines.fill(first)
        try await first.submit()
        let paid = try #require(first.record)
        let second = PaymentMachine(publicKey: "pkey_1", gateway: gateway, options: options)
        let screen = Screen()
        second.delegate = screen
        try await second.begin(item: "Shoes", amountInCents: 440)
        #expect(screen.calls == ["didFailBegin earlier_payment"])
        second.acknowledge([paid])
        let third = PaymentMachine(publicKey: "pkey_1", gateway: gateway, options: options)
        third.delegate = screen
        try await third.begin(item: "Shoes", amountInCents: 440)
        #expect(screen.calls.contains("didFinishBegin"))
    }

    // MARK: What the service says

    /// It trims what is sold: the note has the merchant's words, by which the sale is known again.
    @Test func theMerchantsWordsCount() async throws {
        var script = Machines.approving
        script.trims = true
        script.hasManyOrders = true
        let gateway = ScriptedGateway(script)
        let journal = MemoryJournal()
        let payment = try await Self.desk(gateway, journal).begin(" Shoes ", amount: Self.amount)
        try await payment.pay(preparedBy: HeadlessPreparer(card: try clearCard()))
        #expect(payment.transaction.description == "Shoes")
        #expect(payment.record?.attempt.description == " Shoes ")
        await #expect(throws: PaymentError.self) {
            _ = try await Self.desk(gateway, journal).begin(" Shoes ", amount: Self.amount)
        }
        #expect(gateway.charges == 1)
    }

    /// The service takes one charge of a transaction, and another program was first.
    @Test func whoComesSecondIsToldOfTheCharge() async throws {
        var script = Machines.approving
        script.losesTheRace = true
        let gateway = ScriptedGateway(script)
        let journal = TestJournal()
        let payment = try await Self.desk(gateway, journal).begin("Shoes", amount: Self.amount)
        let end = try await payment.pay(preparedBy: HeadlessPreparer(card: try clearCard()))
        #expect(end == .failure(.alreadyPaid(ScriptedGateway.charge)))
        #expect(gateway.charges == 0 && journal.notes == ["open src_1", "close src_1"])
        let client = Components.client(gateway)
        await #expect(throws: CaptureError.alreadyCaptured(TransactionID("txn_1"))) {
            try await client.capture(
                order: OrderRequest(description: "Shoes", amountInCents: 440), card: try clearCard())
        }
    }

    /// Another source of the same transaction was charged meanwhile: the sale is paid, though what was waited for is not.
    @Test func anotherSourceMayHaveBeenCharged() async throws {
        var script = Machines.approving
        script.isPaidElsewhere = true
        let gateway = ScriptedGateway(script)
        gateway.books.withLock { $0.sources[SourceID("src_7")] = .failed(.declined) }
        let other = try attempt(7)
        await #expect(
            throws: PaymentError.earlierPayments([EarlierPayment(other, .success(ScriptedGateway.charge))])
        ) {
            _ = try await Self.desk(gateway, TestJournal(underWay: [[other], []])).begin(
                "Shoes", amount: Self.amount)
        }
    }

    /// What was waited for is given up, and not only looked at: nothing of it was charged yet.
    @Test func whatWasWaitedForIsGivenUp() async throws {
        let gateway = ScriptedGateway(Machines.approving)
        _ = try await Self.desk(gateway, TestJournal(underWay: [[try attempt(7)], []])).begin(
            "Shoes", amount: Self.amount)
        #expect(gateway.books.withLock { $0.sources[SourceID("src_7")] } == .cancelled)
    }

    // MARK: Two merchants in one folder

    private static let unknown = ScriptedGateway.Step.failsBefore(GatewayError(.notFound, .refused))

    private static func left(_ key: String, _ description: String = "Shoes") throws -> OpenAttempt {
        OpenAttempt(
            service: ScriptedGateway.service, transaction: TransactionID("txn_9"), source: SourceID("src_9"),
            merchant: APIKey.publicKey(key).fingerprint, amount: amount, description: description)
    }

    /// The service does not show one merchant the other one's payments: that is no end of them.
    @Test func anothersPaymentStays() async throws {
        let journal = TestJournal(left: [try Self.left("pkey_2", "Hat")])
        _ = try await Self.desk(ScriptedGateway(.init(open: [Self.unknown])), journal).begin(
            "Shoes", amount: Self.amount)
        #expect(journal.notes == ["release src_9"], "what is sold is something else")
        let same = TestJournal(left: [try Self.left("pkey_2")])
        let desk = Self.desk(ScriptedGateway(.init(open: [Self.unknown])), same)
        do throws(PaymentError) {
            _ = try await desk.begin("Shoes", amount: Self.amount)
            Issue.record("begun")
        } catch {
            let payments: [EarlierPayment] =
                if case .earlierPayments(let payments) = error { payments } else { [] }
            #expect(!payments.isEmpty)
            for payment in payments { desk.acknowledge(payment, selling: payment.attempt.sale) }
        }
        #expect(same.notes == ["release src_9"])
    }

    /// To the payment's own key the same answer is an end; a back office may forget anything.
    @Test func onesOwnPaymentHasAnEnd() async throws {
        for isForgotten in [false, true] {
            let journal = TestJournal(left: [try Self.left(isForgotten ? "pkey_2" : "pkey_1")])
            let desk = Self.desk(ScriptedGateway(.init(open: [Self.unknown])), journal)
            let payments: [EarlierPayment]
            do throws(PaymentError) {
                _ = try await desk.begin("Shoes", amount: Self.amount)
                payments = []
            } catch {
                payments = if case .earlierPayments(let payments) = error { payments } else { [] }
            }
            let payment = try #require(payments.first)
            if isForgotten {
                desk.forget(payment)
            } else {
                desk.acknowledge(payment, selling: payment.attempt.sale)
            }
            #expect(journal.notes == ["close src_9"])
        }
    }

    @Test func fingerprintsTellKeysApart() {
        let prints = ["pkey_1", "pkey_2", "skey_1", ""].map { APIKey.publicKey($0).fingerprint }
        #expect(Set(prints).count == 4 && prints.allSatisfy { $0.utf8.count == 8 })
        #expect(prints[0] == APIKey.secretKey("pkey_1").fingerprint)
    }

    // MARK: Words

    @Test(
        arguments: [
            ("4111111111111111", nil), ("Shoes, 4111 1111 1111 1111.", nil), ("2 4111-1111-1111-1111", nil),
            ("x5555555555554444y", nil), ("\u{FF14}111111111111111", nil), ("Shoes", "3782 822463 10005"),
        ] as [(String, String?)])
    func cardNumbersAreNoWords(description: String, order: String?) async throws {
        let gateway = ScriptedGateway()
        do throws(PaymentError) {
            _ = try await Self.desk(gateway, TestJournal()).begin(
                description, amount: Self.amount, order: order)
            Issue.record("begun")
        } catch {
            #expect(error.message.contains("a card's number") && !error.message.contains("1111"))
        }
        #expect(gateway.requests.isEmpty)
    }

    @Test(arguments: ["Shoes", "4111 shoes for 1111", "4111111111111112", "2026-11-23 02:30:00 4400", "17"])
    func otherNumbersAre(text: String) {
        #expect(SaleKey.problem(of: text, order: text) == nil)
    }
}
