public import Checkout

/// Gateways that were made from a service's public documentation. None was ever tested against the real service: the tests use
/// services of their own that were made from the same pages.
public enum DocumentedService: String, Sendable, Hashable, CaseIterable {
    /// Stripe, PaymentIntents: <https://docs.stripe.com/api>, 2026.
    case stripe

    /// What whoever uses one must know.
    public static let notice =
        "This gateway was made from public documentation, and was never tested against the real service."

    /// A gateway to the service.
    public func gateway(
        _ configuration: HTTPGatewayConfiguration, stripe: StripeOptions = StripeOptions()
    ) throws(GatewayError) -> any PaymentGateway {
        switch self {
        case .stripe: try StripeGateway(configuration, stripe)
        }
    }

    /// Which amounts can be said to it: those that nobody can take for another amount.
    func problem(with amount: Money) -> String? {
        let code = amount.currency.code
        switch self {
        // docs.stripe.com/currencies: these have other minor units there than in ISO 4217; thousandths end in 0.
        case .stripe where ["ISK", "MGA", "UGX"].contains(code):
            return "\(code) is not taken: its minor unit is not ISO 4217's"
        case .stripe where amount.currency.minorDigits == 3 && !amount.minorUnits.isMultiple(of: 10):
            return "amounts of \(code) end in 0"
        case .stripe: return nil
        }
    }

    func check(_ amount: Money) throws(GatewayError) {
        if let problem = problem(with: amount) { throw GatewayError(.badRequest, .notSent, "\(problem).") }
    }
}
