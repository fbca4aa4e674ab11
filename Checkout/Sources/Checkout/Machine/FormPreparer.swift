/// Prepares what the form holds, and lets another preparer add to it.
final class FormPreparer: SourceParamsPreparer {
    var latestError: PaymentError? {
        didSet { next?.latestError = latestError }
    }

    var payment: Payment? {
        didSet { next?.payment = payment }
    }

    private let method: PaymentMethod?
    private let card: CardDetails?
    private let next: (any SourceParamsPreparer)?
    private let tell: (PaymentEvent) -> Void

    init(
        method: PaymentMethod?, card: CardDetails?, next: (any SourceParamsPreparer)?,
        tell: @escaping (PaymentEvent) -> Void
    ) {
        self.method = method
        self.card = card
        self.next = next
        self.tell = tell
    }

    func prepare(_ raw: SourceParams, methods: [PaymentMethod]) async -> SourceParams? {
        tell(.paymentProgressed(.preparing))
        var params = raw
        params.method = method
        params.flow = method?.flow
        params.card = card
        if let next {
            guard let decorated = await next.prepare(params, methods: methods) else { return nil }
            params = decorated
        }
        tell(.paymentProgressed(.creating))
        return params
    }

    func showRedirect(to address: String) {
        tell(.paymentNeedsApproval(address: address))
        next?.showRedirect(to: address)
    }

    func payment(_ payment: Payment, didCreate source: Result<PaymentSource, GatewayError>) {
        if case .success = source { tell(.paymentProgressed(.authorising)) }
        next?.payment(payment, didCreate: source)
    }

    func payment(_ payment: Payment, didFinishAuthorisation source: Result<PaymentSource, GatewayError>) {
        tell(.paymentProgressed(.polling))
        next?.payment(payment, didFinishAuthorisation: source)
    }

    func payment(
        _ payment: Payment, didPoll source: Result<PaymentSource, GatewayError>, state: PollingState
    ) {
        next?.payment(payment, didPoll: source, state: state)
    }

    func payment(_ payment: Payment, didEnd state: PaymentState) { next?.payment(payment, didEnd: state) }
}
