/// How long to wait before the next attempt to open a reader: doubling, to a limit.
struct Backoff: Sendable, Hashable {
    static let first = Duration.milliseconds(250)
    static let limit = Duration.seconds(30)

    private var pause = first

    /// The pause before the next attempt.
    mutating func next() -> Duration {
        defer { pause = min(pause * 2, Self.limit) }
        return pause
    }

    /// What was tried worked for so long. One that opens and fails at once does not begin anew.
    mutating func worked(for time: Duration) {
        if time >= Self.limit { reset() }
    }

    /// It works again.
    mutating func reset() {
        pause = Self.first
    }
}
