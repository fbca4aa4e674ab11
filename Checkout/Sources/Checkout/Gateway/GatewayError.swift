/// What went wrong between here and the payment service.
public struct GatewayError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// Nobody answers at the address. The service's certificate is not trusted.
        case unreachable, untrusted
        /// Card data would go over the network in clear.
        case insecure
        /// The answer did not come in time. The connection broke.
        case timedOut = "timed_out"
        case connectionLost = "connection_lost"
        /// The service failed. Its answer makes no sense. It is asked too often.
        case serverFailed = "server_failed"
        case badAnswer = "bad_answer"
        case tooManyRequests = "too_many_requests"
        /// The key is wrong. The request is. It names something that is not there.
        case badKey = "bad_key"
        case badRequest = "bad_request"
        case notFound = "not_found"
        /// An idempotency key was used for something else, or the source cannot be used any more.
        case conflict
        /// More than is left of a charge.
        case amountTooLarge = "amount_too_large"
        /// The card's bank said no: without a reason, for want of money, for age, for the code, for the number.
        case declined
        case insufficientFunds = "insufficient_funds"
        case expiredCard = "expired_card"
        case wrongCode = "wrong_cvv"
        case invalidNumber = "invalid_number"
        /// The customer said no, or did not say anything in time.
        case refusedByCustomer = "refused_by_customer"
        /// The card's bank wants the customer to agree to it elsewhere (3-D Secure), which was not possible here.
        case authenticationRequired = "authentication_required"
        /// This program stopped waiting.
        case interrupted
    }

    /// Whether the request may have been done.
    public enum Certainty: Sendable, Hashable {
        /// The service answered: it was not done.
        case refused
        /// It never left, or never arrived: it was not done.
        case notSent
        /// Nobody knows: it may have been done, or may still be.
        case unknown
    }

    /// What kind of failure it is.
    public let code: Code
    /// Whether the request may have been done.
    public let certainty: Certainty
    /// What happened, for people. Never card data.
    public let message: String

    /// A failure; without a message of its own it says what the code means.
    public init(_ code: Code, _ certainty: Certainty, _ message: String? = nil) {
        self.code = code
        self.certainty = certainty
        self.message = message ?? code.meaning
    }

    /// The message.
    public var description: String { message }

    /// What a service says to one merchant's key of a payment that was made with another one: nothing of the payment.
    static let ofAnotherKey = GatewayError(
        .notFound, .unknown,
        "The payment was made with another key, for which alone the payment service shows it.")

    /// A change was asked for longer ago than the service keeps keys, and its books do not surely list it.
    static let keyMayBeForgotten = GatewayError(
        .timedOut, .unknown, "It was asked for longer ago than the payment service keeps keys.")
}

extension GatewayError.Code {
    /// What happened, for people.
    public var meaning: String {
        switch self {
        case .unreachable: "The payment service cannot be reached."
        case .untrusted: "The payment service's certificate is not trusted."
        case .insecure: "The payment service's address is not secure: card data would travel in clear."
        case .timedOut: "The payment service did not answer in time."
        case .connectionLost: "The connection to the payment service broke."
        case .serverFailed: "The payment service failed."
        case .badAnswer: "The payment service's answer was not understood."
        case .tooManyRequests: "The payment service is asked too often."
        case .badKey: "The payment service does not accept this till's key."
        case .badRequest: "The payment service did not understand this till."
        case .notFound: "The payment service does not know this payment."
        case .conflict: "The payment service says that this payment is over."
        case .amountTooLarge: "That is more than is left of the charge."
        case .declined: "The card was declined."
        case .insufficientFunds: "The card was declined: not enough money."
        case .expiredCard: "The card has expired."
        case .wrongCode: "The code (CVV) is wrong."
        case .invalidNumber: "The card number is not right."
        case .refusedByCustomer: "The payment was not approved."
        case .authenticationRequired:
            "The card's bank wants the customer to agree online, which is not possible here."
        case .interrupted: "The payment was interrupted."
        }
    }

    /// What whoever stands at the till should do.
    public var advice: CashierAdvice {
        switch self {
        case .unreachable, .timedOut, .connectionLost: .checkNetwork
        case .serverFailed, .tooManyRequests, .conflict, .interrupted: .tryAgain
        case .untrusted, .insecure, .badAnswer, .badKey, .badRequest, .notFound, .amountTooLarge: .callSupport
        case .declined, .insufficientFunds, .expiredCard, .refusedByCustomer, .authenticationRequired:
            .askForAnotherCard
        case .wrongCode, .invalidNumber: .checkTheCard
        }
    }
}

/// What whoever stands at the till should do.
public enum CashierAdvice: String, Sendable, Hashable, CaseIterable {
    /// Once more, a little later.
    case tryAgain = "try_again"
    /// Another card, or cash.
    case askForAnotherCard = "ask_for_another_card"
    /// Type the card once more.
    case checkTheCard = "check_the_card"
    /// See to the network, then once more.
    case checkNetwork = "check_network"
    /// Nothing helps here and now.
    case callSupport = "call_support"
    /// Look into the service's books before anything else; never charge again.
    case doNotChargeAgain = "do_not_charge_again"

    /// In words.
    public var words: String {
        switch self {
        case .tryAgain: "Try again in a moment."
        case .askForAnotherCard: "Ask for another card, or for cash."
        case .checkTheCard: "Compare number, expiry and code with the card and try again."
        case .checkNetwork: "Check the network, then try again."
        case .callSupport: "Take cash and call support."
        case .doNotChargeAgain: "Do not charge again. Look the payment up at the payment service first."
        }
    }
}

extension GatewayError.Code {
    /// The field of a card form that the service's answer is about; nil where it is about none.
    public var field: CardComponent? {
        switch self {
        case .invalidNumber: .cardNumber
        case .expiredCard: .expiry
        case .wrongCode: .cvv
        case .unreachable, .untrusted, .insecure, .timedOut, .connectionLost, .serverFailed, .badAnswer,
            .tooManyRequests, .badKey, .badRequest, .notFound, .conflict, .amountTooLarge, .declined,
            .insufficientFunds, .refusedByCustomer, .authenticationRequired, .interrupted:
            nil
        }
    }
}
