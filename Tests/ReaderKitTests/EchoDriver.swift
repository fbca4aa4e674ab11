import ReaderKit

/// A driver that says what it is told, for tests of the session around it.
struct EchoDriver: ReaderDriver {
    static let descriptor = DriverDescriptor(name: "echo", kind: "echo", matches: [])

    init(_ device: DeviceIdentity) {}

    mutating func start() -> [DriverAction] {
        [.signal(.activated(.success)), .signal(.ready(expiresIn: nil)), .command(.output([0x01]))]
    }

    /// The report's first byte says what to do.
    mutating func receive(_ report: HIDReport) -> [DriverAction] {
        switch report.bytes.first {
        case 0: [.signal(.swiped(Swipe(tracks: [])))]
        case 1: [.startTimer(.milliseconds(1))]
        case 2: Array(repeating: .command(.output([0x02])), count: 40)
        case 3: [.signal(.ready(expiresIn: nil)), .command(.sound(.restoreVolume))]
        case 4: [.stopTimer]
        default: [.signal(.malformed("unknown byte"))]
        }
    }

    mutating func inputsLost() -> [DriverAction] { [.signal(.malformed("inputs lost"))] }

    mutating func timerFired() -> [DriverAction] { [.signal(.unready(.timeout))] }

    mutating func commandFailed(_ error: DeviceError) -> [DriverAction] { [.signal(.unready(.error))] }

    mutating func property(_ request: PropertyRequest) -> [DriverAction] {
        guard request.name != "silent" else { return [] }
        return [
            .signal(
                .property(
                    PropertyReply(token: request.token, name: request.name, outcome: .success(.number(7)))))
        ]
    }

    /// Takes every request as something that it says at once.
    mutating func request(_ request: ReaderRequest) -> (RequestOutcome, [DriverAction]) {
        switch request {
        case .activate: (.refused(RequestRefusal(.wrongState, "it is active")), [])
        case .testCommunication:
            (.accepted(warning: "a loud tone"), [.signal(.testCompleted(true, why: nil))])
        case .cancelActivation, .deactivate, .requestSwipe, .cancelSwipe, .answerPrompt, .configure:
            (.accepted(), [])
        }
    }
}
