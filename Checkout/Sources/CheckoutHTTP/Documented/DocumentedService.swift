public import Checkout

/// Gateways that were made from a service's public documentation. None was ever tested against the real service: the tests use
/// services of their own that were made from the same pages.
public enum DocumentedService: String, Sendable, Hashable, CaseIterable {
    /// Stripe, PaymentIntents: <https://docs.stripe.com/api>, 2026.
    case stripe
    /// Payroc, card payments: <https://docs.payroc.com>, 2026.
    case payroc

    /// What whoever uses one must know.
    public static let notice =
        "This gateway was made from public documentation, and was never tested against the real service."

    /// A gateway to the service.
    public func gateway(
        _ configuration: HTTPGatewayConfiguration, stripe: StripeOptions = StripeOptions(),
        payroc: PayrocOptions = PayrocOptions(terminal: "")
    ) throws(GatewayError) -> any PaymentGateway {
        switch self {
        case .stripe: return try StripeGateway(configuration, stripe)
        case .payroc:
            guard !payroc.terminal.isEmpty else {
                throw GatewayError(.badRequest, .notSent, "which terminal is it at Payroc?")
            }
            return try PayrocGateway(configuration, payroc)
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
        case .stripe, .payroc: return nil
        }
    }

    func check(_ amount: Money) throws(GatewayError) {
        if let problem = problem(with: amount) { throw GatewayError(.badRequest, .notSent, "\(problem).") }
    }
}
