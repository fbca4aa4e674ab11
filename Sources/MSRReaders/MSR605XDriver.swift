package import ReaderKit
import StripeSignal

/// The MSR605X, an encoder on USB that this driver only reads with.
///
/// It has the ids of MagTek's insert reader, whose reports are longer and have other fields. ASSUMPTION: input reports of 64 bytes
/// without ids tell it; no descriptor of one is public. ASSUMPTION: commands go out as output reports where the descriptor has
/// such, as with the open clients that use hidapi, else as feature reports; both are a SET_REPORT on endpoint 0.
package struct MSR605XDriver: ReaderDriver {
    private var dialogue: MSRDialogue
    private let route: Route
    /// Commands reach nobody.
    private let isVirtual: Bool
    private var isInMessage = false

    /// How a command leaves.
    private enum Route: Sendable { case output, feature }

    package static let descriptor = DriverDescriptor(
        name: "msr605x", kind: "encoder",
        matches: [
            DeviceMatch(
                vendorID: 0x0801, productID: 0x0003, inputBytes: MSRReport.bytes,
                model: "MSR605X and kin (reading only)",
                support: .shouldWork(
                    why:
                        "commands and answers by the MSR606's manual and open clients; no capture, and none was at hand"
                ))
        ])

    package static var isReadyUnasked: Bool { false }
    /// What it says of itself takes five questions.
    package static var identificationGrace: Duration? { .seconds(2) }
    package static var properties: [PropertyDescriptor] { MSRProperty.descriptors }

    package static func lastWords(for device: DeviceIdentity) -> [TransportCommand] {
        let route = Self.route(device)
        return MSRCommand.farewell.map { command($0, route) }
    }

    package init(_ device: DeviceIdentity) { self.init(device, options: ReaderOptions()) }

    package init(_ device: DeviceIdentity, options: ReaderOptions) {
        route = Self.route(device)
        isVirtual = device.isSimulated
        dialogue = MSRDialogue(
            model: device.isSimulated ? "MSR605X" : device.product ?? "MSR605X", serial: device.serial,
            reading: options.encoderReading, formats: OwnFormats.of(options),
            variants: route == .feature ? [.featureReports] : [])
    }

    package mutating func start() -> [DriverAction] {
        perform(isVirtual ? dialogue.overhear() : dialogue.start())
    }

    package mutating func receive(_ input: HIDReport) -> [DriverAction] {
        guard input.kind == .input else { return [] }
        guard let piece = MSRReport.piece(of: input.bytes) else {
            let what = "report of \(input.bytes.count) bytes that says it has more"
            return [.signal(.malformed(what))] + inputsLost()
        }
        // A message that begins before the last one has ended: a report of that was lost. What goes on without a beginning is
        // found out by what stands in it.
        let hasGap = piece.isFirst && isInMessage
        isInMessage = !piece.isLast
        let lost = hasGap ? dialogue.bytesLost() : []
        let taken = dialogue.receive(
            piece.payload, beginsMessage: piece.isFirst, endsMessage: piece.isLast)
        return perform(lost + taken)
    }

    package mutating func inputsLost() -> [DriverAction] {
        isInMessage = false
        return perform(dialogue.bytesLost())
    }

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
            case .send(let command): .command(Self.command(command, route))
            case .startTimer(let duration): .startTimer(duration)
            case .stopTimer: .stopTimer
            case .signal(let signal): .signal(signal)
            }
        }
    }

    private static func route(_ device: DeviceIdentity) -> Route {
        guard let descriptor = try? ReportDescriptor(device.reportDescriptor),
            descriptor.longestByteLength(.output) == nil, descriptor.longestByteLength(.feature) != nil
        else { return .output }
        return .feature
    }

    private static func command(_ command: MSRCommand, _ route: Route) -> TransportCommand {
        switch route {
        case .output: .output(MSRReport.report(command))
        case .feature: .setFeature(MSRReport.report(command))
        }
    }
}

/// Card formats of a site's own, which whoever configured them has checked.
enum OwnFormats {
    static func of(_ options: ReaderOptions) -> [StripeFormat] {
        guard !options.cardFormats.isEmpty, let file = try? FormatFile(options.cardFormats) else { return [] }
        return file.formats
    }
}
