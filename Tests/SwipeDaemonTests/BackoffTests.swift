import Testing

@testable import SwipeDaemon

@Suite struct BackoffTests {
    /// A reader that opens and fails at once is not tried four times a second for ever.
    @Test func whatFailsAtOnceDoesNotBeginAnew() {
        var backoff = Backoff()
        for _ in 0..<3 { _ = backoff.next() }
        backoff.worked(for: .seconds(1))
        #expect(backoff.next() == .seconds(2))
        backoff.worked(for: Backoff.limit)
        #expect(backoff.next() == Backoff.first)
    }
}
