/// What the connection to the broker tells.
enum BrokerNews: Sendable, Hashable {
    /// The broker let it in.
    case connected
    /// It broke, or could not be made: why. Tried again after that long.
    case lost(String, retryIn: Duration)
    /// The broker has a message, or says that it does not take it.
    case settled(Int32, isRefused: Bool)
    case received(topic: String, payload: [UInt8], isRetained: Bool)
    /// The broker does not let it hear what it has subscribed to.
    case subscriptionRefused
}

/// What came of handing a message to the connection.
enum Handing: Sendable, Hashable {
    /// It is on its way, under this number.
    case sent(Int32)
    /// It never will be: it is longer than this broker says that it takes, or the broker takes no QoS 1.
    case never
    /// There is no connection, or it is about to end.
    case notNow
}
