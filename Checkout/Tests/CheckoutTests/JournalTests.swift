import Synchronization
import Testing

@testable import Checkout

/// Attempts are written down before money can move, and found again by the program's next start.
@Suite struct JournalTests {
    private static func payment(
        _ gateway: ScriptedGateway, _ journal: TestJournal? = nil,
        _ policy: PaymentPolicy = Payments.patient
    ) throws -> Payment {
        Payment(
            ScriptedGateway.transaction("Shoes", try euros(440)), gateway: gateway, policy: policy,
            journal: journal ?? TestJournal())
    }

    /// The request that a killed program may have sent is behind the note, never before it.
    @Test func theNoteComesBeforeTheAuthorisation() async throws {
        let gateway = ScriptedGateway(Machines.approving)
        let journal = TestJournal { gateway.requests }
        let payment = try Self.payment(gateway, journal)
        try await payment.pay(preparedBy: HeadlessPreparer(card: try clearCard()))
        #expect(journal.notes == ["open src_1 after create", "end src_1"])
        let attempt = try #require(payment.record?.attempt)
        #expect(attempt.key != nil && attempt.time > 0)
        #expect(attempt.source == SourceID("src_1") && attempt.transaction == TransactionID("txn_1"))
        #expect(attempt.amount == payment.transaction.amount && attempt.description == "Shoes")
    }

    /// A preparer who wants it no more once the source is there.
    private final class Leaving: SourceParamsPreparer {
        var latestError: PaymentError?
        let card: CardDetails
        init(_ card: CardDetails) { self.card = card }
        func prepare(_ raw: SourceParams, methods: [PaymentMethod]) async -> SourceParams? {
            await HeadlessPreparer(card: card).prepare(raw, methods: methods)
        }
        func payment(_ payment: Payment, didCreate source: Result<PaymentSource, GatewayError>) {
            payment.cancel()
        }
    }

    /// What a source holds and the service did not let go stays written down, and the next till gives it up.
    @Test(arguments: [true, false], [true, false]) func aHoldIsNotForgotten(leaves: Bool, isReleased: Bool)
        async throws
    {
        let unreachable = ScriptedGateway.Step.failsBefore(GatewayError(.unreachable, .notSent))
        let gateway = ScriptedGateway(
            .init(
                authorise: [unreachable], cancel: isReleased ? [] : [unreachable],
                authorised: Payments.consumed),
            holdsWithSource: true)
        let journal = MemoryJournal()
        let desk = PaymentDesk(
            .publicKey("pkey_1"), gateway: gateway, journal: journal, policy: Payments.patient)
        let payment = Payment(ScriptedGateway.transaction("Shoes", try euros(440)), desk: desk)
        let card = try clearCard()
        let end = try await payment.pay(
            preparedBy: leaves ? Leaving(card) : HeadlessPreparer(card: card))
        switch end {
        case .failure: #expect(!leaves)
        case .cancelled: #expect(leaves)
        default: Issue.record("\(end)")
        }
        let source = SourceID("src_1")
        #expect(
            payment.record == nil
                && (gateway.books.withLock { $0.sources[source] } == .cancelled) == isReleased)
        let sale = SaleKey(service: gateway.service, description: "Shoes", amount: try euros(440))
        let left = journal.findings(at: gateway.service, for: sale).abandoned.map(\.source)
        #expect(left == (isReleased ? [] : [source]))
        let next = Payment(
            ScriptedGateway.transaction("Shoes", try euros(440), id: TransactionID("txn_2")), desk: desk)
        gateway.books.withLock { $0.script.authorise = [] }
        let paid = try await next.pay(preparedBy: HeadlessPreparer(card: card))
        #expect(paid == .success(ScriptedGateway.charge) && gateway.charges == 1)
        #expect(gateway.books.withLock { $0.sources[source] } == .cancelled)
    }

    @Test func whatCannotBeWrittenDownIsNotAuthorised() async throws {
        let gateway = ScriptedGateway(Machines.approving)
        let journal = TestJournal(isFull: true) { gateway.requests }
        let end = try await Self.payment(gateway, journal).pay(
            preparedBy: HeadlessPreparer(card: try clearCard()))
        #expect(end == .failure(.notWrittenDown("notes")))
        #expect(gateway.requests == ["create"])
        #expect(PaymentError.notWrittenDown("notes").advice == .callSupport)
        #expect(PaymentError.notWrittenDown("notes").code == "not_written_down")
    }

    /// What moved no money need not be remembered; what did, or may have, stays until somebody was told.
    @Test(
        arguments: [
            (Machines.approving, "success", false),
            (.init(authorised: .processing), "possible_success", false),
            (.init(authorised: .failed(.declined)), "failure", true),
            (.init(authorised: .redirect(address: "https://bank.example")), "failure", true),
        ] as [(ScriptedGateway.Script, String, Bool)])
    func onlyWhatIsCertainIsForgotten(script: ScriptedGateway.Script, end: String, isForgotten: Bool)
        async throws
    {
        let journal = TestJournal { [] }
        let payment = try Self.payment(ScriptedGateway(script), journal, Payments.impatient)
        #expect(try await payment.pay(preparedBy: HeadlessPreparer(card: try clearCard())).name == end)
        #expect(journal.notes.contains("close src_1") == isForgotten)
        #expect((payment.record == nil) == isForgotten)
    }

    @Test func theMachineWritesDownToo() async throws {
        let gateway = ScriptedGateway(Machines.approving)
        let journal = TestJournal { gateway.requests }
        var options = Machines.options
        options.journal = journal
        let machine = PaymentMachine(publicKey: "pkey_1", gateway: gateway, options: options)
        try await machine.begin(item: "Shoes", amountInCents: 440)
        Machines.fill(machine)
        try await machine.submit()
        #expect(journal.notes == ["open src_1 after create", "end src_1"])
    }

    // MARK: The next start

    /// How sources are that a killed program left, and what the next one makes of them.
    @Test(
        arguments: [
            (.consumed(ScriptedGateway.charge), [], "success", ["poll"]),
            (.failed(.declined), [], "failure", ["poll"]), (.cancelled, [], "failure", ["poll"]),
            // Authorised by nobody, or not yet: given up, and then certain.
            (.pending, [], "cancelled", ["poll", "cancel"]),
            (.redirect(address: "https://bank.example"), [], "cancelled", ["poll", "cancel"]),
            // The service is at it: it is waited for.
            (.processing, [.processing, .consumed(ScriptedGateway.charge)], "success", ["poll", "poll"]),
        ] as [(PaymentSource.Status, [PaymentSource.Status], String, [String])])
    func whatWasLeftIsSettled(
        status: PaymentSource.Status, polled: [PaymentSource.Status], end: String, requests: [String]
    ) async throws {
        let gateway = ScriptedGateway(.init(polled: polled))
        gateway.books.withLock { $0.sources[SourceID("src_1")] = status }
        let payment = try Self.payment(gateway)
        #expect(try await payment.resume(SourceID("src_1")).name == end)
        #expect(gateway.requests == requests)
        #expect(gateway.charges == (polled.isEmpty ? 0 : 1), "nothing was charged by asking")
    }

    @Test(arguments: [
        ScriptedGateway.Script(poll: Array(repeating: .failsBefore(Payments.lost), count: 1000)),
        ScriptedGateway.Script(cancel: [.failsAfter(Payments.lost)]),
        ScriptedGateway.Script(polled: Array(repeating: .processing, count: 1000)),
    ])
    func whatNobodyCanSayIsDoubtful(script: ScriptedGateway.Script) async throws {
        let gateway = ScriptedGateway(script)
        let payment = try Self.payment(gateway, nil, Payments.impatient)
        guard case .possibleSuccess = try await payment.resume(SourceID("src_1")) else {
            Issue.record("ended as \(payment.state.name)")
            return
        }
        await #expect(throws: PaymentIsNotIdle.self) {
            try await payment.pay(preparedBy: HeadlessPreparer(card: try clearCard()))
        }
        await #expect(throws: PaymentIsNotIdle.self) { try await payment.resume(SourceID("src_1")) }
    }
}

/// Keeps notes of what it was told, with the latest request before it.
final class TestJournal: PaymentJournal {
    private let isFull: Bool
    /// Why notes cannot be written at first.
    private let problems: Mutex<[PaymentJournalError]>
    private let requests: @Sendable () -> [String]
    private let written = Mutex<[String]>([])
    /// What killed programs left; nil where nobody can say.
    private let leftBehind: Mutex<[OpenAttempt]?>
    /// What others are at, question by question; nothing after the last one.
    private let underWay: Mutex<[[OpenAttempt]]>
    var notes: [String] { written.withLock { $0 } }

    init(
        isFull: Bool = false, problems: [PaymentJournalError] = [], left: [OpenAttempt]? = [],
        underWay: [[OpenAttempt]] = [],
        _ requests: @escaping @Sendable () -> [String] = { [] }
    ) {
        self.isFull = isFull
        self.problems = Mutex(problems)
        self.requests = requests
        self.underWay = Mutex(underWay)
        leftBehind = Mutex(left)
    }

    func findings(at service: String, for sale: SaleKey?) throws(PaymentJournalError) -> JournalFindings {
        guard let left = leftBehind.withLock({ $0 }) else { throw .unreadable("notes") }
        let others = underWay.withLock { $0.isEmpty ? [] : $0.removeFirst() }
        return JournalFindings(abandoned: left, underWay: others)
    }

    func mark() -> JournalMark { JournalMark() }
    func isOpen(_ attempt: OpenAttempt) -> Bool { true }

    func open(_ attempt: OpenAttempt, since mark: JournalMark) throws(PaymentJournalError) {
        if isFull { throw .unwritable("notes") }
        if let problem = problems.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw problem }
        let after = requests().last.map { " after \($0)" } ?? ""
        written.withLock { $0.append("open \(attempt.source)\(after)") }
    }

    func close(_ attempt: OpenAttempt, isPaid: Bool) {
        leftBehind.withLock { $0?.removeAll { $0 == attempt } }
        written.withLock { $0.append("close \(attempt.source)") }
    }

    func end(_ attempt: OpenAttempt) { written.withLock { $0.append("end \(attempt.source)") } }

    func release(_ attempt: OpenAttempt, isTold: Bool) {
        written.withLock { $0.append("release \(attempt.source)\(isTold ? " told" : "")") }
    }
}
