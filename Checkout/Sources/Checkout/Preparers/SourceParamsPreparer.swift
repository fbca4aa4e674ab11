/// Says how a payment is to be made: a screen, a terminal, a program without either.
///
/// **Exactly one answer** to each request is enforced by what it is: a function that returns once. A preparer that
/// waits for a person in callbacks uses ``withParamsAnswer(_:)``, whose answer can be given once, and counts as "no
/// longer wanted" when it is dropped; so no payment is left hanging.
public protocol SourceParamsPreparer: PaymentDelegate {
    /// The latest error of the attempt that is under way, or of the last one. The payment sets it, and clears it when an
    /// attempt begins.
    var latestError: PaymentError? { get set }

    /// The payment whose attempt is under way, which keeps it alive; nil before and after. The payment sets it.
    var payment: Payment? { get set }

    /// Decorates the raw parameters with method, flow, metadata and card.
    ///
    /// - Parameters:
    ///   - raw: amount and description, which must stay as they are.
    ///   - methods: how the payment may be made; take one of these.
    /// - Returns: the parameters to make a source from; nil when the payment is no longer wanted.
    func prepare(_ raw: SourceParams, methods: [PaymentMethod]) async -> SourceParams?

    /// Shows the customer where to agree. The payment meanwhile asks the service whether that happened.
    func showRedirect(to address: String)
}

extension SourceParamsPreparer {
    /// Kept by the attempt itself where a preparer has no place for it.
    public var payment: Payment? {
        get { nil }
        set {}
    }

    /// Does nothing: for methods that are authorised in place.
    public func showRedirect(to address: String) {}
}

/// Is told of a payment's steps. All methods are optional; they are called where the payment was called.
public protocol PaymentDelegate: AnyObject {
    /// The source was made, or not.
    func payment(_ payment: Payment, didCreate source: Result<PaymentSource, GatewayError>)
    /// The authorisation was answered, or not.
    func payment(_ payment: Payment, didFinishAuthorisation source: Result<PaymentSource, GatewayError>)
    /// The service was asked how the source is.
    ///
    /// - Parameter state: what that means for the payment. After ``PollingState/timedOut`` it is not asked again.
    func payment(
        _ payment: Payment, didPoll source: Result<PaymentSource, GatewayError>, state: PollingState)
    /// The attempt ended. After a failure another one may begin.
    func payment(_ payment: Payment, didEnd state: PaymentState)
}

extension PaymentDelegate {
    /// Does nothing.
    public func payment(_ payment: Payment, didCreate source: Result<PaymentSource, GatewayError>) {}
    /// Does nothing.
    public func payment(
        _ payment: Payment, didFinishAuthorisation source: Result<PaymentSource, GatewayError>
    ) {}
    /// Does nothing.
    public func payment(
        _ payment: Payment, didPoll source: Result<PaymentSource, GatewayError>, state: PollingState
    ) {}
    /// Does nothing.
    public func payment(_ payment: Payment, didEnd state: PaymentState) {}
}
