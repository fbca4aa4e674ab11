/// How long a payment waits, and how often it asks.
public struct PaymentPolicy: Sendable, Hashable {
    /// Between the authorisation and the first question how it went; doubled with every further one.
    public var firstPoll: Duration
    /// The longest pause between two questions.
    public var longestPause: Duration
    /// After how long an authorised payment that is not confirmed ends as a possible success.
    public var pollTimeout: Duration
    /// How long a customer may take to agree elsewhere.
    public var redirectTimeout: Duration
    /// How long to wait for another program that is at the same sale.
    public var othersTimeout: Duration

    /// Half a second, doubled up to two; a minute for the service, five for a customer, a minute
    /// and a half for another program.
    public init(
        firstPoll: Duration = .milliseconds(500), longestPause: Duration = .seconds(2),
        pollTimeout: Duration = .seconds(60), redirectTimeout: Duration = .seconds(300),
        othersTimeout: Duration = .seconds(90)
    ) {
        self.firstPoll = firstPoll
        self.longestPause = longestPause
        self.pollTimeout = pollTimeout
        self.redirectTimeout = redirectTimeout
        self.othersTimeout = othersTimeout
    }
}
