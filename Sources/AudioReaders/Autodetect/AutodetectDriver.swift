import CardData
package import ReaderKit
import StateMachine

/// Finds out what is on a headset jack, then is that reader.
///
/// The kinds are tried in the order of the SDK's guide: IPS Enterprise, IPS, UniMag, and a passive head last, which can
/// only be known by a card that passes. Until the search is complete nothing is said of power and readiness; nobody is
/// asked anything.
package struct AutodetectDriver: ReaderDriver {
    package static let descriptor = DriverDescriptor(
        name: "autodetect", kind: "autodetect",
        matches: [
            DeviceMatch(
                bus: .audio, model: "Audio jack reader",
                support: .shouldWork(why: "tries the other kinds; often finds nothing though one is there"))
        ])

    /// How long a card may take to pass a passive head.
    static let listeningTime = Duration.seconds(5)

    private var machine: StateMachine<AutodetectState>
    private let device: DeviceIdentity
    private var options: ReaderOptions
    /// The kind that is tried, or that was found.
    private var candidate: any ReaderDriver<SampleBlock>
    /// What the candidate said of itself; told when it is the one.
    private var said: [DriverAction] = []

    package init(_ device: DeviceIdentity) { self.init(device, options: ReaderOptions()) }

    package init(_ device: DeviceIdentity, options: ReaderOptions) {
        self.device = device
        self.options = options
        candidate =
            switch options.knownKind {
            case .ipsEnterprise, .fail, nil: IPSDriver<EnterpriseIPS>(device, options: options)
            case .ips: IPSDriver<EncryptedIPS>(device, options: options)
            case .unimag: UniMagDriver(device, options: options)
            case .passive: PassiveHeadDriver(device, options: options)
            }
        machine = AutodetectState.machine(
            from: options.knownKind.map { $0 == .fail ? .failed : .found } ?? .ipsEnterprise)
    }

    package var state: AutodetectState { machine.state }

    package mutating func start() -> [DriverAction] {
        switch state {
        case .found: candidate.start()
        case .failed: [.command(.sound(.stopListening))]
        case .ipsEnterprise, .ips, .unimag, .passive: [.signal(.autodetectStarted)] + tryCandidate()
        }
    }

    package mutating func receive(_ block: SampleBlock) -> [DriverAction] {
        guard state != .failed else { return [] }
        return judge(candidate.receive(block))
    }

    package mutating func timerFired() -> [DriverAction] {
        switch state {
        case .passive: tryNext()
        case .ipsEnterprise, .ips, .unimag, .found: judge(candidate.timerFired())
        case .failed: []
        }
    }

    package mutating func commandFailed(_ error: DeviceError) -> [DriverAction] {
        state == .failed ? [] : judge(candidate.commandFailed(error))
    }

    package mutating func property(_ request: PropertyRequest) -> [DriverAction] {
        candidate.property(request)
    }

    package mutating func request(_ request: ReaderRequest) -> (RequestOutcome, [DriverAction]) {
        if case .configure(let options) = request { self.options = options }
        switch state {
        case .found: return candidate.request(request)
        case .failed:
            if case .configure = request { return (.accepted(), []) }
            return (.refused(RequestRefusal(.wrongState, "no reader was found on the headset jack")), [])
        case .ipsEnterprise, .ips, .unimag, .passive:
            if case .configure = request { return (.accepted(), []) }
            return (.refused(RequestRefusal(.busy, "the kind of reader is being looked for")), [])
        }
    }

    /// The options of the search: nobody is asked.
    private var silentOptions: ReaderOptions {
        var silent = options
        silent.activateOnAttach = true
        silent.activateWithoutPrompting = true
        silent.prompts = .none
        return silent
    }

    private mutating func tryCandidate() -> [DriverAction] {
        said = []
        switch state {
        case .ipsEnterprise: return call(IPSDriver<EnterpriseIPS>(device, options: silentOptions))
        case .ips: return call(IPSDriver<EncryptedIPS>(device, options: silentOptions))
        case .unimag:
            candidate = UniMagDriver(device, options: silentOptions)
            return judge(candidate.start())
        case .passive:
            candidate = PassiveHeadDriver(device, options: options)
            return [.command(.sound(.listen))] + judge(candidate.start()) + [.startTimer(Self.listeningTime)]
        case .found, .failed: return []
        }
    }

    private mutating func call(_ reader: some ReaderDriver<SampleBlock>) -> [DriverAction] {
        candidate = reader
        let greeting = candidate.start()
        return judge(greeting) + judge(candidate.request(.testCommunication).1)
    }

    private mutating func tryNext() -> [DriverAction] {
        machine.change(to: state.next)
        guard state == .failed else { return tryCandidate() }
        return [.stopTimer, .command(.sound(.stopListening)), .signal(.autodetectCompleted(.fail))]
    }

    /// Passes on what is to be done, keeps what is said, and looks whether it decides anything.
    private mutating func judge(_ actions: [DriverAction]) -> [DriverAction] {
        guard state != .found, state != .failed else { return actions }
        var passed: [DriverAction] = []
        var verdict: Bool?
        for action in actions {
            guard case .signal(let signal) = action else {
                passed.append(action)
                continue
            }
            if isState(signal) { said.append(action) }
            if case .notice(.overrun) = signal { passed.append(action) }
            verdict = verdict ?? self.verdict(on: signal)
        }
        return passed + (verdict.map { $0 ? found() : tryNext() } ?? [])
    }

    /// Whether the signal changes what clients see afterwards. A card that passes meanwhile is nobody's.
    private func isState(_ signal: ReaderSignal) -> Bool {
        switch signal {
        case .identified, .activated, .deactivated, .lost, .ready, .unready: true
        case .activationFailed, .swipeStarted, .swiped, .notice, .property, .promptShown, .promptClosed,
            .testCompleted, .autodetectStarted, .autodetectCompleted:
            false
        }
    }

    /// Whether this is the kind, or is not; nil where nothing is decided.
    private func verdict(on signal: ReaderSignal) -> Bool? {
        switch state {
        case .ipsEnterprise, .ips:
            if case .testCompleted(let answered, _) = signal { return answered }
        case .unimag:
            if case .activated(let result) = signal { return result == .success }
            if case .activationFailed = signal { return false }
        case .passive:
            if case .swiped(let swipe) = signal, swipe.tracks.contains(where: { $0.text != nil }) {
                return true
            }
        case .found, .failed: break
        }
        return nil
    }

    private mutating func found() -> [DriverAction] {
        let result: AutodetectResult =
            switch state {
            case .ipsEnterprise: .ipsEnterprise
            case .ips: .ips
            case .unimag: .unimag
            case .passive: .passive
            case .found, .failed: .fail
            }
        let stop: [DriverAction] = state == .passive ? [.stopTimer] : []
        machine.change(to: .found)
        var rest: [DriverAction] = []
        if result != .passive {
            rest = candidate.request(.configure(options)).1
        }
        defer { said = [] }
        return stop + said + [.signal(.autodetectCompleted(result))] + rest
    }
}
