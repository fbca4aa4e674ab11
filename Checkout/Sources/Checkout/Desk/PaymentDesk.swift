/// Where every payment passes, however it is made: a desk settles what was left behind before it lets anything be paid.
///
/// Before an authorisation leaves, its attempt is written down in the journal. Before that, the desk looks there:
///
/// - An attempt whose program is gone: the payment service is asked what became of it. Where no money moved it is given up,
///   for certain, and forgotten. Where money moved, or may have, nothing is paid until somebody was told and
///   ``acknowledge(_:selling:)`` was called.
/// - An attempt of the same sale that somebody is at, in this program or another one: its end is waited for, for as long as the
///   policy says. Where it charged, or does not end, nothing is paid.
///
/// What one sale is, ``SaleKey`` says. Give sales their order's name where there is one: without it, equal things for equal
/// amounts that are sold at the same time count as one.
///
/// Machines, clients and tills that share a journal may have desks of their own.
public final class PaymentDesk: Sendable {
    /// What happens while a desk settles, for those who wait.
    public enum News: Sendable, Hashable {
        /// Attempts whose programs are gone: the service is asked about one after the other.
        case found([OpenAttempt])
        /// The service is asked about one of them.
        case asking(OpenAttempt)
        /// What became of it.
        case settled(EarlierPayment)
        /// Somebody else is at the same sale: its end is waited for.
        case waiting(OpenAttempt)
    }

    let key: APIKey
    let gateway: any PaymentGateway
    let policy: PaymentPolicy
    let journal: any PaymentJournal
    let tell: @Sendable (News) -> Void

    private static let pause = Duration.milliseconds(50)

    /// A desk.
    ///
    /// - Parameters:
    ///   - key: the merchant's.
    ///   - gateway: the payment service.
    ///   - journal: where attempts are written down.
    ///   - policy: how long to wait.
    ///   - tell: is called while it settles.
    public init(
        _ key: APIKey, gateway: any PaymentGateway, journal: any PaymentJournal,
        policy: PaymentPolicy = PaymentPolicy(),
        tell: @escaping @Sendable (News) -> Void = { _ in }
    ) {
        self.key = key
        self.gateway = gateway
        self.journal = journal
        self.policy = policy
        self.tell = tell
    }

    // MARK: Payments

    /// Begins a payment, once nothing is in its way.
    ///
    /// - Parameters:
    ///   - description: what is sold, in words that the customer sees.
    ///   - amount: for how much.
    ///   - order: the merchant's own name for the sale, up to ``IdempotencyKey/longestOrder`` bytes. An order is one
    ///     transaction of the payment service, whoever begins it and how often.
    ///   - tip: how much of the amount the customer gives on top.
    ///   - capture: when the money moves; `later` holds the amount on the card until a ``ChargeChange`` captures it.
    ///   - decided: when it was decided to pay; nil for now. See ``Payment/isWantedNow()``.
    /// - Throws: why nothing may be paid, or could be asked.
    public func begin(
        _ description: String, amount: Money, order: String? = nil, tip: Money? = nil,
        capture: CaptureTime = .atOnce, decided: JournalMark? = nil
    ) async throws(PaymentError) -> Payment {
        if let problem = SaleKey.problem(of: description, order: order) { throw .unfit(problem) }
        let mark = decided ?? journal.mark()
        let sale = SaleKey(service: gateway.service, order: order, description: description, amount: amount)
        if let why = await obstacle(to: sale) { throw why }
        let request = TransactionRequest(
            description: description, amount: amount, apiKey: key, order: order, tip: tip, capture: capture)
        var transaction: Transaction
        do throws(GatewayError) {
            transaction = try await gateway.open(request)
            // The service tells an order that was begun before what it told then; of a charge there is no more to be told.
            if order != nil, transaction.charge == nil {
                transaction = try await gateway.transaction(transaction.id, with: key)
            }
        } catch {
            if order != nil, error.code == .conflict {
                throw .unfit("the order was begun for another thing or amount")
            }
            throw .gateway(error)
        }
        return try unpaid(transaction, request, description, mark)
    }

    /// Another transaction for the same, where the payment service has given the first one up: cancelling was its fence. What was
    /// on its way cannot charge that one any more.
    func reopened(
        _ transaction: Transaction, _ request: TransactionRequest?
    ) async throws(PaymentError) -> Transaction {
        var now: Transaction
        do throws(GatewayError) {
            now = try await gateway.transaction(transaction.id, with: key)
            if now.isGivenUp, let request {
                now = try await gateway.open(request)
                if request.order != nil { now = try await gateway.transaction(now.id, with: key) }
            }
        } catch { throw .gateway(error) }
        if let charge = now.charge { throw .alreadyPaid(charge) }
        return now
    }

    /// The payment of a transaction that was opened before.
    public func payment(of id: TransactionID) async throws(PaymentError) -> Payment {
        let mark = journal.mark()
        let transaction: Transaction
        do throws(GatewayError) { transaction = try await gateway.transaction(id, with: key) } catch {
            throw .gateway(error)
        }
        return try unpaid(transaction, nil, transaction.description, mark)
    }

    // MARK: What was left behind

    /// The payments that killed programs left behind, and of which money moved, or may have. The others are forgotten.
    public func earlierPayments() async throws(PaymentError) -> [EarlierPayment] {
        let findings: JournalFindings
        do throws(PaymentJournalError) {
            findings = try journal.findings(at: gateway.service, for: nil)
        } catch {
            throw PaymentError(error)
        }
        return await settle(findings.abandoned, for: nil)
    }

    /// Somebody was told how a payment ended: it is forgotten, where that was whoever sells it. Who sells something else knows,
    /// but who begins the sale anew does not: it is told once more. One of which the service could not be asked, or that it is still
    /// at, stays, and is asked about again; one that is under way stays as it is.
    ///
    /// - Parameter sale: what whoever was told was selling.
    public func acknowledge(_ payment: EarlierPayment, selling sale: SaleKey) {
        if case .inProgress = payment.end { return }
        if payment.isUnanswered || !sale.isSame(as: payment.attempt.sale) {
            // What the service is still at is in nobody's way but who sells the same.
            let isTold = !payment.isUnanswered || payment.isBeingCharged
            journal.release(payment.attempt, isTold: isTold)
        } else {
            journal.close(payment.attempt, isPaid: payment.mayHaveCharged)
        }
    }

    /// Forgets a payment, whatever the service says of it. Only for a person who has looked it up in the service's books:
    /// whoever begins the sale anew will not be warned.
    /// One that is under way stays as it is.
    public func forget(_ payment: EarlierPayment) {
        if case .inProgress = payment.end { return }
        journal.close(payment.attempt)
    }

    /// Looks whether a sale may be paid, and waits where somebody else is at it.
    ///
    /// - Returns: why not; nil where it may.
    package func obstacle(to sale: SaleKey) async -> PaymentError? {
        var awaited: Set<OpenAttempt> = []
        return await obstacle(to: sale, &awaited) { false }
    }

    /// - Parameters:
    ///   - awaited: gets the attempts that were waited for.
    ///   - shouldStop: whether whoever waits wants it no more.
    private func obstacle(
        to sale: SaleKey, _ awaited: inout Set<OpenAttempt>, _ shouldStop: () -> Bool
    ) async -> PaymentError? {
        let end = ContinuousClock.now + policy.othersTimeout
        var others: Set<OpenAttempt> = []
        while true {
            let findings: JournalFindings
            do throws(PaymentJournalError) {
                findings = try journal.findings(at: gateway.service, for: sale)
            } catch {
                return PaymentError(error)
            }
            var earlier = await settle(findings.abandoned, for: sale)
            // Who had it has told somebody by now; what, only the service can say.
            let gone = others.subtracting(findings.underWay).subtracting(findings.abandoned)
            for attempt in gone {
                let payment = await settled(attempt)
                if payment.mayHaveCharged { earlier.append(payment) }
            }
            guard earlier.isEmpty else { return .earlierPayments(earlier) }
            guard let other = findings.underWay.first else { return nil }
            guard ContinuousClock.now < end, !shouldStop(), !Task.isCancelled else {
                return .heldElsewhere(other)
            }
            if awaited.isEmpty { tell(.waiting(other)) }
            others = Set(findings.underWay)
            awaited.formUnion(others)
            try? await Task.sleep(for: Self.pause)
        }
    }

    /// Writes an attempt down, once nothing is in its way.
    ///
    /// - Parameter mark: when somebody decided to pay.
    /// - Returns: why nothing may be authorised; nil where it may.
    func write(
        _ attempt: OpenAttempt, since mark: JournalMark, shouldStop: () -> Bool
    ) async -> PaymentError? {
        let end = ContinuousClock.now + policy.othersTimeout
        var mark = mark
        var awaited: Set<OpenAttempt> = []
        while true {
            if let why = await obstacle(to: attempt.sale, &awaited, shouldStop) { return why }
            do throws(PaymentJournalError) {
                try journal.open(attempt, since: mark)
                return await whyNotNow(attempt, awaited)
            } catch .endedMeanwhile(let other, let name) {
                // It was all over before this program looked, which stood still, or waited for the service.
                mark.over.insert(name)
                let payment = await settled(other)
                if payment.mayHaveCharged { return .earlierPayments([payment]) }
            } catch {
                guard error.mayPass, ContinuousClock.now < end, !shouldStop(), !Task.isCancelled else {
                    return PaymentError(error)
                }
                try? await Task.sleep(for: Self.pause)
            }
        }
    }

    /// Asks once more, with the note written: while it stands nobody else with this journal pays the sale. Before that
    /// another one may have paid the transaction, or its own, told somebody and forgotten it.
    ///
    /// - Returns: why nothing may be authorised; the note is gone then.
    private func whyNotNow(_ attempt: OpenAttempt, _ awaited: Set<OpenAttempt>) async -> PaymentError? {
        var problem: PaymentError?
        do throws(GatewayError) {
            let transaction = try await gateway.transaction(attempt.transaction, with: key)
            problem = transaction.charge.map { .alreadyPaid($0) }
            if problem == nil, transaction.isGivenUp { problem = .givenUp }
            for other in awaited where problem == nil && other.transaction != attempt.transaction {
                let theirs = try await gateway.transaction(other.transaction, with: key)
                problem = theirs.charge.map { .earlierPayments([EarlierPayment(other, .success($0))]) }
            }
        } catch {
            problem = .gateway(error)
        }
        // Somebody may have taken the folder away: then nobody would find the note.
        if problem == nil, !journal.isOpen(attempt) { problem = .notWrittenDown("its note was taken away") }
        if problem != nil { journal.close(attempt) }
        return problem
    }

    // MARK: Asking

    /// Asks the service about attempts that nobody is at, and forgets those that moved no money.
    ///
    /// - Parameter sale: what is about to be paid; nil for nothing.
    private func settle(_ attempts: [OpenAttempt], for sale: SaleKey?) async -> [EarlierPayment] {
        var earlier: [EarlierPayment] = []
        if !attempts.isEmpty { tell(.found(attempts)) }
        for attempt in attempts {
            tell(.asking(attempt))
            let payment = await settled(attempt)
            tell(.settled(payment))
            if payment.isAnotherMerchants, sale.map({ $0.isSame(as: attempt.sale) }) != true {
                journal.release(attempt, isTold: false)
            } else if payment.mayHaveCharged {
                earlier.append(payment)
            } else {
                journal.close(attempt)
            }
        }
        return earlier
    }

    /// What became of an attempt. Where it has not ended it is given up: nobody waits for it any more.
    private func settled(_ attempt: OpenAttempt) async -> EarlierPayment {
        let transaction: Transaction
        do throws(GatewayError) {
            transaction = try await gateway.transaction(attempt.transaction, with: key)
        } catch {
            let isAnothers =
                error.code == .notFound && attempt.merchant.map { $0 != key.fingerprint } ?? false
            return EarlierPayment(attempt, .possibleSuccess(.gateway(isAnothers ? .ofAnotherKey : error)))
        }
        let payment = Payment(transaction, order: attempt.order, desk: self)
        let end = (try? await payment.resume(attempt.source)) ?? .possibleSuccess(.interrupted)
        let settled = EarlierPayment(attempt, end)
        // Another source of the transaction may have been charged: the sale is paid.
        guard !settled.mayHaveCharged, let charge = transaction.charge else { return settled }
        return EarlierPayment(attempt, .success(charge))
    }

    /// How money moved for a transaction, where the service says that it did.
    func charge(of transaction: TransactionID) async -> Charge? {
        do throws(GatewayError) { return try await gateway.transaction(transaction, with: key).charge } catch
        {
            return nil
        }
    }

    private func unpaid(
        _ transaction: Transaction, _ request: TransactionRequest?, _ description: String, _ mark: JournalMark
    ) throws(PaymentError) -> Payment {
        if let charge = transaction.charge { throw .alreadyPaid(charge) }
        if transaction.isGivenUp { throw .givenUp }
        return Payment(
            transaction, order: request?.order, description: description, desk: self, mark: mark,
            request: request)
    }
}

extension PaymentJournalError {
    /// Whether another try may help.
    var mayPass: Bool {
        switch self {
        case .sameSale, .busy, .endedMeanwhile: true
        case .unwritable, .unreadable, .forgotten: false
        }
    }
}

extension PaymentError {
    static let givenUp = PaymentError.unfit("it was given up, begin anew")

    package init(_ error: PaymentJournalError) {
        self =
            switch error {
            case .unwritable(let place): .notWrittenDown(place)
            case .busy(let folder): .notWrittenDown("\(folder) (another program writes there all the time)")
            case .forgotten(let folder):
                .notWrittenDown(
                    "\(folder) (so much was sold since it was decided to pay that it may have been this: look it up, begin anew)"
                )
            case .unreadable(let path): .journalUnreadable(path)
            case .sameSale(let attempt), .endedMeanwhile(let attempt, _): .heldElsewhere(attempt)
            }
    }
}
