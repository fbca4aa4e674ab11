import CardData
package import ReaderKit
import StateMachine

/// What tells one reader of the IPS kind from the other.
package protocol IPSModel: Sendable {
    static var descriptor: DriverDescriptor { get }
    static var profile: AcousticProfile { get }
}

/// The IPS encrypted card reader.
package enum EncryptedIPS: IPSModel {
    package static let descriptor = DriverDescriptor(
        name: "ips", kind: "ips",
        matches: [
            DeviceMatch(
                bus: .audio, model: "IPS encrypted card reader",
                support: .shouldWork(why: "experimental: packet and sound are assumptions"))
        ])
    package static let profile = AcousticProfile.ips
}

/// The IPS Enterprise encrypted card reader. ASSUMPTION: the same, over a profile of its own.
package enum EnterpriseIPS: IPSModel {
    package static let descriptor = DriverDescriptor(
        name: "ips-enterprise", kind: "ips_enterprise",
        matches: [
            DeviceMatch(
                bus: .audio, model: "IPS Enterprise encrypted card reader",
                support: .shouldWork(why: "experimental: packet and sound are assumptions"))
        ])
    package static let profile = AcousticProfile.ipsEnterprise
}

/// A reader with a battery on a headset jack: it cannot be told from a headphone, so it is active and ready at once,
/// and a test finds out whether it is there.
package struct IPSDriver<Model: IPSModel>: ReaderDriver {
    package static var descriptor: DriverDescriptor { Model.descriptor }

    /// The SDK's guide: without an answer within 5 seconds there is no reader.
    static var testDuration: Duration { .seconds(5) }
    /// The reader is called so often in that time.
    static var calls: Int { 5 }

    private var machine = IPSState.machine()
    private var options: ReaderOptions
    private var details: ReaderDetails
    private var continuity = SoundContinuity()
    private var ear: ReaderEar
    private var profile: AcousticProfile
    private var callsMade = 0
    private var isVolumeRaised = false
    /// Whether what is being heard may be a packet.
    private var isPacket = false

    package init(_ device: DeviceIdentity) { self.init(device, options: ReaderOptions()) }

    package init(_ device: DeviceIdentity, options: ReaderOptions) {
        self.options = options
        details = ReaderDetails(model: "\(Model.descriptor.matches.first?.model ?? "IPS") (experimental)")
        profile = Self.profile(options)
        ear = Self.ear(profile)
    }

    package var state: IPSState { machine.state }

    package mutating func start() -> [DriverAction] {
        [.signal(.identified(details)), .signal(.activated(.success)), .signal(.ready(expiresIn: nil))]
    }

    package mutating func receive(_ block: SampleBlock) -> [DriverAction] {
        let (follows, losses) = continuity.note(block)
        return losses + ear.hear(block, follows: follows).flatMap { heard($0) }
    }

    private mutating func heard(_ sound: ReaderEar.Heard) -> [DriverAction] {
        switch sound {
        case .burst, .silence:
            isPacket = false
            return []
        case .packet:
            isPacket = true
            return [.signal(.swipeStarted)]
        case .message(let message):
            defer { isPacket = false }
            return said(IPSMessage(message))
        }
    }

    private mutating func said(_ message: IPSMessage) -> [DriverAction] {
        switch message {
        case .awake: return endTest(true)
        case .swipe(let packet):
            let swipe = packet.swipe()
            if swipe.encryption != nil { details.encryption = .encrypted }
            details.firmware = packet.firmware
            return [.signal(.identified(details)), .signal(.swiped(swipe))] + endTest(true)
        // The SDK says nothing of it; people then wonder what happened.
        case .badSwipe: return unreadable(.partial) + endTest(true)
        case .malformed(let refusal): return isPacket ? unreadable(.noisy, refusal.rawValue) : []
        case .damaged: return isPacket ? unreadable(.noisy, "a byte was received wrong") : []
        }
    }

    private func unreadable(_ hint: SwipeHint, _ why: String? = nil) -> [DriverAction] {
        (why.map { [.signal(.malformed($0))] } ?? [])
            + [.signal(.swiped(Swipe(tracks: [], quality: SwipeQuality(hint: hint))))]
    }

    package mutating func timerFired() -> [DriverAction] {
        switch state {
        case .ready: return []
        case .waking:
            machine.change(to: .testing)
            // One that lives on the tone has it for as long as the test takes.
            return (profile.power == .wakeUp ? [.command(.sound(.stopTone))] : []) + call()
        case .testing: return callsMade < Self.calls ? call() : endTest(false)
        }
    }

    package mutating func commandFailed(_ error: DeviceError) -> [DriverAction] {
        switch error {
        // The reader tells by its answer whether it was loud enough.
        case .volumeTooLow, .mixerMissing: []
        case .gone, .permissionDenied, .busy, .timedOut, .refused, .suspended, .closed, .unsupported,
            .playbackMissing, .system:
            endTest(false, why: SoundFault.words(error))
        }
    }

    package mutating func request(_ request: ReaderRequest) -> (RequestOutcome, [DriverAction]) {
        switch request {
        case .testCommunication: return beginTest()
        case .configure(let new):
            options = new
            if state == .ready {
                profile = Self.profile(options)
                ear = Self.ear(profile)
            }
            return (.accepted(), [])
        case .answerPrompt(let id, _):
            return (.refused(RequestRefusal(.noSuchPrompt, "no prompt \(id) is open")), [])
        case .activate, .cancelActivation, .deactivate, .requestSwipe, .cancelSwipe:
            return (.refused(.alwaysReady(Self.descriptor.kind)), [])
        }
    }

    private mutating func beginTest() -> (RequestOutcome, [DriverAction]) {
        guard machine.change(to: .waking) else {
            return (.refused(RequestRefusal(.busy, "a test is going on already")), [])
        }
        callsMade = 0
        isVolumeRaised = options.volumeToMax
        let volume: [DriverAction] = isVolumeRaised ? [.command(.sound(.raiseVolume))] : []
        return (
            .accepted(warning: IPSTest.warning),
            volume + [.command(.sound(.startTone(profile.tone))), .startTimer(profile.powerUp)]
        )
    }

    private mutating func call() -> [DriverAction] {
        callsMade += 1
        let modulator = AcousticModulator(profile: profile, sampleRate: profile.playbackRate)
        let samples = modulator.samples(for: IPSMessage.wakeUp)
        return [
            .command(.sound(.play(samples, rate: profile.playbackRate))),
            .startTimer(Self.testDuration / Self.calls),
        ]
    }

    private mutating func endTest(_ answered: Bool, why: String? = nil) -> [DriverAction] {
        guard machine.change(to: .ready) else { return [] }
        // Not what the options say by now: they may have been changed since.
        let volume: [DriverAction] = isVolumeRaised ? [.command(.sound(.restoreVolume))] : []
        isVolumeRaised = false
        return [.stopTimer, .command(.sound(.stopTone))] + volume
            + [.signal(.testCompleted(answered, why: why))]
    }

    /// The best one of its own kind: nobody asks a reader that speaks unasked, so that others could be tried.
    private static func profile(_ options: ReaderOptions) -> AcousticProfile {
        options.profiles(for: Model.profile.reader).first ?? Model.profile
    }

    private static func ear(_ profile: AcousticProfile) -> ReaderEar {
        ReaderEar(profile, packetStarts: [IPSMessage.swipeType, IPSMessage.badSwipeType])
    }
}

/// What whoever asks for a test must know.
package enum IPSTest {
    package static let warning =
        "the test plays a short, loud tone on the headset jack: take headphones off your ears first"
}
