/// A preparer without a screen: pays once, with what it was given.
public final class HeadlessPreparer: SourceParamsPreparer {
    /// The latest error of the payment.
    public var latestError: PaymentError?
    /// The payment, while its attempt is under way.
    public var payment: Payment?
    /// Is called with the address where the customer has to agree.
    public var onRedirect: ((String) -> Void)?

    private let card: CardDetails?
    private let wallet: String?
    private let metadata: [String: String]
    private var attemptsLeft: Int

    /// Pays with a card.
    ///
    /// - Parameters:
    ///   - card: which card.
    ///   - metadata: what else the service is to keep.
    ///   - attempts: how often it answers before it says "no longer wanted".
    public init(card: CardDetails, metadata: [String: String] = [:], attempts: Int = 1) {
        self.card = card
        wallet = nil
        self.metadata = metadata
        attemptsLeft = attempts
    }

    /// Pays with a wallet, by its name or the service's name for it.
    public init(wallet: String, metadata: [String: String] = [:], attempts: Int = 1) {
        card = nil
        self.wallet = wallet
        self.metadata = metadata
        attemptsLeft = attempts
    }

    /// The first method that fits, with the card; nil when the attempts are used up.
    public func prepare(_ raw: SourceParams, methods: [PaymentMethod]) async -> SourceParams? {
        guard attemptsLeft > 0 else { return nil }
        attemptsLeft -= 1
        var params = raw
        params.method = methods.first(where: fits)
        params.flow = params.method?.flow
        params.metadata = metadata
        params.card = card
        return params
    }

    /// Tells ``onRedirect``.
    public func showRedirect(to address: String) { onRedirect?(address) }

    private func fits(_ method: PaymentMethod) -> Bool {
        switch method.kind {
        case .creditCard: card?.wasSwiped == false
        case .swipe: card?.wasSwiped == true
        case .wallet(let name): wallet == name || wallet == method.id
        }
    }
}
