package import ReaderKit

/// Runs a driver on keys, with a clock of its own: the driver's timer runs out where the keys leave it the time.
package struct KeyReplay: Sendable {
    package private(set) var reader: KeyboardReader
    package private(set) var signals: [ReaderSignal] = []
    /// When each signal came, on the keys' clock.
    package private(set) var times: [Duration] = []
    private var due: Duration?
    private var now: Duration = .zero

    package init(_ options: KeyboardOptions = KeyboardOptions()) {
        var wanted = ReaderOptions()
        wanted.keyboard = options
        reader = KeyboardReader(
            DeviceIdentity(readerID: "typing", bus: .usb, node: "", isSimulated: true), options: wanted)
        _ = reader.start()
    }

    package mutating func take(_ inputs: [KeyInput]) {
        for input in inputs {
            runOut(by: input.time)
            now = input.time
            perform(reader.receive(input))
        }
    }

    /// Nothing comes for long.
    package mutating func rest() { runOut(by: now + .seconds(10)) }

    /// The transport lost keys here.
    package mutating func lose() { perform(reader.inputsLost()) }

    private mutating func runOut(by time: Duration) {
        while let end = due, end <= time {
            (now, due) = (end, nil)
            perform(reader.timerFired())
        }
    }

    private mutating func perform(_ actions: [DriverAction]) {
        for action in actions {
            switch action {
            case .startTimer(let duration): due = now + duration
            case .stopTimer: due = nil
            case .signal(let signal):
                signals.append(signal)
                times.append(now)
            case .command: break
            }
        }
    }

    package var swipes: [Swipe] {
        signals.compactMap { if case .swiped(let swipe) = $0 { swipe } else { nil } }
    }
    package var complaints: [String] {
        signals.compactMap { if case .notice(.malformed(let what)) = $0 { what } else { nil } }
    }
}
