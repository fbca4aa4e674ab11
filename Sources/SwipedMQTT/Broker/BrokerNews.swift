/// What the connection to the broker tells.
enum BrokerNews: Sendable, Hashable {
    /// The broker let it in.
    case connected
    /// It broke, or could not be made: why. Tried again after that long.
    case lost(String, retryIn: Duration)
    /// The broker has a message, or says that it does not take it.
    case settled(Int32, isRefused: Bool)
    case received(topic: String, payload: [UInt8], isRetained: Bool)
}
