/// How long to wait before the next connection to the broker: twice as long each time, up to a minute, and of that at least half,
/// by chance. A thousand hosts that lost one broker at once come back spread over that time.
struct ReconnectPause: Sendable {
    private var longest = first

    static let first = Duration.seconds(1)
    static let last = Duration.seconds(60)
    /// A connection that held for so long was of use.
    static let useful = Duration.seconds(30)

    /// - Parameter chance: from 0 to 1.
    mutating func next(chance: Double) -> Duration {
        defer { longest = min(longest * 2, Self.last) }
        return longest * (0.5 + min(max(chance, 0), 1) / 2)
    }

    mutating func reset() { longest = Self.first }
}
