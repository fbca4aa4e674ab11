package import ReaderKit

/// What a line of one kind carries: takes its bytes apart. The readers behind it are listened to and asked nothing.
package protocol SerialFrames: Sendable {
    static var descriptor: DriverDescriptor { get }
    /// How long a swipe may pause before it counts as ended.
    static var patience: Duration { get }
    /// How long after its line was opened a reader may say what it is; nil where none does.
    static var greeting: Duration? { get }
    init()
    mutating func receive(_ bytes: [UInt8]) -> [SerialFinding]
    /// Nothing came for ``patience``, or for ``greeting`` since the line was opened.
    mutating func silence() -> [SerialFinding]
    /// The line is gone.
    mutating func ended() -> [SerialFinding]
    /// Bytes were lost: what stands there cannot be completed.
    mutating func lose()
    /// Whether something stands there that more may complete.
    var isPending: Bool { get }
}

extension SerialFrames {
    package static var greeting: Duration? { nil }

    /// What is not whole by now is none, and what is whole behind it is found.
    package mutating func ended() -> [SerialFinding] {
        silence().filter { if case .swipe = $0 { true } else { false } }
    }
}

/// Something in the bytes of a line.
package enum SerialFinding: Sendable, Hashable {
    case swipe(Swipe, serial: String?)
    /// What the reader says of itself when it gets power.
    case signOn(String)
    /// The words name what, never the bytes.
    case malformed(String)
}

/// A reader on a serial line that sends its swipes of itself.
///
/// It is ready as soon as the line is open: a tty proves nothing of being a reader, and such a one cannot be asked. What comes
/// and is none of its kind is told in words that name the type.
package struct SerialListener<Frames: SerialFrames>: ReaderDriver {
    private var frames = Frames()
    private var details: ReaderDetails

    package static var descriptor: DriverDescriptor { Frames.descriptor }

    package init(_ device: DeviceIdentity) {
        let model = Frames.descriptor.matches.first?.model ?? Frames.descriptor.name
        details = ReaderDetails(model: model, encryption: .clear)
    }

    package mutating func start() -> [DriverAction] {
        let ready: [DriverAction] = [
            .signal(.identified(details)), .signal(.activated(.success)), .signal(.ready(expiresIn: nil)),
        ]
        return ready + (Frames.greeting.map { [.startTimer($0)] } ?? [])
    }

    package mutating func receive(_ input: SerialBytes) -> [DriverAction] {
        tell(frames.receive(input.bytes)) + [frames.isPending ? .startTimer(Frames.patience) : .stopTimer]
    }

    package mutating func inputsLost() -> [DriverAction] {
        frames.lose()
        return []
    }

    package mutating func inputsEnded() -> [DriverAction] { tell(frames.ended()) }

    package mutating func timerFired() -> [DriverAction] { tell(frames.silence()) }

    package mutating func commandFailed(_ error: DeviceError) -> [DriverAction] { [] }

    private mutating func tell(_ findings: [SerialFinding]) -> [DriverAction] {
        var actions: [DriverAction] = []
        for finding in findings {
            switch finding {
            case .malformed(let what):
                actions.append(
                    .signal(
                        .malformed(
                            "\(what); is the type \(Frames.descriptor.name) right, and are baud and frame?")))
            case .signOn(let text):
                details.firmware = text
                actions.append(.signal(.identified(details)))
            case .swipe(let swipe, let serial): actions += learned(swipe, serial) + [.signal(.swiped(swipe))]
            }
        }
        return actions
    }

    private mutating func learned(_ swipe: Swipe, _ serial: String?) -> [DriverAction] {
        let told = details
        if let serial { details.serial = serial }
        if swipe.encryption != nil { details.encryption = .encrypted }
        return details == told ? [] : [.signal(.identified(details))]
    }
}
