/// Where the payment service is, and how patient to be with it.
public struct HTTPGatewayConfiguration: Sendable, Hashable {
    /// The service's address, `https://pay.example.com`. Plain `http` is taken for this machine itself only: card data
    /// must not travel in clear.
    public var address: String
    /// A PEM file with certificates that are trusted beside the system's: a private authority's.
    public var additionalTrust: String?
    /// How long a connection may take to be made, TLS included.
    public var connectTimeout: Duration
    /// How long one try of a request may take from its start to the end of its answer.
    public var answerTimeout: Duration
    /// How often a request is tried in all, where trying again is safe.
    public var tries: Int
    /// The pause before the second try; doubled before each further one, and spread by up to a half, so that tills that
    /// failed together do not come back together.
    public var firstPause: Duration

    /// The usual patience: 5 s to connect, 15 s for an answer, three tries, a quarter of a second between
    /// them.
    public init(
        address: String, additionalTrust: String? = nil, connectTimeout: Duration = .seconds(5),
        answerTimeout: Duration = .seconds(15), tries: Int = 3, firstPause: Duration = .milliseconds(250)
    ) {
        self.address = address
        self.additionalTrust = additionalTrust
        self.connectTimeout = connectTimeout
        self.answerTimeout = answerTimeout
        self.tries = tries
        self.firstPause = firstPause
    }

    /// No answer of the API is longer, in bytes.
    static let longestAnswer = 262_144
    /// The longest pause between two tries.
    static let longestPause = Duration.seconds(4)
}
