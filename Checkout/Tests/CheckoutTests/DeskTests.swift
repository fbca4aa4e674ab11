import Synchronization
import Testing

@testable import Checkout

/// The one layer under every front door: nothing is paid before what was left behind is settled.
@Suite struct DeskTests {
    private static func desk(
        _ gateway: ScriptedGateway, _ journal: TestJournal, isPatient: Bool = true
    ) -> PaymentDesk {
        var policy = Payments.patient
        if !isPatient { policy.othersTimeout = .milliseconds(120) }
        return PaymentDesk(.publicKey("pkey_1"), gateway: gateway, journal: journal, policy: policy)
    }

    /// The ways to pay that the library has.
    enum Door: CaseIterable { case desk, machine, client, component }

    /// Tries to pay 4.40 for shoes; why that was not begun.
    private static func pay(_ door: Door, _ gateway: ScriptedGateway, _ journal: TestJournal) async throws
        -> CaptureError?
    {
        let card = try clearCard()
        switch door {
        case .desk:
            do throws(PaymentError) {
                _ = try await desk(gateway, journal).begin("Shoes", amount: ScriptedGateway.charge.amount)
                return nil
            } catch { return CaptureError(error) }
        case .machine:
            var options = Machines.options
            options.journal = journal
            let machine = PaymentMachine(publicKey: "pkey_1", gateway: gateway, options: options)
            let screen = ErrorScreen()
            machine.delegate = screen
            try await machine.begin(item: "Shoes", amountInCents: 440)
            return screen.error.map { CaptureError($0) }
        case .client:
            let client = Components.client(gateway, Payments.patient, journal)
            do throws(CaptureError) {
                _ = try await client.capture(
                    order: OrderRequest(description: "Shoes", amountInCents: 440), card: card)
                return nil
            } catch { return error }
        case .component:
            let form = Components.Form()
            let component = form.component(gateway, Payments.patient, journal)
            component.add(form.number, form.expiry, form.code)
            form.fill()
            await component.submit()
            return form.errors.first
        }
    }

    private final class ErrorScreen: PaymentMachineDelegate {
        var error: PaymentError?
        func didFailBegin(error: PaymentError) { self.error = error }
    }

    /// Money moved before its program was killed: no front door pays, none asks the service for more than that.
    @Test(arguments: Door.allCases) func noDoorGoesRoundTheQuestion(door: Door) async throws {
        let gateway = ScriptedGateway(Machines.approving)
        gateway.books.withLock { $0.sources[SourceID("src_1")] = .consumed(ScriptedGateway.charge) }
        let left = try attempt()
        let refusal = try await Self.pay(door, gateway, TestJournal(left: [left]))
        #expect(refusal == .earlierPayments([EarlierPayment(left, .success(ScriptedGateway.charge))]))
        #expect(gateway.requests == ["transaction", "poll"])
    }

    /// A journal that cannot be read stops every front door.
    @Test(arguments: Door.allCases) func noDoorPaysBlindly(door: Door) async throws {
        let gateway = ScriptedGateway(Machines.approving)
        #expect(try await Self.pay(door, gateway, TestJournal(left: nil)) == .journalUnreadable("notes"))
        #expect(gateway.requests.isEmpty)
    }

    /// Another program holds a note of the same sale, because it pays it or asks what became of it. It charged: nothing is paid.
    @Test func whatAnotherProgramChargedIsNotPaid() async throws {
        var script = Machines.approving
        script.isPaidElsewhere = true
        let other = try attempt(7)
        for door in Door.allCases {
            let gateway = ScriptedGateway(script)
            let refusal = try await Self.pay(door, gateway, TestJournal(underWay: [[other], [other], []]))
            #expect(refusal == .earlierPayments([EarlierPayment(other, .success(ScriptedGateway.charge))]))
            #expect(!gateway.requests.contains("create"))
        }
    }

    /// It ended without a charge: its end was waited for, and then this one is paid.
    @Test func whatAnotherProgramDidNotChargeIsPaid() async throws {
        let gateway = ScriptedGateway(Machines.approving)
        let other = try attempt(7)
        #expect(try await Self.pay(.client, gateway, TestJournal(underWay: [[other], [other], []])) == nil)
        // The last two are about this sale's own payment.
        #expect(
            gateway.requests == [
                "transaction", "poll", "cancel", "open", "create", "transaction", "authorise",
            ])
    }

    /// The note appears after the form was shown: the last look is right before the authorisation.
    @Test func theLastLookIsBeforeTheAuthorisation() async throws {
        var script = Machines.approving
        script.isPaidElsewhere = true
        let gateway = ScriptedGateway(script)
        let other = try attempt(7)
        let desk = Self.desk(gateway, TestJournal(underWay: [[], [other], []]))
        let payment = try await desk.begin("Shoes", amount: ScriptedGateway.charge.amount)
        let end = try await payment.pay(preparedBy: HeadlessPreparer(card: try clearCard()))
        #expect(end == .failure(.earlierPayments([EarlierPayment(other, .success(ScriptedGateway.charge))])))
        #expect(gateway.requests == ["open", "create", "transaction", "poll", "cancel"])
        #expect(gateway.charges == 0)
    }

    /// Another program began the order, paid it and forgot it, all of it while this one's form was being filled in.
    @Test func whatWasPaidMeanwhileIsNotPaidAgain() async throws {
        let gateway = ScriptedGateway(Machines.approving)
        let journal = TestJournal(underWay: [[], []])
        let payment = try await Self.desk(gateway, journal).begin(
            "Shoes", amount: ScriptedGateway.charge.amount)
        gateway.books.withLock { $0.script.isPaidElsewhere = true }
        let end = try await payment.pay(preparedBy: HeadlessPreparer(card: try clearCard()))
        #expect(end == .failure(.alreadyPaid(ScriptedGateway.charge)))
        #expect(gateway.requests == ["open", "create", "transaction"] && gateway.charges == 0)
        #expect(payment.record == nil)
    }

    /// What is under way has not ended: whoever says that somebody was told of it does not make it forgotten. Nor does a service
    /// that only says "later".
    @Test(arguments: [
        PaymentState.inProgress(.polling), .inProgress(.authorising),
        .possibleSuccess(.gateway(GatewayError(.tooManyRequests, .refused))),
        .possibleSuccess(.gateway(GatewayError(.badKey, .refused))),
    ]) func whatHasNotEndedStaysWrittenDown(end: PaymentState) throws {
        #expect(EarlierPayment(try attempt(), end).isUnanswered)
    }

    @Test(arguments: [
        PaymentState.success(ScriptedGateway.charge),
        .possibleSuccess(.gateway(GatewayError(.notFound, .refused))),
    ]) func whatHasAnEndMayBeForgotten(end: PaymentState) throws {
        #expect(!EarlierPayment(try attempt(), end).isUnanswered)
    }

    /// It does not come to an end: it is named, and nothing is paid.
    @Test func whatDoesNotEndIsNamed() async throws {
        let gateway = ScriptedGateway(Machines.approving)
        let other = try attempt(7)
        let desk = Self.desk(
            gateway, TestJournal(underWay: Array(repeating: [other], count: 1000)),
            isPatient: false)
        await #expect(throws: PaymentError.heldElsewhere(other)) {
            _ = try await desk.begin("Shoes", amount: ScriptedGateway.charge.amount)
        }
        #expect(gateway.requests.isEmpty)
        #expect(PaymentError.heldElsewhere(other).message.contains("transaction txn_7"))
    }

    /// What became of it cannot be asked: perhaps paid, and named.
    @Test func whatCannotBeAskedAfterWaitingIsDoubtful() async throws {
        let gateway = ScriptedGateway(.init(open: [.failsBefore(Payments.lost)]))
        let other = try attempt(7)
        let refusal = try await Self.pay(.desk, gateway, TestJournal(underWay: [[other], []]))
        #expect(
            refusal
                == .earlierPayments([EarlierPayment(other, .possibleSuccess(.gateway(Payments.lost)))]))
    }

    /// Somebody else is writing into the journal: this is tried again, and does not wait inside the journal.
    @Test func aBusyJournalIsTriedAgain() async throws {
        let gateway = ScriptedGateway(Machines.approving)
        let journal = TestJournal(problems: [.busy("notes"), .sameSale(try attempt(7)), .busy("notes")])
        let payment = try await Self.desk(gateway, journal).begin(
            "Shoes", amount: ScriptedGateway.charge.amount)
        #expect(try await payment.pay(preparedBy: HeadlessPreparer(card: try clearCard())).name == "success")
        let busy = TestJournal(problems: Array(repeating: .busy("notes"), count: 1000))
        let late = try await Self.desk(gateway, busy, isPatient: false).begin(
            "Shoes", amount: ScriptedGateway.charge.amount)
        let end = try await late.pay(preparedBy: HeadlessPreparer(card: try clearCard()))
        #expect(
            end == .failure(.notWrittenDown("notes (another program writes there all the time)"))
                && gateway.charges == 1)
    }

    /// What is under way is not let go of, whoever says that he knows of it.
    @Test func whatIsUnderWayIsNotAcknowledged() throws {
        let journal = TestJournal()
        let payment = EarlierPayment(try attempt(), .inProgress(.polling))
        Self.desk(ScriptedGateway(), journal).acknowledge(payment, selling: payment.attempt.sale)
        Self.desk(ScriptedGateway(), journal).forget(payment)
        #expect(journal.notes.isEmpty)
    }

    // MARK: Orders

    /// An order is one transaction, whoever begins it; one that is paid is not paid again, with whatever journal.
    @Test func anOrderIsPaidOnce() async throws {
        var script = Machines.approving
        script.isPaidElsewhere = true
        let desk = Self.desk(ScriptedGateway(script), TestJournal())
        await #expect(throws: PaymentError.alreadyPaid(ScriptedGateway.charge)) {
            _ = try await desk.begin("Shoes", amount: ScriptedGateway.charge.amount, order: "17")
        }
        #expect(IdempotencyKey(naming: "17") == IdempotencyKey(naming: "17"))
        #expect(IdempotencyKey(naming: "17") != IdempotencyKey(naming: "1"))
        let longest = IdempotencyKey(naming: String(repeating: "x", count: IdempotencyKey.longestOrder))
        #expect(
            (16...128).contains(IdempotencyKey(naming: "1").value.utf8.count)
                && longest.value.utf8.count <= 128)
    }

    @Test(arguments: ["", String(repeating: "x", count: 51)]) func ordersHaveNames(order: String) async throws
    {
        let gateway = ScriptedGateway()
        let desk = Self.desk(gateway, TestJournal())
        await #expect(throws: PaymentError.unfit("an order's name has 1 to 50 bytes")) {
            _ = try await desk.begin("Shoes", amount: ScriptedGateway.charge.amount, order: order)
        }
        #expect(gateway.requests.isEmpty)
    }

    // MARK: Telling

    /// Who must be told again, and who not.
    @Test(
        arguments: [
            (.success(ScriptedGateway.charge), "Shoes", "close src_1"),
            (.success(ScriptedGateway.charge), "Hat", "release src_1 told"),
            // The service is at it, and may charge a second later.
            (.possibleSuccess(.pollTimedOut), "Shoes", "release src_1 told"),
            (.possibleSuccess(.pollTimedOut), "Hat", "release src_1 told"),
            (.possibleSuccess(.interrupted), "Shoes", "release src_1"),
            (.possibleSuccess(.gateway(Payments.lost)), "Hat", "release src_1"),
            // A key that is refused says nothing of the payment; a service that does not know it does.
            (.possibleSuccess(.gateway(GatewayError(.badKey, .refused))), "Shoes", "release src_1"),
            (.possibleSuccess(.gateway(GatewayError(.notFound, .refused))), "Shoes", "close src_1"),
        ] as [(PaymentState, String, String)])
    func whatIsAcknowledged(end: PaymentState, selling: String, note: String) throws {
        let journal = TestJournal()
        let desk = Self.desk(ScriptedGateway(), journal)
        desk.acknowledge(EarlierPayment(try attempt(), end), selling: try attempt(2, selling).sale)
        #expect(journal.notes == [note])
    }

    /// Two equal sales are told apart, in words.
    @Test func attemptsAreNamed() throws {
        let key = IdempotencyKey()
        let attempt = OpenAttempt(
            service: ScriptedGateway.service, order: "17", transaction: TransactionID("txn_1"),
            source: SourceID("src_1"), key: key, amount: try euros(440), description: "Shoes",
            time: 1_795_384_870)
        #expect(
            attempt.words
                == "4.40 EUR for Shoes (order 17, transaction txn_1, source src_1, idempotency key \(key), "
                + "2026-11-22 22:01:10 UTC)")
    }

    /// A program that waits no longer gets the truth of that moment, and the note stays.
    @MainActor @Test func whoWaitsNoLongerGetsTheTruth() async throws {
        let gateway = ScriptedGateway(.init(authorised: .processing))
        let journal = TestJournal()
        let payment = Payment(
            ScriptedGateway.transaction("Shoes", try euros(440)), gateway: gateway, journal: journal)
        let preparer = AbandoningPreparer(payment)
        #expect(try await payment.pay(preparedBy: preparer) == .cancelled(latestError: nil))
        #expect(preparer.truth == .cancelled(latestError: nil) && gateway.charges == 0)

        let second = Payment(
            ScriptedGateway.transaction("Shoes", try euros(440)), gateway: gateway, journal: journal)
        let late = AbandoningPreparer(second, isLate: true)
        let paying = Task { try await second.pay(preparedBy: late) }
        while late.truth == nil { await Task.yield() }
        paying.cancel()
        _ = try await paying.value
        #expect(late.truth == .possibleSuccess(.interrupted))
        #expect(!journal.notes.contains { $0.hasPrefix("close") })
    }

    /// Gives a payment up while it is prepared, or once it is authorised.
    private final class AbandoningPreparer: SourceParamsPreparer {
        var latestError: PaymentError?
        private(set) var truth: PaymentState?
        private let payment: Payment
        private let isLate: Bool

        init(_ payment: Payment, isLate: Bool = false) {
            self.payment = payment
            self.isLate = isLate
        }

        func prepare(_ raw: SourceParams, methods: [PaymentMethod]) async -> SourceParams? {
            if !isLate { truth = payment.abandon() }
            var params = raw
            params.method = methods.first
            params.card = try? clearCard()
            return params
        }

        func payment(_ payment: Payment, didFinishAuthorisation source: Result<PaymentSource, GatewayError>) {
            if isLate { truth = payment.abandon() }
        }
    }
}
