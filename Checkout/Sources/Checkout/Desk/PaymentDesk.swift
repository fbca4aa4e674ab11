/// Where every payment passes, however it is made: a desk settles what was left behind before it lets anything be paid.
///
/// Before an authorisation leaves, its attempt is written down in the journal. Before that, the desk looks there:
///
/// - An attempt whose program is gone: the payment service is asked what became of it. Where no money moved it is given up,
///   for certain, and forgotten. Where money moved, or may have, nothing is paid until somebody was told and
///   ``acknowledge(_:selling:)`` was called.
/// - An attempt of the same sale whose program lives: its end is waited for, for as long as the policy says. Where it charged,
///   or does not end, nothing is paid.
///
/// What one sale is, ``SaleKey`` says. Give sales their order's name where there is one: without it, equal things for equal
/// amounts that are sold at the same time count as one.
///
/// Machines, clients and tills that share a journal may have desks of their own.
public final class PaymentDesk: Sendable {
    /// What happens while a desk settles, for those who wait.
    public enum News: Sendable, Hashable {
        /// Attempts whose programs are gone: the service is asked about one after the other.
        case left([OpenAttempt])
        /// The service is asked about one of them.
        case asking(OpenAttempt)
        /// What became of it.
        case settled(EarlierPayment)
        /// Another program is at the same sale: its end is waited for.
        case waiting(OpenAttempt)
    }

    let key: APIKey
    let gateway: any PaymentGateway
    let policy: PaymentPolicy
    let journal: any PaymentJournal
    let tell: @Sendable (News) -> Void

    /// How often a note is tried to be written while others write notes of the same sale.
    private static let mostTries = 16
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
    /// - Throws: why nothing may be paid, or could be asked.
    public func begin(
        _ description: String, amount: Money, order: String? = nil, tip: Money? = nil,
        capture: CaptureTime = .atOnce
    ) async throws(PaymentError) -> Payment {
        guard (1...IdempotencyKey.longestOrder).contains(order?.utf8.count ?? 1) else {
            throw .unfit("an order's name has 1 to \(IdempotencyKey.longestOrder) bytes")
        }
        let sale = SaleKey(service: gateway.service, order: order, description: description, amount: amount)
        if let why = await clear(sale) { throw why }
        let request = TransactionRequest(
            description: description, amount: amount, apiKey: key, order: order, tip: tip, capture: capture)
        var transaction: Transaction
        do throws(GatewayError) {
            transaction = try await gateway.open(request)
            // The service tells an order that was begun before what it told then.
            if order != nil { transaction = try await gateway.transaction(transaction.id, with: key) }
        } catch {
            if order != nil, error.code == .conflict {
                throw .unfit("the order was begun for another thing or amount")
            }
            throw .gateway(error)
        }
        return try unpaid(transaction, order)
    }

    /// The payment of a transaction that was opened before.
    public func payment(of id: TransactionID) async throws(PaymentError) -> Payment {
        let transaction: Transaction
        do throws(GatewayError) { transaction = try await gateway.transaction(id, with: key) } catch {
            throw .gateway(error)
        }
        return try unpaid(transaction, nil)
    }

    // MARK: What was left behind

    /// The payments that killed programs left behind, and of which money moved, or may have. The others are forgotten.
    public func earlierPayments() async throws(PaymentError) -> [EarlierPayment] {
        let findings: JournalFindings
        do throws(PaymentJournalError) { findings = try journal.look(gateway.service, for: nil) } catch {
            throw PaymentError(error)
        }
        return await settle(findings.left)
    }

    /// Somebody was told how a payment ended: it is forgotten. One of which the service could not be asked stays, and is asked
    /// about again.
    ///
    /// - Parameter sale: what whoever was told was selling; nil where that is the sale of the payment itself. Who sells
    ///   something else knows, but who begins the sale anew does not: it is told once more.
    public func acknowledge(_ payment: EarlierPayment, selling sale: SaleKey? = nil) {
        let isSame = sale.map { $0.isSame(as: payment.attempt.sale) } ?? true
        if payment.isUnanswered || !isSame {
            journal.leave(payment.attempt, isTold: !payment.isUnanswered)
        } else {
            journal.close(payment.attempt)
        }
    }

    /// Looks whether a sale may be paid, and waits where another program is at it.
    ///
    /// - Parameter shouldStop: whether whoever waits wants it no more.
    /// - Returns: why not; nil where it may.
    package func clear(_ sale: SaleKey, shouldStop: () -> Bool = { false }) async -> PaymentError? {
        let end = ContinuousClock.now + policy.othersTimeout
        var awaited: Set<OpenAttempt> = []
        while true {
            let findings: JournalFindings
            do throws(PaymentJournalError) { findings = try journal.look(gateway.service, for: sale) } catch {
                return PaymentError(error)
            }
            var earlier = await settle(findings.left)
            // Who had it has told somebody by now; what, only the service can say.
            for attempt in awaited.subtracting(findings.elsewhere).subtracting(findings.left) {
                if let payment = await charged(attempt) { earlier.append(payment) }
            }
            guard earlier.isEmpty else { return .earlierPayments(earlier) }
            guard let other = findings.elsewhere.first else { return nil }
            guard ContinuousClock.now < end, !shouldStop(), !Task.isCancelled else {
                return .heldElsewhere(other)
            }
            if awaited.isEmpty { tell(.waiting(other)) }
            awaited.formUnion(findings.elsewhere)
            try? await Task.sleep(for: Self.pause)
        }
    }

    /// Writes an attempt down, once nothing is in its way.
    ///
    /// - Returns: why nothing may be authorised; nil where it may.
    func write(_ attempt: OpenAttempt, shouldStop: () -> Bool) async -> PaymentError? {
        var latest = PaymentError.heldElsewhere(attempt)
        for _ in 0..<Self.mostTries {
            if let why = await clear(attempt.sale, shouldStop: shouldStop) { return why }
            do throws(PaymentJournalError) {
                try journal.open(attempt)
                return await whyNotNow(attempt)
            } catch {
                latest = PaymentError(error)
                guard case .sameSale = error else { return latest }
            }
        }
        return latest
    }

    /// Asks once more, with the note written: while it stands no other program with this journal pays the sale. Between the
    /// beginning and here, where a form is filled in, another one may have paid the transaction, told somebody and forgotten it.
    ///
    /// - Returns: why nothing may be authorised; the note is gone then.
    private func whyNotNow(_ attempt: OpenAttempt) async -> PaymentError? {
        let problem: PaymentError?
        do throws(GatewayError) {
            let transaction = try await gateway.transaction(attempt.transaction, with: key)
            problem = transaction.charge.map { .alreadyPaid($0) }
        } catch {
            problem = .gateway(error)
        }
        if problem != nil { journal.close(attempt) }
        return problem
    }

    // MARK: Asking

    /// Asks the service about attempts whose programs are gone, and forgets those that moved no money.
    private func settle(_ attempts: [OpenAttempt]) async -> [EarlierPayment] {
        var earlier: [EarlierPayment] = []
        if !attempts.isEmpty { tell(.left(attempts)) }
        for attempt in attempts {
            tell(.asking(attempt))
            let payment = await settled(attempt)
            tell(.settled(payment))
            if payment.mayHaveCharged { earlier.append(payment) } else { journal.close(attempt) }
        }
        return earlier
    }

    /// What became of an attempt. Where it has not ended it is given up: nobody waits for it any more.
    private func settled(_ attempt: OpenAttempt) async -> EarlierPayment {
        let transaction: Transaction
        do throws(GatewayError) {
            transaction = try await gateway.transaction(attempt.transaction, with: key)
        } catch {
            return EarlierPayment(attempt, .possibleSuccess(.gateway(error)))
        }
        let payment = Payment(transaction, order: attempt.order, desk: self)
        let end = try? await payment.resume(attempt.source)
        return EarlierPayment(attempt, end ?? .possibleSuccess(.interrupted))
    }

    /// An attempt that another program had, if money moved for it, or may have.
    private func charged(_ attempt: OpenAttempt) async -> EarlierPayment? {
        do throws(GatewayError) {
            let transaction = try await gateway.transaction(attempt.transaction, with: key)
            return transaction.charge.map { EarlierPayment(attempt, .success($0)) }
        } catch {
            return EarlierPayment(attempt, .possibleSuccess(.gateway(error)))
        }
    }

    private func unpaid(_ transaction: Transaction, _ order: String?) throws(PaymentError) -> Payment {
        if let charge = transaction.charge { throw .alreadyPaid(charge) }
        return Payment(transaction, order: order, desk: self)
    }
}

extension PaymentError {
    init(_ error: PaymentJournalError) {
        self =
            switch error {
            case .unwritable: .notWrittenDown
            case .unreadable(let path): .journalUnreadable(path)
            case .sameSale(let attempt): .heldElsewhere(attempt)
            }
    }
}
