import ReaderKit
import ReaderPackets

/// The talk with an ID TECH reader: a command goes out in frames of the feature report, then the report is got again
/// and again until the answer is there.
///
///     state      frames of the answer so far        next get
///     waiting    none, and the last get was empty    after a pause
///     reading    some                                at once, until one is empty
///
/// An empty get means "not yet" before the first frame and "that was all" behind the last.
struct IDTechDialogue: Sendable {
    enum Question: Sendable, Hashable {
        case securityLevel, firmware, serial
        /// Setting 4C, which packets of the original format leave out.
        case cipher

        /// Clients wait for the answer before they hear of the reader.
        var isIntroduction: Bool { self != .cipher }
    }

    enum Purpose: Sendable {
        case question(Question)
        case property(PropertyRequest, IDTechProperty)
    }

    struct Exchange: Sendable {
        var command: IDTechCommand
        var purpose: Purpose
        var answer: [UInt8] = []
        var polls = 0
        /// Why a frame of the command did not go out: whatever the get behind it brings is no answer to it.
        var failure: DeviceError?
    }

    enum Failure: Error, Sendable, Hashable {
        case response(IDTechResponse.Refusal)
        case timedOut
        case device(DeviceError)

        var propertyError: PropertyError {
            switch self {
            case .response(let refusal): .refused(reason: refusal.rawValue)
            case .timedOut, .device(.timedOut): .timedOut
            case .device(let error): .device(error)
            }
        }
    }

    /// What came of an answer, an error or a pause.
    enum Step: Sendable {
        case actions([DriverAction])
        case concluded(Exchange, Result<[UInt8], Failure>)
    }

    /// Working clients of these readers wait 2.5 s for an answer. Short pauses: three answers are part of `connect`.
    static let pause = Duration.milliseconds(10)
    static let maximumPolls = 250
    /// A get that the kernel holds this long will fail by itself before; this is for transports that do not.
    static let answerTimeout = Duration.seconds(7)
    /// Longer than any answer, all settings together included.
    static let maximumAnswerBytes = 512

    var queue = ExchangeQueue<Exchange>()
    private var isPausing = false
    let frameLength: Int

    init(frameLength: Int) { self.frameLength = frameLength }

    mutating func begin() -> [DriverAction] {
        guard let exchange = queue.begin() else { return queue.inFlight == nil ? [.stopTimer] : [] }
        let frames = exchange.command.frames(length: frameLength)
        return frames.map { .command(.setFeature($0)) } + get()
    }

    private func get() -> [DriverAction] { [.command(.getFeature()), .startTimer(Self.answerTimeout)] }

    /// A get was answered.
    mutating func answered(_ frame: [UInt8]) -> Step {
        guard var exchange = queue.answered() else { return .actions([]) }
        if let failure = exchange.failure { return conclude(exchange, .failure(.device(failure))) }
        guard !frame.isEmpty else { return emptyFrame(exchange) }
        exchange.answer += frame
        guard exchange.answer.count <= Self.maximumAnswerBytes else {
            return conclude(exchange, .failure(.response(.malformed)))
        }
        queue.update(exchange)
        return .actions(get())
    }

    private mutating func emptyFrame(_ exchange: Exchange) -> Step {
        guard exchange.answer.isEmpty else {
            do throws(IDTechResponse.Refusal) {
                return conclude(
                    exchange, .success(try IDTechResponse.data(exchange.answer, to: exchange.command)))
            } catch {
                return conclude(exchange, .failure(.response(error)))
            }
        }
        var exchange = exchange
        exchange.polls += 1
        guard exchange.polls < Self.maximumPolls else { return conclude(exchange, .failure(.timedOut)) }
        queue.update(exchange)
        isPausing = true
        return .actions([.startTimer(Self.pause)])
    }

    /// The driver's timer ran out: a pause is over, or an answer is overdue.
    mutating func timerFired() -> Step {
        if isPausing {
            isPausing = false
            return .actions(get())
        }
        guard let exchange = queue.giveUp() else { return .actions([]) }
        return .concluded(exchange, .failure(.timedOut))
    }

    /// A frame of a command did not go out. The get behind it is under way already: the exchange ends with its answer, so
    /// that this is not taken for the next one's.
    mutating func frameFailed(_ error: DeviceError) {
        guard !queue.isOverdue, var exchange = queue.inFlight else { return }
        exchange.failure = exchange.failure ?? error
        queue.update(exchange)
    }

    /// A get failed. Some kernels report one without an answer as an error: that is "not yet" as well.
    mutating func getFailed(_ error: DeviceError) -> Step {
        guard let exchange = queue.answered() else { return .actions([]) }
        if let failure = exchange.failure { return conclude(exchange, .failure(.device(failure))) }
        switch error {
        case .refused, .system: return isPausing ? .actions([]) : emptyFrame(exchange)
        case .gone, .permissionDenied, .busy, .timedOut, .suspended, .closed, .unsupported, .volumeTooLow,
            .playbackMissing, .mixerMissing:
            return conclude(exchange, .failure(.device(error)))
        }
    }

    private mutating func conclude(_ exchange: Exchange, _ result: Result<[UInt8], Failure>) -> Step {
        queue.finish()
        isPausing = false
        return .concluded(exchange, result)
    }
}
