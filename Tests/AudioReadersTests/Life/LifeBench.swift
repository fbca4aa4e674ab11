import AudioReaders
import ReaderKit
import ReaderPackets

/// A driver and the life that clients hear of, without a transport: sound goes in, commands and events come out.
struct LifeBench<Driver: ReaderDriver> where Driver.Input == SampleBlock {
    static var rate: Int { 48_000 }

    var rate = Self.rate
    var driver: Driver
    var lifecycle: ReaderLifecycle
    /// What clients heard since somebody last looked.
    private(set) var events: [ReaderEvent] = []
    /// What the sound card was told to play since somebody last looked.
    private(set) var commands: [SoundCommand] = []
    /// What is to be played once.
    var bursts: [Int16] = []
    /// The driver's timer.
    private(set) var timer: Duration?
    /// What is switched on at the card.
    private(set) var isToneOn = false
    private(set) var isVolumeRaised = false
    /// Whether the microphone is open: what comes while it is not, nobody hears.
    private(set) var isListening = true
    /// The card's volume, as it says it with every block.
    var volume: Int? = 40
    /// What it was before it was raised.
    private var quietVolume: Int?
    /// Whether a block waits that was captured before the volume was put back.
    private var hasLateBlock = false
    private var frame: UInt64 = 0
    /// The profile that the reader on the other side has.
    var profile = AcousticProfile.uniMagProfiles[0]

    init(_ options: ReaderOptions = ReaderOptions()) {
        let device = DeviceIdentity(readerID: "jack-1", bus: .audio, node: "hw:CARD=desk,DEV=0")
        driver = Driver(device, options: options)
        lifecycle = ReaderLifecycle(ReaderDetails(model: "jack"))
        isListening = options.activateOnAttach || Driver.self != UniMagDriver.self
    }

    mutating func start() {
        take(driver.start())
        say(lifecycle.introduce())
    }

    /// Silence of this many milliseconds.
    mutating func quiet(_ milliseconds: Int = 20) {
        hear([Int16](repeating: 0, count: rate / 1_000 * milliseconds))
    }

    mutating func hear(_ samples: [Int16], losing lost: UInt64 = 0) {
        frame += lost
        if hasLateBlock { hearLateBlock() }
        guard isListening else { return }
        let block = SampleBlock(
            samples: samples, sampleRate: rate, firstFrame: frame, playbackVolume: volume)
        frame += UInt64(samples.count)
        take(driver.receive(block))
    }

    /// A block of the capture before, in whatever state the driver is by now.
    private mutating func hearLateBlock() {
        hasLateBlock = false
        let silence = [Int16](repeating: 0, count: rate / 100)
        take(
            driver.receive(
                SampleBlock(samples: silence, sampleRate: rate, firstFrame: 4_800, playbackVolume: 100)))
    }

    /// The reader says something, with silence round it.
    mutating func hears(_ bytes: [UInt8]) {
        quiet(30)
        hear(sound(bytes))
        quiet(60)
    }

    func sound(_ bytes: [UInt8]) -> [Int16] {
        AcousticModulator(profile: profile, sampleRate: rate, speaker: .reader, level: 0.3).samples(
            for: bytes)
    }

    /// Time passes.
    mutating func pass(_ duration: Duration) {
        guard let left = timer else { return }
        timer = left - duration
        if left <= duration { timeOut() }
    }

    /// The timer runs out. Nothing happens where none runs.
    mutating func timeOut() {
        guard timer != nil else { return }
        timer = nil
        take(driver.timerFired())
    }

    mutating func fail(_ error: DeviceError) { take(driver.commandFailed(error)) }

    @discardableResult
    mutating func ask(_ request: ReaderRequest) -> RequestOutcome {
        let (outcome, actions) = driver.request(request)
        take(actions)
        return outcome
    }

    mutating func unplug() {
        say(lifecycle.detached(.unplugged))
        (isToneOn, isVolumeRaised, isListening, timer) = (false, false, false, nil)
    }

    /// The sound card sleeps with the machine.
    mutating func sleep() { say(lifecycle.suspended()) }

    mutating func takeEvents() -> [ReaderEvent] {
        defer { events = [] }
        return events
    }

    mutating func takeCommands() -> [SoundCommand] {
        defer { commands = [] }
        return commands
    }

    /// The prompt that people see.
    var prompt: ReaderPrompt? {
        var open: ReaderPrompt?
        for event in allEvents {
            if case .promptShown(let prompt) = event { open = prompt }
            if case .promptClosed = event { open = nil }
        }
        return open
    }

    private var allEvents: [ReaderEvent] = []

    private mutating func say(_ steps: [ReaderStep]) {
        events += steps.map(\.event)
        allEvents += steps.map(\.event)
    }

    private mutating func take(_ actions: [DriverAction]) {
        for action in actions {
            switch action {
            case .command(.sound(let command)): obey(command)
            case .command: break
            case .startTimer(let duration): timer = duration
            case .stopTimer: timer = nil
            case .signal(let signal): say(lifecycle.received(signal))
            }
        }
    }

    private func resampled(_ samples: [Int16], _ from: Int) -> [Int16] {
        guard from != rate else { return samples }
        return (0..<(samples.count * rate / from)).map { samples[min(samples.count - 1, $0 * from / rate)] }
    }

    private mutating func obey(_ command: SoundCommand) {
        switch command {
        case .listen:
            // A card that is opened counts from 0.
            if !isListening { frame = 0 }
            return isListening = true
        case .stopListening: return isListening = false
        case .startTone, .stopTone, .raiseVolume, .restoreVolume, .play: commands.append(command)
        }
        switch command {
        case .listen, .stopListening: break
        case .startTone: isToneOn = true
        case .stopTone: (isToneOn, bursts) = (false, [])
        case .raiseVolume:
            if !isVolumeRaised { quietVolume = volume }
            isVolumeRaised = true
            if volume != nil { volume = 100 }
        case .restoreVolume:
            hasLateBlock = isListening && isVolumeRaised && volume != nil
            if isVolumeRaised, volume != nil { volume = quietVolume }
            isVolumeRaised = false
        case .play(let samples, let from): bursts += resampled(samples, from)
        }
    }
}

extension LifeBench where Driver == UniMagDriver {
    static var version: [UInt8] {
        let body = [0x02] + Array("TEST SHUTTLE".utf8) + [0x03]
        return [0x06] + body + [body.reduce(0, ^)]
    }

    /// A card in the original format, not encrypted: track 2 of a published test card.
    static var packet: [UInt8] {
        let track = Array(";4266841088889999=080910110000046?".utf8)
        let data: [UInt8] = [0x00, 0x12, 0x00, UInt8(track.count), 0x00] + track
        return [0x02, UInt8(data.count), 0x00] + data + [data.reduce(0, ^), data.reduce(0, &+), 0x03]
    }

    /// Puts it into a state by the way that leads there.
    mutating func reach(_ state: UniMagState) {
        start()
        if driver.state == .attached, state != .attached { ask(.activate) }
        if state == .attached || state == .checkingVolume { return }
        quiet()
        if state == .prompting { return }
        if let prompt, prompt.kind.isQuestion { ask(.answerPrompt(id: prompt.id, .accept)) }
        if state == .raisingVolume { return }
        quiet()
        // A card that does not tell its volume.
        if driver.state == .raisingVolume { timeOut() }
        if state == .poweringUp { return }
        timeOut()
        if state == .connecting { return }
        hears(Self.version)
        if state == .active || state == .requesting { return }
        if driver.state == .active { ask(.requestSwipe()) }
        hears([0x06])
        if state == .awaitingSwipe { return }
        quiet(30)
        hear(Array(sound(Self.packet).dropLast(2_000)))
    }

    /// The options under which the state can be reached and stays.
    static func options(for state: UniMagState) -> ReaderOptions {
        var options = ReaderOptions()
        options.activateOnAttach = state != .attached
        options.alwaysAcceptSwipe = state != .active
        return options
    }
}
