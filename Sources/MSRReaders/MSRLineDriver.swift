package import ReaderKit

/// MSR206, MSR605 and MSR606: encoders on a serial line (the 605 and 606 have its chip built in), read with and never written with.
package struct MSRLineDriver: ReaderDriver {
    private var dialogue: MSRDialogue
    /// Commands reach nobody.
    private let isVirtual: Bool

    package static let descriptor = DriverDescriptor(
        name: "msr-line", kind: "encoder",
        matches: [
            DeviceMatch(
                bus: .serial, model: "MSR206, MSR605, MSR606 (reading only)",
                support: .shouldWork(
                    why:
                        "commands and answers by the MSR606's manual and open clients; no recording, and none was at hand"
                ))
        ])

    package static var isReadyUnasked: Bool { false }
    package static var identificationGrace: Duration? { .seconds(2) }
    package static var properties: [PropertyDescriptor] { MSRProperty.descriptors }

    package static func lastWords(for device: DeviceIdentity) -> [TransportCommand] {
        MSRCommand.farewell.map { .write($0.bytes) }
    }

    package init(_ device: DeviceIdentity) { self.init(device, options: ReaderOptions()) }

    package init(_ device: DeviceIdentity, options: ReaderOptions) {
        isVirtual = device.isSimulated
        dialogue = MSRDialogue(
            model: "MSR206, 605 or 606", serial: nil, reading: options.encoderReading,
            formats: OwnFormats.of(options))
    }

    package mutating func start() -> [DriverAction] {
        perform(isVirtual ? dialogue.overhear() : dialogue.start())
    }

    package mutating func receive(_ input: SerialBytes) -> [DriverAction] {
        perform(dialogue.receive(input.bytes))
    }

    package mutating func inputsLost() -> [DriverAction] { perform(dialogue.bytesLost()) }

    package mutating func inputsEnded() -> [DriverAction] { perform(dialogue.inputsEnded()) }

    package mutating func timerFired() -> [DriverAction] { perform(dialogue.timerFired()) }

    package mutating func commandFailed(_ error: DeviceError) -> [DriverAction] {
        isVirtual ? [] : perform(dialogue.commandFailed(error))
    }

    package mutating func property(_ request: PropertyRequest) -> [DriverAction] {
        [.signal(.property(MSRProperty.reply(to: request, dialogue)))]
    }

    package mutating func request(_ request: ReaderRequest) -> (RequestOutcome, [DriverAction]) {
        switch request {
        case .testCommunication:
            let (outcome, actions) = dialogue.test()
            return (outcome, perform(actions))
        case .activate, .cancelActivation, .deactivate, .requestSwipe, .cancelSwipe, .answerPrompt,
            .configure:
            return (.refused(.alwaysReady(Self.descriptor.kind)), [])
        }
    }

    private func perform(_ actions: [MSRDialogue.Action]) -> [DriverAction] {
        actions.map { action in
            switch action {
            case .send(let command): .command(.write(command.bytes))
            case .startTimer(let duration): .startTimer(duration)
            case .stopTimer: .stopTimer
            case .signal(let signal): .signal(signal)
            }
        }
    }
}
