import DeviceIO
import Logging
import NIOConcurrencyHelpers
import ReaderCatalog
import ReaderKit
import SwipeProtocol

/// One sound input that is given to a reader: begins an attachment when something is plugged in, ends it when it is
/// pulled out, and changes its driver. At most one driver has the card at a time.
actor AudioPort {
    nonisolated let readerID: String
    private let input: AudioInput
    private let supervisor: ReaderSupervisor
    private let memory: RememberedTypes
    private let describe: @Sendable (AudioInputInfo?) -> Void
    private let logger: Logger

    private var type: AudioReaderType
    /// What the search found that the configuration asks for.
    private var foundType: AudioReaderType?
    private let options: NIOLockedValueBox<ReaderOptions>
    private var presence = JackPresence()
    /// What was logged last, and still holds: it is tried again for as long as the card is there.
    private var jackFailure: DeviceError?
    private var isPluggedIn: Bool?
    /// How many captures are open: one, and for a moment none while the driver changes.
    private let microphones = NIOLockedValueBox(0)
    private let meter = InputMeter()
    private let gain: InputGain
    private var watch: Task<Void, Never>?
    /// Nil until the jack's state is known.
    private var debounce: JackDebounce?
    private var settling: Task<Void, Never>?
    private let start = ContinuousClock.now
    private let introduction = AudioVoice.Introduction(false)
    private var voice: AudioVoice?
    private var voicesSoFar = 0
    private var isEnded = false

    /// - Parameter previous: the end of what had the card before.
    init(
        _ input: AudioInput, supervisor: ReaderSupervisor, memory: RememberedTypes, logger: Logger,
        after previous: Task<Void, Never>? = nil, describe: @escaping @Sendable (AudioInputInfo?) -> Void
    ) {
        self.input = input
        self.supervisor = supervisor
        self.memory = memory
        self.logger = logger
        self.describe = describe
        readerID = input.device.readerID
        let setup = input.setup
        let remembered =
            setup.type == .autodetect && setup.remembersAutodetect ? memory.type(of: input.name) : nil
        foundType = remembered
        type = remembered ?? setup.type
        options = NIOLockedValueBox(setup.options)
        gain = InputGain(input.gain, configured: setup.gain, after: previous) { failure in
            logger.warning(
                "the gain could not be set or put back; tried again when the card is used, and at the next start",
                metadata: [
                    "event": "reader.gain_failed", "reader": "\(input.device.readerID)",
                    "why": "\(DeviceComplaint.words(for: failure, input.device))",
                ])
        }
    }

    func begin() {
        tell()
        watch = Task { [source = input.jack, volume = input.sound.volume] in
            // A daemon that was killed may have left it raised, and no driver that comes now need ever touch it.
            if let volume, let failure = await VolumeRecords.restore(volume) { self.volumeStays(failure) }
            await self.gain.restore()
            await JackWatch(source: source) { await self.heard($0) }.run()
        }
    }

    /// The card is gone, or the configuration no longer gives it to a reader.
    ///
    /// - Returns: what ends once the gain was put back. Who takes the card next comes after it.
    func end(_ reason: DetachReason) async -> Task<Void, Never> {
        isEnded = true
        watch?.cancel()
        settling?.cancel()
        await supervisor.detach(syspath: input.device.syspath, reason)
        describe(nil)
        return await gain.end(reason)
    }

    // MARK: What happens at the jack

    private func heard(_ report: JackWatch.Report) async {
        switch report {
        case .nothingTells:
            presence = JackPresence()
            settling?.cancel()
            await plugged(true)
        case .sensed(let state):
            jackFailure = nil
            presence.heard(state)
            await sensed()
        case .failed(let error):
            if error != jackFailure {
                logger.warning(
                    "the jack cannot be watched, trying again",
                    metadata: ["event": "reader.jack_failed", "why": "\(complaint(error))"])
            }
            jackFailure = error
            presence.lost()
        }
    }

    /// A control or switch goes with its driver, the card may stay.
    private func complaint(_ error: DeviceError) -> String {
        if case .gone = error {
            return "\(presence.name ?? "the control of the jack") is gone; what there is now will be used"
        }
        return DeviceComplaint.words(for: error, input.device)
    }

    /// What holds at the start is believed at once; a change, when it has lasted.
    private func sensed() async {
        let isIn = presence.isIn
        guard var debounce else {
            debounce = JackDebounce(isPlugged: isIn)
            return await plugged(isIn)
        }
        let due = debounce.report(isIn, at: .now - start)
        self.debounce = debounce
        settling?.cancel()
        guard let due else { return }
        settling = Task { [start] in
            do { try await Task.sleep(until: start + due) } catch { return }
            await self.settled()
        }
    }

    private func settled() async {
        if let isIn = debounce?.settle(at: .now - start) { await plugged(isIn) }
    }

    private func plugged(_ isIn: Bool) async {
        guard !isEnded, isIn != isPluggedIn else { return }
        isPluggedIn = isIn
        if isIn {
            await begin(replacing: false)
        } else {
            await supervisor.detach(syspath: input.device.syspath, .unplugged)
            await gain.release()
        }
        tell()
    }

    // MARK: Drivers

    private func begin(replacing: Bool) async {
        guard let (driver, match) = ReaderCatalog.audioReader(kind: type.rawValue) else { return }
        if replacing { voice?.handOver() }
        voicesSoFar += 1
        let voice = AudioVoice(introduction) { [number = voicesSoFar] result in
            Task { await self.found(result, by: number) }
        }
        self.voice = voice
        await run(driver, match, voice, replacing)
    }

    private func run<Driver: ReaderDriver<SampleBlock>>(
        _ driver: Driver.Type, _ match: DeviceMatch, _ voice: AudioVoice, _ replacing: Bool
    ) async {
        let type = type, input = input, options = options
        let terms = AttachmentTerms(
            options: {
                var chosen = options.withLockedValue { $0 }
                chosen.knownKind = voice.result
                return chosen
            }, edit: { voice.edited($0) })
        let microphones = microphones
        let meter = meter
        let open: @Sendable (DeviceIdentity) async throws(DeviceError) -> any ReaderTransport<SampleBlock> = {
            _ throws(DeviceError) in
            // A card that is busy now is then tried again, as for any other reader.
            let present = voice.result.map { AudioReaderType($0) ?? AudioReaderType.none } ?? type
            let listens =
                present.speaksUnasked || present == .unimag && options.withLockedValue { $0.activateOnAttach }
            let sound = try await input.open(for: type, listens: listens) { isOpen in
                microphones.withLockedValue { $0 += isOpen ? 1 : -1 }
                Task { await self.microphoneChanged() }
            } volumeStays: {
                self.volumeStays($0)
            }
            await self.opened()
            return MeteredTransport(sound, meter: meter)
        }
        if replacing {
            await supervisor.replace(input.device, match, driver: driver, terms: terms, open: open)
        } else {
            await supervisor.attach(input.device, match, driver: driver, terms: terms, open: open)
        }
    }

    private func opened() async {
        if hasReader { await gain.begin() }
    }

    /// No client's request fails by it, so only the log says so.
    private nonisolated func volumeStays(_ failure: DeviceError) {
        logger.warning(
            "the volume could not be put back and may still be raised; tried again when the card is used, and at the next start",
            metadata: [
                "event": "reader.volume_left", "reader": "\(readerID)",
                "why": "\(DeviceComplaint.words(for: failure, input.device))",
            ])
    }

    /// The search for the kind ended: from now on that kind is expected, unless another driver has the input by now.
    private func found(_ result: ReaderKit.AutodetectResult, by number: Int) {
        guard number == voicesSoFar, type == .autodetect else { return }
        guard let found = AudioReaderType(result) else { return tell() }
        type = found
        if input.setup.type == .autodetect { foundType = found }
        if input.setup.type == .autodetect, input.setup.remembersAutodetect,
            !memory.remember(found, of: input.name)
        {
            logger.warning(
                "the kind of reader cannot be written down",
                metadata: ["event": "reader.not_remembered", "folder": "\(memory.folder)"])
        }
        tell()
    }

    private func microphoneChanged() {
        if !isEnded { tell() }
    }

    // MARK: What clients ask

    /// Expects another kind of reader from now on, until the daemon or its configuration is loaded anew (``reset()``).
    /// The kind that is expected already changes nothing, but for a search that has ended: it is begun anew.
    ///
    /// - Returns: whether a search goes on now.
    @discardableResult
    func setType(_ new: AudioReaderType) async -> Bool {
        guard !isEnded else { return false }
        guard new != type || hasSearched else { return isSearching }
        let hadDriver = type != .none
        type = new
        if new == .autodetect { foundType = nil }
        if isPluggedIn == true {
            switch (hadDriver, new) {
            case (true, .none):
                await supervisor.detach(syspath: input.device.syspath, .removed)
                await gain.release()
            case (false, .none): break
            case (let replacing, _): await begin(replacing: replacing)
            }
        }
        tell()
        return isSearching
    }

    private var isSearching: Bool { type == .autodetect && isPluggedIn == true && voice?.result == nil }
    private var hasSearched: Bool { type == .autodetect && voice?.result != nil }

    /// Finds out what is in the jack; false where nothing is.
    func autodetect() async -> Bool {
        guard isPluggedIn == true, !isEnded else { return false }
        let hadDriver = type != .none
        type = .autodetect
        foundType = nil
        await begin(replacing: hadDriver)
        tell()
        return true
    }

    private func setGain(_ percent: Int) async -> RequestRefusal? {
        guard let failure = await gain.set(percent) else { return nil }
        let words = DeviceComplaint.words(for: failure, input.device)
        if case .mixerMissing = failure { return RequestRefusal(.notApplicable, words) }
        return RequestRefusal(.wrongState, words)
    }

    /// Changes how the reader behaves, now and when it is plugged in again. Nothing changes where the reader refuses.
    func configure(_ settings: ReaderSettings) async -> RequestOutcome {
        if let percent = settings.gain, settings == ReaderSettings(gain: percent) {
            return await setGain(percent).map { .refused($0) } ?? .accepted()
        }
        let old = options.withLockedValue { $0 }
        let new: ReaderOptions
        do throws(RequestRefusal) { new = try old.changed(by: settings) } catch { return .refused(error) }
        guard type.isSpokenTo else { return .refused(.alwaysReady(type.rawValue)) }
        if let percent = settings.gain, let refusal = await setGain(percent) { return .refused(refusal) }
        options.withLockedValue { $0 = new }
        guard let asker = await supervisor.session(of: readerID)?.holder else { return .accepted() }
        let outcome = await asker.request(.configure(new))
        if case .refused = outcome { options.withLockedValue { if $0 == new { $0 = old } } }
        return outcome
    }

    /// What the configuration says is in force again: it was loaded anew, and what clients have set ends.
    ///
    /// What a search found stays: it is what `autodetect` means, and another search plays loud tones that are a
    /// surprise at a reload.
    func reset() async {
        guard !isEnded else { return }
        await gain.reset()
        let configured = input.setup.options
        if options.withLockedValue({ $0 }) != configured {
            options.withLockedValue { $0 = configured }
            let outcome = await supervisor.session(of: readerID)?.holder?.request(.configure(configured))
            // A driver that keeps to what was set makes room for a new one, which begins with the configuration.
            if isPluggedIn == true, type.isSpokenTo, outcome?.keepsSettings == true {
                await begin(replacing: true)
            }
        }
        let expected = foundType ?? input.setup.type
        if expected != type { await setType(expected) }
    }

    /// What is in force now.
    func settings() async -> SettingsInForce {
        let (gain, gainRange) = await self.gain.inForce()
        let (now, configured) = (options.withLockedValue { $0 }, input.setup.options)
        func setting<Value: Hashable & Sendable>(
            _ value: (ReaderOptions) -> Value
        ) -> SettingInForce<Value> {
            SettingInForce(value(now), from: value(now) == value(configured) ? .configuration : .set)
        }
        return SettingsInForce(
            type: SettingInForce(
                type, from: type == input.setup.type ? .configuration : type == foundType ? .found : .set),
            alwaysAcceptSwipe: setting { $0.alwaysAcceptSwipe },
            activateOnAttach: setting { $0.activateOnAttach }, volumeToMax: setting { $0.volumeToMax },
            activateWithoutPrompting: setting { $0.activateWithoutPrompting },
            swipeTimeoutSeconds: setting { Int($0.swipeTimeout.components.seconds) },
            promptTimeoutSeconds: setting { Int($0.promptTimeout.components.seconds) },
            gain: gain, gainRangeDecibels: gainRange)
    }

    /// Whether a driver has the card, or is about to.
    private var hasReader: Bool { isPluggedIn == true && type != .none && !isEnded }

    // MARK: What clients see of the microphone

    /// The levels after a number; nil while nothing is listened to.
    nonisolated func levels(after number: UInt64?) -> [SoundLevel]? {
        microphones.withLockedValue { $0 > 0 } ? meter.levels(after: number) : nil
    }

    private var isListening: Bool { microphones.withLockedValue { $0 > 0 } }

    private func tell() {
        let isListening = isListening
        let profile = options.withLockedValue { $0.firstProfile(for: type) }
        // One of ours is an assumption by any name.
        let isAssumed = profile.map { ReaderCatalog.acousticProfiles.contains($0) } ?? true
        describe(
            AudioInputInfo(
                id: readerID, device: input.sound.capture.pcm, type: type, jack: presence.name,
                isPluggedIn: isPluggedIn, isListening: isListening, why: why(isListening),
                profile: profile?.name, isAssumed: type.isSpokenTo && isAssumed))
    }

    /// Why there is no reader to be asked for anything.
    var whyAbsent: String { isListening ? "the reader is not open now" : why(false) }

    private func why(_ isListening: Bool) -> String {
        if type == .none { return "no reader is expected: its type is none" }
        switch isPluggedIn {
        case .none: return "it is not known yet whether something is in the jack"
        case .some(false): return "nothing is in the jack"
        case .some(true):
            let what = "a reader of type \(type.rawValue) is expected"
            guard isListening else { return "\(what), \(whyClosed)" }
            return presence.name.map { "\(what), and something is in the \($0)" }
                ?? "\(what), and nothing shows whether it is plugged in"
        }
    }

    private var whyClosed: String {
        switch type {
        case .unimag: "and it says nothing without power: it is not activated"
        case .autodetect: "and nothing was found that could be listened to"
        case .passive, .ips, .ipsEnterprise, .none: "and the sound card is not open yet"
        }
    }
}

extension AudioReaderType {
    /// The kind that a search found; nil where it found none.
    fileprivate init?(_ result: ReaderKit.AutodetectResult) {
        switch result {
        case .ipsEnterprise: self = .ipsEnterprise
        case .ips: self = .ips
        case .unimag: self = .unimag
        case .passive: self = .passive
        case .fail: return nil
        }
    }
}
