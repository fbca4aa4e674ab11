/// Pays orders with cards.
///
/// It remembers the orders that it was asked to pay, so that a second capture of one that was paid, or may have been, is
/// refused here. Share one client in a program.
///
/// **Programs that are killed** find their payments again in the journal, ``FileJournal`` for one. An attempt is written down before money
/// can move, and a client that finds what a killed one left behind pays nothing before it has asked the service about it
/// and, where money moved or may have, before somebody was told: ``earlierPayments()`` says of what, every capture is
/// refused with ``CaptureError/earlierPayments(_:)``, and ``acknowledge(_:selling:)`` ends that. What this client pays itself
/// is to be acknowledged as well, once a person knows: only the program can tell when that is. Until then the same sale is not
/// paid again, so give orders their references where equal things are sold.
public actor CardClient {
    /// What every payment has in common.
    public nonisolated let config: CoreConfig
    /// Where every payment passes; charges are captured, refunded and voided there.
    public nonisolated let desk: PaymentDesk
    /// What this client has paid, or perhaps, and nobody has acknowledged.
    private var records: [TransactionID: EarlierPayment] = [:]
    /// The orders that may be paid, or are being paid, and their names, oldest first.
    private var orders: [TransactionID: Payment] = [:]
    private var names: [TransactionID] = []
    /// The orders that must not be paid again, each with the answer to whoever tries, and their names, oldest first.
    private var over: [TransactionID: CaptureError] = [:]
    private var overNames: [TransactionID] = []

    /// How many orders are remembered that may be paid. Any of them can be found again at the service.
    static let mostOrders = 1_024
    /// How many are remembered that must not be.
    static let mostOver = 65_536
    /// How many of the client's payments may wait to be acknowledged.
    static let mostRecords = 1_024

    /// A client.
    ///
    /// - Parameters:
    ///   - config: what every payment has in common.
    ///   - gateway: the payment service.
    ///   - policy: how long to wait for it.
    ///   - journal: where attempts are written down.
    public init(
        config: CoreConfig, gateway: any PaymentGateway, policy: PaymentPolicy = PaymentPolicy(),
        journal: any PaymentJournal
    ) {
        self.config = config
        desk = PaymentDesk(.publicKey(config.clientID), gateway: gateway, journal: journal, policy: policy)
    }

    // MARK: What is written down

    /// Asks the payment service about the payments that killed programs left behind.
    ///
    /// - Returns: those of which money moved, or may have, and that nobody has acknowledged. The others are forgotten.
    /// - Throws: ``CaptureError/journalUnreadable(_:)``.
    public func earlierPayments() async throws(CaptureError) -> [EarlierPayment] {
        do throws(PaymentError) {
            let payments = try await desk.earlierPayments()
            close(payments)
            return payments
        } catch {
            throw CaptureError(error)
        }
    }

    /// A person, or the merchant's own books, know how this order ended, which this client has paid, or perhaps: the journal
    /// forgets it. One of which the service could not be asked stays, and is asked about again.
    public func acknowledge(_ orderID: TransactionID) {
        guard let record = records.removeValue(forKey: orderID) else { return }
        desk.acknowledge(record, selling: record.attempt.sale)
    }

    /// Somebody was told how a payment ended that a killed program left behind. See ``PaymentDesk/acknowledge(_:selling:)``.
    ///
    /// - Parameter request: what whoever was told was selling. Who begins the payment's own sale anew is told once more.
    public func acknowledge(_ payment: EarlierPayment, selling request: OrderRequest) {
        guard let amount = amount(of: request) else { return }
        desk.acknowledge(
            payment,
            selling: SaleKey(
                service: payment.attempt.service, order: request.reference, description: request.description,
                amount: amount))
    }

    /// Forgets a payment that a killed program left behind, whatever the service says. See ``PaymentDesk/forget(_:)``.
    public func forget(_ payment: EarlierPayment) { desk.forget(payment) }

    /// Takes the service's answers. The order of a payment that was charged, or may have been, is over for good.
    private func close(_ payments: [EarlierPayment]) {
        for payment in payments {
            let id = payment.attempt.transaction
            switch payment.end {
            case .success: close(id, .alreadyCaptured(id))
            case .possibleSuccess(let error):
                if !payment.isUnanswered || payment.isBeingCharged {
                    close(id, .possibleSuccess(orderID: id, error))
                }
            case .idle, .inProgress, .failure, .cancelled: break
            }
        }
    }

    /// Takes why a payment did not begin, or failed.
    private func refusal(_ error: PaymentError) -> CaptureError {
        if case .earlierPayments(let payments) = error { close(payments) }
        return CaptureError(error)
    }

    private func refuseTooMany() throws(CaptureError) {
        guard records.count < Self.mostRecords else {
            throw .failed(.unfit("too many payments wait to be acknowledged"))
        }
    }

    // MARK: Paying

    /// Makes an order without paying it.
    public func createOrder(_ request: OrderRequest) async throws(CaptureError) -> TransactionID {
        try await open(request).transaction.id
    }

    /// Makes an order and pays it.
    public func capture(order request: OrderRequest, card: CardDetails) async throws(CaptureError)
        -> CaptureResponse
    {
        try refuseTooMany()
        return try await pay(try await open(request), card)
    }

    /// Pays an order that was made before, here or elsewhere. One that the service says is paid is not paid again; two
    /// programs that pay one order at the same moment are for the service to tell apart.
    public func capture(orderID: TransactionID, card: CardDetails) async throws(CaptureError)
        -> CaptureResponse
    {
        if let refusal = over[orderID] { throw refusal }
        try refuseTooMany()
        // Before anything is asked of the service for this order.
        let earlier = try await earlierPayments()
        guard earlier.isEmpty else { throw .earlierPayments(earlier) }
        if let refusal = over[orderID] { throw refusal }
        if let payment = orders[orderID] {
            payment.isWantedNow()
            return try await pay(payment, card)
        }
        return try await pay(try await find(orderID), card)
    }

    /// Makes an order and pays it; the handler gets the result once.
    public nonisolated func capture(
        order: OrderRequest, card: CardDetails,
        completion: @escaping @Sendable (Result<CaptureResponse, CaptureError>) -> Void
    ) {
        Task {
            completion(
                await Self.result { () throws(CaptureError) in
                    try await self.capture(order: order, card: card)
                })
        }
    }

    /// Pays an order that was made before; the handler gets the result once.
    public nonisolated func capture(
        orderID: TransactionID, card: CardDetails,
        completion: @escaping @Sendable (Result<CaptureResponse, CaptureError>) -> Void
    ) {
        Task {
            completion(
                await Self.result { () throws(CaptureError) in
                    try await self.capture(orderID: orderID, card: card)
                })
        }
    }

    private static func result(
        _ body: () async throws(CaptureError) -> CaptureResponse
    ) async -> Result<CaptureResponse, CaptureError> {
        do throws(CaptureError) { return .success(try await body()) } catch { return .failure(error) }
    }

    private func open(_ request: OrderRequest) async throws(CaptureError) -> Payment {
        guard let amount = amount(of: request) else {
            throw .failed(.unfit("the amount is not between 1 and \(Money.most)"))
        }
        let opened: Payment
        do throws(PaymentError) {
            opened = try await desk.begin(
                request.description, amount: amount, order: request.reference,
                tip: request.tipInCents.flatMap { Money(minorUnits: $0, currency: config.currency) },
                capture: request.capture)
        } catch {
            throw refusal(error)
        }
        return try remember(opened)
    }

    private func amount(of request: OrderRequest) -> Money? {
        request.amountInCents > 0 ? Money(minorUnits: request.amountInCents, currency: config.currency) : nil
    }

    private func find(_ id: TransactionID) async throws(CaptureError) -> Payment {
        let found: Payment
        do throws(PaymentError) { found = try await desk.payment(of: id) } catch {
            guard case .alreadyPaid = error else { throw refusal(error) }
            close(id, .alreadyCaptured(id))
            throw .alreadyCaptured(id)
        }
        return try remember(found)
    }

    /// The payment of a transaction; the same for the same one, also where two calls asked for it at once.
    private func remember(_ payment: Payment) throws(CaptureError) -> Payment {
        let id = payment.transaction.id
        // Somebody else may have paid it while this call waited.
        if let refusal = over[id] { throw refusal }
        if let known = orders[id] { return known }
        if names.count >= Self.mostOrders { try forgetOne() }
        orders[id] = payment
        names.append(id)
        return payment
    }

    /// Forgets the oldest order that nobody is paying.
    private func forgetOne() throws(CaptureError) {
        let idle = names.firstIndex { if case .idle = orders[$0]?.state { true } else { false } }
        guard let idle else { throw .failed(.unfit("too many payments are under way")) }
        orders[names.remove(at: idle)] = nil
    }

    /// An order that is not to be paid any more; with a refusal for whoever tries.
    func close(_ id: TransactionID, _ refusal: CaptureError?) {
        orders[id] = nil
        names.removeAll { $0 == id }
        guard let refusal, over.updateValue(refusal, forKey: id) == nil else { return }
        overNames.append(id)
        guard overNames.count > Self.mostOver else { return }
        for old in overNames.prefix(Self.mostOver / 4) { over[old] = nil }
        overNames.removeFirst(Self.mostOver / 4)
    }

    private func pay(_ payment: Payment, _ card: CardDetails) async throws(CaptureError) -> CaptureResponse {
        let id = payment.transaction.id
        let end: PaymentState
        do throws(PaymentIsNotIdle) {
            end = try await payment.pay(preparedBy: HeadlessPreparer(card: card))
        } catch {
            if case .inProgress = error.state { throw .underWay(id) }
            throw .alreadyCaptured(id)
        }
        records[id] = payment.record
        switch end {
        case .success(let charge):
            close(id, .alreadyCaptured(id))
            return CaptureResponse(
                orderID: id, charge: charge, displayAmount: config.locale.text(charge.amount))
        case .possibleSuccess(let error):
            close(id, .possibleSuccess(orderID: id, error))
            throw .possibleSuccess(orderID: id, error)
        case .failure(.alreadyPaid):
            close(id, .alreadyCaptured(id))
            throw .alreadyCaptured(id)
        case .failure(let error): throw refusal(error)
        case .cancelled, .idle, .inProgress:
            close(id, nil)
            throw .cancelled
        }
    }
}
