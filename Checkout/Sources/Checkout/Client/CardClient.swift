/// Pays orders with cards.
///
/// It keeps a ``Payment`` for each order that it was asked to pay, so that a second capture of one that was paid, or may
/// have been, is refused here. Share one client in a program.
public actor CardClient {
    /// What every payment has in common.
    public nonisolated let config: CoreConfig
    private let gateway: any PaymentGateway
    private let policy: PaymentPolicy
    private var orders: [TransactionID: Payment] = [:]
    private var order: [TransactionID] = []

    /// How many orders are remembered.
    static let mostOrders = 1_024

    /// A client.
    public init(config: CoreConfig, gateway: any PaymentGateway, policy: PaymentPolicy = PaymentPolicy()) {
        self.config = config
        self.gateway = gateway
        self.policy = policy
    }

    private var key: APIKey { .publicKey(config.clientID) }

    /// Makes an order without paying it.
    public func createOrder(_ request: OrderRequest) async throws(CaptureError) -> TransactionID {
        try await open(request).transaction.id
    }

    /// Makes an order and pays it.
    public func capture(order request: OrderRequest, card: CardDetails) async throws(CaptureError)
        -> CaptureResponse
    {
        try await pay(try await open(request), card)
    }

    /// Pays an order that was made before, here or elsewhere.
    public func capture(orderID: TransactionID, card: CardDetails) async throws(CaptureError)
        -> CaptureResponse
    {
        if let payment = orders[orderID] { return try await pay(payment, card) }
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
        guard request.amountInCents > 0,
            let amount = Money(minorUnits: request.amountInCents, currency: config.currency)
        else { throw .failed(.unfit("the amount is not between 1 and \(Money.most)")) }
        let transaction = TransactionRequest(description: request.description, amount: amount, apiKey: key)
        do throws(GatewayError) {
            return remember(try await gateway.openTransaction(transaction, key: IdempotencyKey()))
        } catch {
            throw .failed(.gateway(error))
        }
    }

    private func find(_ id: TransactionID) async throws(CaptureError) -> Payment {
        do throws(GatewayError) {
            return remember(try await gateway.transaction(id, with: key))
        } catch {
            throw .failed(.gateway(error))
        }
    }

    /// The payment of a transaction; the same for the same one, also where two calls asked for it at once.
    private func remember(_ transaction: Transaction) -> Payment {
        if let payment = orders[transaction.id] { return payment }
        let payment = Payment(transaction, gateway: gateway, policy: policy)
        orders[transaction.id] = payment
        order.append(transaction.id)
        if order.count > Self.mostOrders { orders[order.removeFirst()] = nil }
        return payment
    }

    private func pay(_ payment: Payment, _ card: CardDetails) async throws(CaptureError) -> CaptureResponse {
        let id = payment.transaction.id
        let end: PaymentState
        do throws(PaymentIsNotIdle) {
            end = try await payment.pay(preparedBy: HeadlessPreparer(card: card))
        } catch {
            if case .possibleSuccess(let error) = error.state { throw .possibleSuccess(orderID: id, error) }
            throw .alreadyCaptured(id)
        }
        switch end {
        case .success(let charge):
            return CaptureResponse(
                orderID: id, charge: charge, displayAmount: config.locale.text(charge.amount))
        case .possibleSuccess(let error): throw .possibleSuccess(orderID: id, error)
        case .failure(let error): throw .failed(error)
        case .cancelled, .idle, .inProgress: throw .cancelled
        }
    }
}
