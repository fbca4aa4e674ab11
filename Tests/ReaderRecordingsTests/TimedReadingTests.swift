import ReaderKit
import Testing

@testable import ReaderRecordings

/// The clock of a device that is sent nothing.
@Suite struct TimedReadingTests {
    /// Waits at every input but zero, and tells a silence by nothing but its end.
    private struct Waiting: DeviceReading {
        private(set) var silences = 0

        mutating func start() -> DrivenOutcome { .nothing }
        mutating func take(_ input: Int) -> DrivenOutcome {
            DrivenOutcome(input == 0 ? [.stopTimer] : [.startTimer(.milliseconds(input))])
        }
        mutating func silence() -> DrivenOutcome {
            silences += 1
            return DrivenOutcome(silences < 2 ? [.startTimer(.milliseconds(5))] : [])
        }
    }

    @Test func aSilenceIsWaitedForOnce() {
        var reading = TimedReading(Waiting())
        #expect(!reading.isWaiting)
        _ = reading.take(20, at: .zero)
        _ = reading.pass(to: .milliseconds(19))
        #expect(reading.isWaiting)
        // The driver begins a second one from then on.
        _ = reading.pass(to: .milliseconds(20))
        _ = reading.pass(to: .milliseconds(24))
        #expect(reading.isWaiting)
        _ = reading.pass(to: .milliseconds(25))
        #expect(!reading.isWaiting)
    }

    @Test func whatADriverEndsIsNotWaitedFor() {
        var reading = TimedReading(Waiting())
        _ = reading.take(20, at: .zero)
        _ = reading.take(0, at: .milliseconds(1))
        #expect(!reading.isWaiting)
    }
}
