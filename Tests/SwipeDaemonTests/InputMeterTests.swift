import ReaderKit
import SwipeProtocol
import Testing

@testable import SwipeDaemon

/// An input is measured while a client asks, and for a while after; never else.
@Suite struct InputMeterTests {
    private let start = ContinuousClock.now

    /// A tenth of a second of silence.
    private func hear(_ meter: InputMeter, after seconds: Double) {
        let block = SampleBlock(samples: Array(repeating: 0, count: 4410), sampleRate: 44_100, firstFrame: 0)
        meter.hear(block, at: start + .seconds(seconds))
    }

    @Test func nothingIsMeasuredUnasked() {
        let meter = InputMeter()
        hear(meter, after: 0)
        #expect(!meter.isMeasuring)
        #expect(meter.levels(after: nil, at: start).isEmpty)
        #expect(meter.isMeasuring)
    }

    @Test func whatWasAskedForIsMeasuredAndNumbered() throws {
        let meter = InputMeter()
        _ = meter.levels(after: nil, at: start)
        for _ in 0..<10 { hear(meter, after: 1) }
        let levels = meter.levels(after: nil, at: start + .seconds(1))
        #expect((9...10).contains(levels.count))
        #expect(levels.map(\.number) == (0..<UInt64(levels.count)).map { $0 })
        #expect(meter.levels(after: 4, at: start + .seconds(1)).first?.number == 5)
        #expect(meter.levels(after: .max, at: start + .seconds(1)).isEmpty)
    }

    @Test func itStopsWhereNobodyAsksAgain() {
        let meter = InputMeter()
        _ = meter.levels(after: nil, at: start)
        hear(meter, after: 5)
        #expect(meter.isMeasuring)
        hear(meter, after: 5.1)
        #expect(!meter.isMeasuring)
    }

    /// What was measured before a stop is not given after it, and the numbers go on.
    @Test func aNewBeginningCountsOn() throws {
        let meter = InputMeter()
        _ = meter.levels(after: nil, at: start)
        for _ in 0..<10 { hear(meter, after: 1) }
        let last = try #require(meter.levels(after: nil, at: start + .seconds(1)).last)
        #expect(meter.levels(after: nil, at: start + .seconds(20)).isEmpty)
        for _ in 0..<3 { hear(meter, after: 20) }
        let first = try #require(meter.levels(after: nil, at: start + .seconds(20)).first)
        #expect(first.number == last.number + 1)
        #expect(first.floor == nil)
    }

    @Test func twoSecondsAreKept() {
        let meter = InputMeter()
        _ = meter.levels(after: nil, at: start)
        for _ in 0..<50 { hear(meter, after: 1) }
        let levels = meter.levels(after: nil, at: start + .seconds(1))
        #expect(levels.count == 20)
    }
}
