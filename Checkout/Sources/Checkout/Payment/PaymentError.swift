/// Why a payment did not end in a success that is certain.
public enum PaymentError: Error, Sendable, Hashable {
    /// The payment service, or the way to it.
    case gateway(GatewayError)
    /// The parameters that were prepared cannot make a source.
    case unfit(String)
    /// What was typed of the card is not complete, or not right.
    case incompleteCard
    /// The customer did not agree in time; the source was given up.
    case notAuthorised
    /// Authorised, but the service never said that the money moved.
    case pollTimedOut
    /// This program was told to stop while the service was at it.
    case interrupted
    /// The attempt could not be written down, so it was not made.
    case notWrittenDown

    /// What to tell the person. Never card data.
    public var message: String {
        switch self {
        case .gateway(let error): error.message
        case .unfit(let why): "The payment could not be prepared: \(why)."
        case .incompleteCard: "The card is not complete."
        case .notAuthorised: "The payment was not approved in time."
        case .pollTimedOut: "The payment service has not confirmed the payment."
        case .interrupted: "The payment was interrupted."
        case .notWrittenDown: "The payment could not be written down, so it was not made."
        }
    }

    /// What whoever stands at the till should do, where the payment failed for certain.
    public var advice: CashierAdvice {
        switch self {
        case .gateway(let error): error.code.advice
        case .unfit, .notWrittenDown: .callSupport
        case .incompleteCard: .checkTheCard
        case .notAuthorised: .askForAnotherCard
        case .pollTimedOut, .interrupted: .tryAgain
        }
    }

    /// A word for programs.
    public var code: String {
        switch self {
        case .gateway(let error): error.code.rawValue
        case .unfit: "unfit"
        case .incompleteCard: "incomplete_card"
        case .notAuthorised: "not_authorised"
        case .pollTimedOut: "poll_timed_out"
        case .interrupted: "interrupted"
        case .notWrittenDown: "not_written_down"
        }
    }
}
