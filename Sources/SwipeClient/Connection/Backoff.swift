/// How long to wait before the next attempt to connect: twice as long each time, until a connection was of use.
package struct Backoff {
    package static let milliseconds: ClosedRange<Int> = 50...5_000

    private var pause = milliseconds.lowerBound

    package init() {}

    /// The pause before the next attempt, in milliseconds.
    package mutating func next() -> Int {
        defer { pause = min(pause * 2, Backoff.milliseconds.upperBound) }
        return pause
    }

    /// A connection was of use.
    package mutating func reset() { pause = Backoff.milliseconds.lowerBound }
}
