import Testing

@testable import EventServer

/// The time in which a request of the holder is being done does not count, and that has an end.
@Suite struct RetainTimeTests {
    private static let second: UInt64 = 1_000_000_000

    /// What is added each time that the time is over, and the requests have taken so long.
    private func added(before: UInt64, _ taken: UInt64...) -> [UInt64?] {
        var time = RetainTime(before: before)
        return taken.map { time.extend(now: $0) }
    }

    @Test func whoWaitsForNothingHasNoMore() {
        #expect(added(before: 5 * Self.second, 5 * Self.second) == [nil])
    }

    /// The time is over, over again after what did not count of it, and so on.
    @Test func aRequestThatIsBeingDoneDoesNotCount() {
        let taken = 6 * Self.second
        #expect(added(before: 5 * Self.second, taken, taken + 7, taken + 7) == [Self.second, 7, nil])
    }

    @Test func aRequestWithoutEndCountsFromSomeTimeOn() {
        let limit = RetainTime.longestPauseNanoseconds
        #expect(added(before: 3, limit + 2, 2 * limit, .max) == [limit - 1, 1, nil])
    }

    /// A holder that is gone has asked for nothing.
    @Test func whoIsGoneHasNoMore() {
        #expect(added(before: 3, 0) == [nil])
    }

    @Test func aWatchAddsUp() {
        var watch = StopWatch()
        #expect(watch.total(at: 7) == 0)
        watch.start(at: 10)
        #expect(watch.total(at: 12) == 2)
        #expect(watch.total(at: 9) == 0)
        watch.stop(at: 15)
        watch.start(at: 20)
        watch.stop(at: 21)
        #expect(watch.total(at: 100) == 6)
    }
}
