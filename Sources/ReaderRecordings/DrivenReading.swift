package import ReaderKit

/// What a driver makes of what is recorded, and what it wants done.
package struct DrivenOutcome: Sendable {
    package enum Timer: Sendable, Equatable {
        case start(Duration)
        case stop
    }

    package var swipes: [Swipe] = []
    package var commands: [TransportCommand] = []
    /// Nil where it goes on as before.
    package var timer: Timer?
    package var isReady = false
    /// Why the reader cannot be used, in the driver's words.
    package var failure: String?

    package static let nothing = DrivenOutcome([])

    init(_ actions: [DriverAction]) {
        for action in actions {
            switch action {
            case .command(let command): commands.append(command)
            case .startTimer(let duration): timer = .start(duration)
            case .stopTimer: timer = .stop
            case .signal(.swiped(let swipe)): swipes.append(swipe)
            case .signal(.ready): isReady = true
            case .signal(.activationFailed(_, let why)): failure = why
            case .signal: break
            }
        }
    }
}

/// A driver of any device whose inputs are of that kind.
package protocol DeviceReading<Input>: Sendable {
    associatedtype Input: Sendable
    mutating func start() -> DrivenOutcome
    mutating func take(_ input: Input) -> DrivenOutcome
    /// The driver's timer ran out.
    mutating func silence() -> DrivenOutcome
}

package struct DrivenReading<Driver: ReaderDriver>: DeviceReading {
    private var driver: Driver

    private init(_ driver: Driver) { self.driver = driver }

    package static func of(
        _ driver: Driver.Type, _ device: DeviceIdentity, _ options: ReaderOptions = ReaderOptions()
    ) -> any DeviceReading<Driver.Input> {
        DrivenReading(Driver(device, options: options))
    }

    package mutating func start() -> DrivenOutcome { DrivenOutcome(driver.start()) }
    package mutating func take(_ input: Driver.Input) -> DrivenOutcome {
        DrivenOutcome(driver.receive(input))
    }
    package mutating func silence() -> DrivenOutcome { DrivenOutcome(driver.timerFired()) }
}

/// The same with a clock of its owner's, for a device that is sent nothing.
package struct TimedReading<Input: Sendable>: Sendable {
    private var reading: any DeviceReading<Input>
    private var deadline: Duration?

    package init(_ reading: any DeviceReading<Input>) {
        self.reading = reading
        _ = self.reading.start()
    }

    /// Whether something is waited for.
    var isWaiting: Bool { deadline != nil }

    /// The swipes that an input ended. Its time is after that of the last ``pass(to:)``.
    package mutating func take(_ input: Input, at time: Duration) -> [Swipe] {
        outcome(reading.take(input), at: time)
    }

    /// The swipes that silence has ended by then.
    package mutating func pass(to time: Duration) -> [Swipe] {
        guard let due = deadline, due <= time else { return [] }
        deadline = nil
        return outcome(reading.silence(), at: time)
    }

    private mutating func outcome(_ outcome: DrivenOutcome, at time: Duration) -> [Swipe] {
        switch outcome.timer {
        case .start(let duration): deadline = time + duration
        case .stop: deadline = nil
        case nil: break
        }
        return outcome.swipes
    }
}
