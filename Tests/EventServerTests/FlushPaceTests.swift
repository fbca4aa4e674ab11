import NIOCore
import Testing

@testable import EventServer

@Suite(.timeLimit(.minutes(5))) struct FlushPaceTests {
    @Test func aQuickTurnIsFollowedAtOnce() {
        var pace = FlushPace()
        #expect(pace.pause(at: 0) == nil)
        pace.flushed(from: 1_000, to: 200_000)
        #expect(pace.pause(at: 200_000) == nil)
    }

    @Test func aLongOneIsFollowedByAPauseOfAFewTimesItsLength() {
        var pace = FlushPace()
        pace.flushed(from: 0, to: 1_000_000)
        #expect(pace.pause(at: 1_000_000) == .nanoseconds(4_000_000))
        #expect(pace.pause(at: 4_999_999) == .nanoseconds(1))
        #expect(pace.pause(at: 5_000_000) == nil)
    }

    @Test func noPauseIsLongerThanTheLongest() {
        var pace = FlushPace()
        pace.flushed(from: 0, to: UInt64.max / 2)
        #expect(pace.pause(at: UInt64.max / 2) == .nanoseconds(10_000_000))
    }
}
