import Testing

@testable import SwipeDaemon

/// What the log takes of a reader that sends nonsense.
@Suite struct ComplaintLimitTests {
    private let start = ContinuousClock.now

    /// What came through of so many a second, for so many seconds, and what was said to be missing.
    private func storm(_ limit: inout ComplaintLimit, _ reader: String, perSecond: Int, seconds: Int) -> (
        written: Int, leftOut: Int
    ) {
        var (written, leftOut) = (0, 0)
        for number in 0..<(perSecond * seconds) {
            let now = start + .milliseconds(number * 1000 / perSecond)
            guard let missing = limit.take(reader, at: now) else { continue }
            (written, leftOut) = (written + 1, leftOut + missing)
        }
        return (written, leftOut + limit.untold(reader))
    }

    @Test func aStormIsCutDownAndCounted() {
        var limit = ComplaintLimit()
        let (written, leftOut) = storm(&limit, "a", perSecond: 1_000, seconds: 60)
        #expect((ComplaintLimit.atOnce...(ComplaintLimit.atOnce + 20)).contains(written))
        #expect(written + leftOut == 60_000)
        #expect(limit.untold("a") == 0)
        // Of another reader all is written.
        #expect(limit.take("b", at: start + .seconds(60)) == 0)
    }

    @Test func whoComplainsSeldomLosesNothing() {
        var limit = ComplaintLimit()
        for number in 0..<1_000 {
            #expect(limit.take("a", at: start + ComplaintLimit.interval * number) == 0)
        }
        // After an hour's silence there is room again, and no more than at first.
        _ = storm(&limit, "a", perSecond: 1_000, seconds: 1)
        var written = 0
        for _ in 0..<1_000 where limit.take("a", at: start + .seconds(7_200)) != nil { written += 1 }
        #expect(written == ComplaintLimit.atOnce)
    }

    @Test func readersWithoutEndTakeNoRoomWithoutEnd() {
        var limit = ComplaintLimit()
        for number in 0..<10_000 { #expect(limit.take("\(number)", at: start) == 0) }
    }
}
