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
    /// What is paid; another one for the same where the payment service gave the first one up and it is tried again.
    public private(set) var transaction: Transaction
    /// How it was opened; nil where that was elsewhere.
    private let request: TransactionRequest?
    /// Whether a source of it was given up: with some services the transaction is, too.
    var wasGivenUp = false
    /// The merchant's own name for the sale; nil where there is none.
    public let order: String?
    /// What the merchant said is sold; the service may have other words.
    private let description: String
    let desk: PaymentDesk
    var gateway: any PaymentGateway { desk.gateway }
    var policy: PaymentPolicy { desk.policy }
    /// The latest attempt whose authorisation may have left, while the journal has it.
    private var openAttempt: OpenAttempt?
    /// Whether a source could not be let go that holds its amount.
    private var isStillHeld = false
    private var machine = PaymentState.machine()
    private(set) var isCancelRequested = false
    /// When somebody decided to pay; nil until the attempt begins.
    private var mark: JournalMark?
    /// Anything of the caller's own, which every call of a ``PaymentDelegate`` finds here; nothing reads it. No card data.
    public var userInfo: [String: any Sendable] = [:]

    /// A payment of a transaction; ``PaymentDesk`` makes them. One for each transaction only: this is what keeps count of its
    /// attempts.
    package init(
        _ transaction: Transaction, order: String? = nil, description: String? = nil, desk: PaymentDesk,
        mark: JournalMark? = nil, request: TransactionRequest? = nil
    ) {
        self.mark = mark
        self.request = request
        self.transaction = transaction
        self.order = order
        self.description = description ?? transaction.description
        self.desk = desk
    }

    /// What is written down of this payment: the latest attempt whose authorisation may have left, and how it stands. Nil where
    /// there is none. Once somebody was told, it goes to ``PaymentDesk/acknowledge(_:selling:)``.
    public var record: EarlierPayment? { openAttempt.map { EarlierPayment($0, state) } }

    /// Where the payment is.
    public var state: PaymentState { machine.state }

    /// Adds an observer of every change of ``state``.
    public func onChange(_ observer: @escaping StateMachine<PaymentState>.Observer) {
        machine.onChange(observer)
    }

    /// Somebody decides to pay now, who did not when the payment was begun: a form stood open. What was sold meanwhile was
    /// another customer's, and is not waited for. Where nobody calls this, the decision was made when it was begun: equal sales
    /// that were paid and closed since then are named, and nothing is paid.
    public func isWantedNow() {
        if case .idle = state { mark = nil }
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
        if mark == nil { mark = desk.journal.mark() }
        // Who tries again decides again.
        defer { mark = nil }
        preparer.latestError = nil
        preparer.payment = self
        defer { preparer.payment = nil }
        return finish(await attempt(preparer, after: before), preparer)
    }

    /// Takes the end of an attempt: what moved no money need not be remembered.
    func finish(_ end: PaymentState, _ preparer: any SourceParamsPreparer) -> PaymentState {
        switch end {
        // What a source still holds stays written down, and is no end of this one: whoever comes next gives it up.
        case .failure where isStillHeld, .cancelled where isStillHeld:
            if let attempt = openAttempt { desk.journal.end(attempt) }
            (openAttempt, isStillHeld) = (nil, false)
        case .failure, .cancelled: closeAttempt()
        case .success, .possibleSuccess: if let attempt = openAttempt { desk.journal.end(attempt) }
        case .idle, .inProgress: break
        }
        machine.change(to: end)
        preparer.payment(self, didEnd: end)
        if case .failure(let error) = end { machine.change(to: .idle(latestError: error)) }
        return end
    }

    private func closeAttempt() {
        if let attempt = openAttempt { desk.journal.close(attempt) }
        openAttempt = nil
    }

    /// Asks the attempt that is under way to stop. It stops at once where no money can have moved; where the customer
    /// has not agreed yet, the source is given up; where the service is at it already, the attempt goes on.
    public func cancel() { requestCancel() }

    /// Whether the attempt should stop: somebody asked, or its task was cancelled.
    var shouldStop: Bool { isCancelRequested || Task.isCancelled }

    /// For a program that waits no longer and ends now: what is certain at this moment. The attempt's note stays, so that the
    /// next program asks what became of it.
    ///
    /// - Returns: cancelled where no authorisation has left, and none will; possible success where it may have.
    public func abandon() -> PaymentState {
        requestCancel()
        switch machine.state {
        case .inProgress(.preparing), .inProgress(.creating): return .cancelled(latestError: nil)
        case .inProgress(.authorising), .inProgress(.polling): return .possibleSuccess(.interrupted)
        case .idle, .success, .possibleSuccess, .failure, .cancelled: return machine.state
        }
    }

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
        if let problem = await reopen() { return failed(problem, preparer) }
        let (gateway, transaction) = (gateway, transaction)
        let created = await shielded { () throws(GatewayError) in
            try await gateway.createSource(params, in: transaction, key: IdempotencyKey())
        }
        preparer.payment(self, didCreate: created)
        switch created {
        // A source that was made without our knowing is never authorised: no money moves.
        case .failure(let error): return failed(.gateway(error), preparer)
        case .success(let source) where source.status == .processing:
            return await findOut(source.id, preparer)
        case .success(let source):
            guard !shouldStop else {
                await release(note(AuthorisationPermit(source.id, key: IdempotencyKey())))
                return .cancelled(latestError: before)
            }
            return await writeDownAndAuthorise(source, preparer, after: before)
        }
    }

    /// Nothing has left yet, and what an earlier attempt sent cannot charge any more.
    private func reopen() async -> PaymentError? {
        guard wasGivenUp else { return nil }
        do throws(PaymentError) { transaction = try await desk.reopened(transaction, request) } catch {
            return error
        }
        if transaction.isGivenUp { return .givenUp }
        wasGivenUp = false
        return nil
    }

    /// What was made may hold the amount, and the service does not say: it is asked about, and named, also where nobody can write it
    /// down. Nothing is authorised.
    private func findOut(_ source: SourceID, _ preparer: any SourceParamsPreparer) async -> PaymentState {
        let attempt = note(AuthorisationPermit(source, key: IdempotencyKey()))
        try? desk.journal.open(attempt)
        openAttempt = attempt
        enter(.authorising)
        enter(.polling)
        let doubt = GatewayError(.badAnswer, .unknown)
        return await follow(source, Following(known: nil, doubt: doubt), preparer)
    }

    /// From the note on, the attempt is found again if the program is killed.
    private func writeDownAndAuthorise(
        _ source: PaymentSource, _ preparer: any SourceParamsPreparer, after before: PaymentError?
    ) async -> PaymentState {
        let permit = AuthorisationPermit(source.id, key: IdempotencyKey())
        let attempt = note(permit)
        let problem = await desk.write(attempt, since: mark ?? desk.journal.mark()) { shouldStop }
        if problem == nil { openAttempt = attempt }
        guard problem == nil, !shouldStop else {
            await release(attempt)
            guard let problem, !shouldStop else { return .cancelled(latestError: before) }
            return failed(problem, preparer)
        }
        return await authorise(permit, preparer)
    }

    /// What is written down of an authorisation.
    func note(_ permit: AuthorisationPermit) -> OpenAttempt {
        OpenAttempt(
            service: gateway.service, order: order, transaction: transaction.id, source: permit.source,
            key: permit.key, merchant: desk.key.fingerprint, amount: transaction.amount,
            description: description, time: OpenAttempt.now)
    }

    /// Lets go of what a source holds that is not authorised, and never will be. Where that is not certain, its note stays, or is
    /// written: for nothing else than that it is given up later.
    func release(_ attempt: OpenAttempt) async {
        guard gateway.holdsWithSource else { return }
        let (gateway, transaction, source) = (gateway, transaction, attempt.source)
        let answer = await shielded { () throws(GatewayError) in
            try await gateway.cancel(source, in: transaction)
        }
        switch answer {
        case .success(let source) where source.status.isOverUncharged: return
        case .success, .failure: isStillHeld = true
        }
        // Who is at the same sale, or cannot write, leaves the hold to fall off by itself.
        if openAttempt == nil, (try? desk.journal.open(attempt)) != nil { openAttempt = attempt }
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
