public import StateMachine

/// One payment: prepared by anybody, made into a source, authorised, and followed until the service says how it ended.
///
/// **Never two charges.** An attempt that may have moved money ends in ``PaymentState/success(_:)`` or in
/// ``PaymentState/possibleSuccess(_:)``, after which nothing can be started. It ends in
/// ``PaymentState/failure(_:)``, after which another attempt is allowed, only when its source can never be charged any
/// more: the service said so, or the authorisation never left, or the source was given up and the service confirmed it.
///
/// A payment belongs to whoever made it: it is not `Sendable`, and its methods run where they are called.
/// While an attempt waits, the owner may call ``cancel()``.
public final class Payment {
    /// What is paid.
    public let transaction: Transaction
    let gateway: any PaymentGateway
    let policy: PaymentPolicy
    let journal: (any PaymentJournal)?
    /// The latest attempt whose authorisation may have left, while the journal has it.
    public internal(set) var openAttempt: OpenAttempt?
    private var machine = PaymentState.machine()
    private(set) var isCancelRequested = false

    /// A payment of a transaction. Make one for each transaction only: this is what keeps count of its attempts.
    ///
    /// - Parameters:
    ///   - transaction: what is paid.
    ///   - gateway: the payment service.
    ///   - policy: how long to wait for it.
    ///   - journal: where attempts are written down, so that a program that was killed finds them at its next start.
    public init(
        _ transaction: Transaction, gateway: any PaymentGateway, policy: PaymentPolicy = PaymentPolicy(),
        journal: (any PaymentJournal)? = nil
    ) {
        self.transaction = transaction
        self.gateway = gateway
        self.policy = policy
        self.journal = journal
    }

    /// Where the payment is.
    public var state: PaymentState { machine.state }

    /// Adds an observer of every change of ``state``.
    public func onChange(_ observer: @escaping StateMachine<PaymentState>.Observer) {
        machine.onChange(observer)
    }

    /// Makes one attempt.
    ///
    /// - Parameter preparer: says how to pay, and is told of every step.
    /// - Returns: how the attempt ended: success, possible success, cancelled, or failure. After a failure ``state`` is
    ///   idle again, with the error.
    /// - Throws: ``PaymentIsNotIdle`` when an attempt is under way, or the payment is over; then nothing was done.
    @discardableResult
    public func pay(preparedBy preparer: any SourceParamsPreparer) async throws(PaymentIsNotIdle)
        -> PaymentState
    {
        guard case .idle(let before) = machine.state, machine.change(to: .inProgress(.preparing)) else {
            throw PaymentIsNotIdle(state: machine.state)
        }
        isCancelRequested = false
        preparer.latestError = nil
        return finish(await attempt(preparer, after: before), preparer)
    }

    /// Takes the end of an attempt: what moved no money need not be remembered.
    func finish(_ end: PaymentState, _ preparer: any SourceParamsPreparer) -> PaymentState {
        switch end {
        case .failure, .cancelled: closeAttempt()
        case .idle, .inProgress, .success, .possibleSuccess: break
        }
        machine.change(to: end)
        preparer.payment(self, didEnd: end)
        if case .failure(let error) = end { machine.change(to: .idle(latestError: error)) }
        return end
    }

    private func closeAttempt() {
        if let attempt = openAttempt { journal?.close(attempt) }
        openAttempt = nil
    }

    /// Asks the attempt that is under way to stop. It stops at once where no money can have moved; where the customer
    /// has not agreed yet, the source is given up; where the service is at it already, the attempt goes on.
    public func cancel() { requestCancel() }

    /// Whether the attempt should stop: somebody asked, or its task was cancelled.
    var shouldStop: Bool { isCancelRequested || Task.isCancelled }

    @discardableResult
    func enter(_ stage: PaymentState.Stage) -> Bool { machine.change(to: .inProgress(stage)) }

    /// Asks the attempt that is under way to stop where that is certain.
    func requestCancel() { isCancelRequested = true }

    private func attempt(_ preparer: any SourceParamsPreparer, after before: PaymentError?) async
        -> PaymentState
    {
        let raw = SourceParams(amount: transaction.amount, description: transaction.description)
        guard let params = await preparer.prepare(raw, methods: transaction.methods), !shouldStop else {
            return .cancelled(latestError: before)
        }
        if let problem = problem(of: params) { return failed(problem, preparer) }
        enter(.creating)
        let (gateway, transaction) = (gateway, transaction)
        let created = await shielded { () throws(GatewayError) in
            try await gateway.createSource(params, in: transaction, key: IdempotencyKey())
        }
        preparer.payment(self, didCreate: created)
        switch created {
        // A source that was made without our knowing is never authorised: no money moves.
        case .failure(let error): return failed(.gateway(error), preparer)
        case .success(let source):
            guard !shouldStop else { return .cancelled(latestError: before) }
            guard writeDown(source) else { return failed(.notWrittenDown, preparer) }
            return await authorise(source, preparer)
        }
    }

    /// Whether the attempt would be found again if the program was killed from now on.
    private func writeDown(_ source: PaymentSource) -> Bool {
        guard let journal else { return true }
        let attempt = OpenAttempt(
            transaction: transaction.id, source: source.id, amount: transaction.amount,
            description: transaction.description)
        do throws(PaymentJournalError) { try journal.open(attempt) } catch { return false }
        openAttempt = attempt
        return true
    }

    private func problem(of params: SourceParams) -> PaymentError? {
        guard params.amount == transaction.amount, params.description == transaction.description else {
            return .unfit("amount and description are those of the transaction")
        }
        return params.problem(offering: transaction.methods)
    }

    func failed(_ error: PaymentError, _ preparer: any SourceParamsPreparer) -> PaymentState {
        preparer.latestError = error
        return .failure(error)
    }
}

/// An attempt was to begin while another one was under way, or after the payment was over.
public struct PaymentIsNotIdle: Error, Sendable, Hashable {
    /// Where the payment is.
    public let state: PaymentState
}

/// Runs a request to its end, also where the task that waits for it is cancelled meanwhile: a request that was broken
/// off is one of which nobody knows whether it was done.
func shielded<Value: Sendable>(
    _ request: sending @escaping () async throws(GatewayError) -> Value
) async -> Result<Value, GatewayError> {
    await Task { () async -> Result<Value, GatewayError> in
        do throws(GatewayError) { return .success(try await request()) } catch { return .failure(error) }
    }.value
}
