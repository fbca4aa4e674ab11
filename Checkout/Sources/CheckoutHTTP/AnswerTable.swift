internal import Checkout

/// What an HTTP answer says of the money: the one table where that is decided.
///
/// Only an answer that proves to be the service's own, in its own form and about this very request, takes a request to have
/// been refused. Everything else, a proxy's page with any status for one, leaves it open what was done.
///
///     status       a resource   the service's own error, about   its own error, about   something
///                  asked for    this request                     who knows what         else
///     200…299      taken        bad answer, unknown              the same               the same
///     400…499      bad answer   refused                          its code (of a card:   bad answer, unknown
///                                                            bad answer), unknown
///     500…599      server failed, unknown, whatever it says: the work may have been done before
///     others       bad answer, unknown
///
/// 429, and 503 with `Retry-After`, are tried again after that time, others after a pause of our own; where that is longer than a
/// till waits, the error is told at once. An idempotency key that was used for something else is a `conflict`.
///
/// An authorisation is never refused, whatever is said: the source is asked about instead (``Step/authorise``). Nor is
/// a capture, refund or void (``Step/move``): the charge's record is. But a service may keep each answer under its idempotency key, and
/// say with the answer which key it was (``Proof/kept(_:)``): a move that is refused so is done by no request with that key.
enum AnswerTable {
    /// What is asked of the service.
    enum Step: Sendable, Hashable, CaseIterable {
        /// No money can move by these.
        case open, lookUp, create, poll
        /// Money may move. A request that is repeated may be refused because the first one was done.
        case authorise, move
        /// The fence.
        case giveUp
    }

    /// What an answer's body proves to be.
    enum Proof: Sendable, Hashable {
        /// The resource that was asked for, whole, in the service's form, with the names that the request had.
        case resource
        /// The service's own error, with the request's own name in it.
        case refusal(GatewayError.Code?)
        /// The same, and every later request with its key gets this very answer.
        case kept(GatewayError.Code?)
        /// The service's own form, but nothing says that it is about this request.
        case stray(GatewayError.Code?)
        /// Not the service's content type, not its JSON, not whole.
        case foreign
    }

    /// What follows.
    enum Verdict: Sendable, Hashable {
        case taken
        case failed(GatewayError.Code, GatewayError.Certainty)
    }

    static func verdict(_ status: UInt, _ proof: Proof, _ step: Step) -> Verdict {
        switch (status, proof) {
        case (200...299, .resource): .taken
        case (400...499, .refusal(let code)):
            .failed(code ?? meaning(of: status), mayBeDone(step) ? .unknown : .refused)
        case (400...499, .kept(let code)) where step == .move: .failed(code ?? meaning(of: status), .refused)
        case (400...499, .kept(let code)): .failed(code ?? .badAnswer, .unknown)
        // What it says of a card it says of somebody's.
        case (400...499, .stray(let code)):
            .failed(code.flatMap { $0.isOfACard ? nil : $0 } ?? .badAnswer, .unknown)
        case (500...599, _): .failed(.serverFailed, .unknown)
        case (429, _): .failed(.tooManyRequests, .unknown)
        case (_, .resource), (_, .refusal), (_, .kept), (_, .stray), (_, .foreign):
            .failed(.badAnswer, .unknown)
        }
    }

    /// Whether a refusal may come to a request although it was done: the first try was, the second one is told so.
    private static func mayBeDone(_ step: Step) -> Bool {
        switch step {
        case .authorise, .move: true
        case .open, .lookUp, .create, .poll, .giveUp: false
        }
    }

    /// What the service's own refusal means where its code is not known here.
    private static func meaning(of status: UInt) -> GatewayError.Code {
        switch status {
        case 401, 403: .badKey
        case 402, 422: .declined
        case 404, 410: .notFound
        case 409: .conflict
        case 429: .tooManyRequests
        default: .badRequest
        }
    }

    /// Whether a request may be sent again that may have been done: what moves money only with an idempotency key.
    static func mayRepeat(_ step: Step, hasKey: Bool) -> Bool {
        switch step {
        case .authorise, .move: hasKey
        case .open, .lookUp, .create, .poll, .giveUp: true
        }
    }

    /// Whether another try may help. It does no harm: every request that changes something has an idempotency key, or
    /// does the same twice as once.
    static func isWorthAnotherTry(_ error: GatewayError) -> Bool {
        switch error.code {
        case .unreachable, .timedOut, .connectionLost, .serverFailed, .badAnswer, .tooManyRequests: true
        case .untrusted, .insecure, .badKey, .badRequest, .notFound, .conflict, .amountTooLarge, .declined,
            .insufficientFunds, .expiredCard, .wrongCode, .invalidNumber, .refusedByCustomer,
            .authenticationRequired, .interrupted:
            false
        }
    }
}

extension GatewayError.Code {
    /// Whether a cashier sends a card away for it.
    fileprivate var isOfACard: Bool { [.askForAnotherCard, .checkTheCard].contains(advice) }
}
