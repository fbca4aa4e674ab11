import DeviceIO
import Logging
import ReaderKit
import SwipeProtocol

/// Watches what devices come and go, and hands those that are readers to the supervisor.
actor DeviceWatch {
    let supervisor: ReaderSupervisor
    private let logger: Logger
    private(set) var configuration: DaemonConfiguration
    private var monitor: HotplugMonitor?
    private var watching: Task<Void, Never>?
    private var hasEnded = false
    private(set) var devices: [String: DeviceIdentity] = [:]
    /// Keyboards that were taken, and that were not.
    var keyboards = KeyboardDesk()
    /// The sound inputs that are given to readers, by their cards' syspaths.
    private var ports: [String: AudioPort] = [:]
    /// The end of all gains that are still being put back: a mixer may take seconds, and the next device waits for none.
    private var gainsEnd: Task<Void, Never>?
    private let describeInput: @Sendable (String, AudioInputInfo?) -> Void
    private let describeUnused: @Sendable ([UnusedInputInfo]) -> Void
    /// For readers whose drivers have little to do.
    private let executor: any TaskExecutor
    /// The loop that they run on, where it can wait for what they read; else each has a thread.
    private let loop: SourceLoop?
    /// Devices that an earlier monitor reported, and this one has not yet: gone, if its first scan does not show them.
    private var unconfirmed: Set<String> = []
    private(set) var hasScanned = false
    /// The sections of which the log says that they are not used.
    private var toldUnused: Set<UnusedInputInfo> = []

    /// - Parameters:
    ///   - executor: where the tasks of HID and serial readers run; those of sound compute longer for a block and run
    ///     elsewhere.
    ///   - loop: the loop of that executor.
    ///   - describeInput: called with how each sound input that is given to a reader is used, and with nil when it
    ///     no longer is.
    ///   - describeUnused: called with the sections for sound cards that are not used.
    init(
        _ configuration: DaemonConfiguration, supervisor: ReaderSupervisor, executor: any TaskExecutor,
        loop: SourceLoop? = nil,
        logger: Logger,
        describeInput: @escaping @Sendable (String, AudioInputInfo?) -> Void,
        describeUnused: @escaping @Sendable ([UnusedInputInfo]) -> Void
    ) {
        self.describeInput = describeInput
        self.describeUnused = describeUnused
        self.executor = executor
        self.loop = loop
        self.configuration = configuration
        self.supervisor = supervisor
        self.logger = logger
    }

    func begin() {
        watching = Task {
            await restoreVolumes()
            await watchUntilCancelled()
        }
    }

    /// Returns when every sound card is as it was found; attachments of other readers are the supervisor's.
    func end() async {
        hasEnded = true
        watching?.cancel()
        await watching?.value
        for port in ports.values { await end(port, .shutdown) }
        await gainsEnd?.value
    }

    private func restoreVolumes() async {
        // Before any card is opened: a daemon that was killed may have left one at its maximum.
        for restored in await VolumeRecords.restoreAll(in: configuration.server.stateFolder) {
            let (what, event) =
                switch restored.side {
                case .playback: ("the volume that an earlier run had raised", "reader.volume_restored")
                case .capture: ("the gain that an earlier run had set", "reader.gain_restored")
                }
            logger.notice(
                "\(what) is put back", metadata: ["event": "\(event)", "card": "\(restored.control)"])
        }
    }

    /// A monitor that fails is replaced by a new one, after a pause: a daemon that went on without would look healthy
    /// and see no reader any more.
    private func watchUntilCancelled() async {
        var backoff = Backoff()
        var lastFailure: DeviceError?
        while !Task.isCancelled {
            let failure = await watch()
            if failure == .closed { return }
            if hasScanned { backoff.reset() }
            if hasScanned || failure != lastFailure {
                logger.error(
                    "devices cannot be watched, trying again; is udev running?",
                    metadata: ["event": "hotplug.failed", "why": "\(failure)"])
            }
            lastFailure = failure
            try? await Task.sleep(for: backoff.next())
        }
    }

    /// Takes a changed configuration over: readers that are now meant otherwise end, and begin anew. At the others what
    /// clients have set ends.
    func reconfigure(_ new: DaemonConfiguration) async {
        // What would begin now nobody would end.
        guard !hasEnded else { return }
        let old = configuration
        configuration = new
        let changed = devices.values.filter { new.means($0, otherwiseThan: old) }
        // All of them first: a keyboard's input device and its hidraw node are one reader, and have one name.
        for device in changed { await detach(device.syspath, .removed) }
        // One may have been unplugged meanwhile. Where a section names another device now, the monitor tells of both.
        // It may be told to end in each of these pauses, too.
        for device in changed where !hasEnded && devices[device.syspath] == device && new.shows(device) {
            await attach(device)
        }
        guard !hasEnded else { return }
        for port in Array(ports.values) { await port.reset() }
        if old.virtualReaders != new.virtualReaders { monitor?.setVirtualReaders(new.virtualReaders) }
        guard old.serialReaders == new.serialReaders else {
            // Which of them are not used is known, and told, once they were looked for.
            monitor?.setSerialLines(new.serialReaders.map(\.line))
            return
        }
        if hasScanned, old.audioReaders != new.audioReaders { tellOfUnusedReaders() }
        listUnused()
    }

    /// The sections that have no card, or no line.
    private var unused: [UnusedInputInfo] {
        configuration.unusedAudioReaders(among: devices.values).map { reader, why in
            UnusedInputInfo(section: "audio-reader \(reader.name)", device: reader.device, why: why)
        }
            + configuration.absentSerialReaders(among: devices.values).map { reader in
                UnusedInputInfo(
                    section: "serial-reader \(reader.line.name)", device: reader.line.path,
                    why: reader.line.whyAbsent())
            }
    }

    /// For clients. Not before all devices are known.
    private func listUnused() {
        if hasScanned { describeUnused(unused) }
    }

    /// A section that is never used would otherwise look like one that is. Once each: devices are scanned again at every change.
    private func tellOfUnusedReaders() {
        let unused = unused
        defer { toldUnused = Set(unused) }
        for input in unused where !toldUnused.contains(input) {
            logger.notice(
                "a section of the configuration is not used now",
                metadata: [
                    "event": "reader.input_unused", "section": "\(input.section)",
                    "device": "\(input.device)", "why": "\(input.why)",
                ])
        }
    }

    /// The sound input with that reader, plugged in or not.
    func port(of readerID: String) -> AudioPort? { ports.values.first { $0.readerID == readerID } }

    /// A configured virtual reader by its id, and what a swipe on it looks like.
    func virtualReader(named id: String) -> (VirtualReaderConfiguration, SimulatedInput.Terms)? {
        guard let reader = configuration.virtualReaders.first(where: { $0.identity.readerID == id }) else {
            return nil
        }
        let terms: SimulatedInput.Terms =
            switch reader.kind {
            case .audio: .sound(rate: configuration.virtualAudio(at: reader.identity)?.rate ?? 48_000)
            case .hid(let vendorID, let productID, _): .reports(vendorID, productID)
            case .line: .line(type: configuration.virtualSerial(at: reader.identity)?.type ?? "")
            case .keyboard:
                .keys(configuration.virtualKeyboard(at: reader.identity)?.options.keyboard.layouts.first)
            }
        return (reader, terms)
    }

    /// Watches with one monitor until it fails, or until the task is cancelled.
    private func watch() async -> DeviceError {
        hasScanned = false
        unconfirmed = Set(devices.keys)
        do throws(DeviceError) {
            let monitor = try HotplugMonitor(
                virtualReaders: configuration.virtualReaders,
                serialLines: configuration.serialReaders.map(\.line))
            self.monitor = monitor
            defer {
                self.monitor = nil
                monitor.close()
            }
            while true {
                await handle(try await monitor.next())
                listUnused()
            }
        } catch {
            return error
        }
    }

    private func handle(_ event: DeviceEvent) async {
        switch event {
        case .added(let device):
            unconfirmed.remove(device.syspath)
            if let old = devices[device.syspath], old != device {
                await detach(old.syspath, .unplugged)
            }
            devices[device.syspath] = device
            await attach(device)
            // Of a mouse its hidraw node is told, which the kernel makes once its input is there.
            await giveUpPointers(beside: device)
            if device.isEventDevice { await reconsiderKeyboards() }
        case .removed(let syspath):
            devices[syspath] = nil
            keyboards.removed(syspath)
            await detach(syspath, .unplugged)
        case .scanned:
            hasScanned = true
            for syspath in unconfirmed { await handle(.removed(syspath: syspath)) }
            unconfirmed = []
            await attachWaitingKeyboards()
            let count = await supervisor.count
            logger.debug("devices scanned", metadata: ["event": "hotplug.scanned", "readers": "\(count)"])
            tellOfUnusedReaders()
        }
    }

    func detach(_ syspath: String, _ reason: DetachReason) async {
        keyboards.deaf.remove(syspath)
        if let port = ports.removeValue(forKey: syspath) {
            await end(port, reason)
        } else {
            await supervisor.detach(syspath: syspath, reason)
        }
    }

    private func end(_ port: AudioPort, _ reason: DetachReason) async {
        let last = await port.end(reason)
        gainsEnd = Task { [earlier = gainsEnd] in
            await earlier?.value
            await last.value
        }
    }

    func attach(_ device: DeviceIdentity) async {
        var device = device
        device.name = configuration.name(of: device)
        await forgetDeaf(beside: device)
        switch DeviceRoute.of(device, configuration) {
        case .hid(let driver, let match): await attachHID(device, match, driver)
        case .virtualHID(let driver, let match, let reader):
            await attachVirtual(device, match, driver, reader)
        case .virtualSerial(let driver, let match, let reader, let options):
            await attachVirtual(device, match, driver, reader, options)
        case .keyboard(let driver, let match, let keyboard):
            await attachKeyboard(device, match, driver, keyboard)
        case .virtualKeyboard(let driver, let match, let reader, let options):
            await attachVirtual(device, match, driver, reader, options)
        case .audio(let input): await attachAudio(input)
        case .serial(let driver, let match, let reader): await attachSerial(device, match, driver, reader)
        case .unsupported(let descriptor, let match, let remedy):
            await supervisor.attachUnsupported(
                device.named(for: descriptor), match, kind: descriptor.kind, remedy: remedy)
        case .none:
            await attachDeaf(device)
            tellOfStranger(device)
        }
    }

    /// A device of the kernel's that is not a reader is ignored; a virtual one is in the configuration to be a reader.
    private func tellOfStranger(_ device: DeviceIdentity) {
        guard device.isSimulated, let vendorID = device.vendorID, let productID = device.productID else {
            return
        }
        let ids = [vendorID, productID].map { $0.usbNumber() }
        logger.warning(
            "unknown device: no driver lists a virtual reader's ids",
            metadata: [
                "event": "reader.stranger", "reader": "\(device.readerID)",
                "device": "\(ids.joined(separator: ":"))",
            ])
    }

    private func attachHID<Driver: ReaderDriver<HIDReport>>(
        _ device: DeviceIdentity, _ match: DeviceMatch, _ driver: Driver.Type
    ) async {
        await supervisor.attach(
            device.named(for: Driver.descriptor), match, driver: driver,
            terms: terms(configuration.hidOptions)
        ) {
            device throws(DeviceError) in
            try await HIDTransport.open(device, lastWords: Driver.lastWords(for: device))
        }
    }

    private func attachSerial<Driver: ReaderDriver<SerialBytes>>(
        _ device: DeviceIdentity, _ match: DeviceMatch, _ driver: Driver.Type,
        _ reader: DaemonConfiguration.SerialReader
    ) async {
        await supervisor.attach(device, match, driver: driver, terms: terms(reader.options)) {
            device throws(DeviceError) in
            try await SerialTransport.open(reader.line, lastWords: Driver.lastWords(for: device))
        }
    }

    func terms(_ options: ReaderOptions) -> AttachmentTerms {
        AttachmentTerms(options: { options }, executor: executor)
    }

    private func attachVirtual<Driver: ReaderDriver<HIDReport>>(
        _ device: DeviceIdentity, _ match: DeviceMatch, _ driver: Driver.Type,
        _ reader: VirtualReaderConfiguration
    ) async {
        let (complain, loop) = (complainer(device), loop)
        await supervisor.attach(device, match, driver: driver, terms: terms(configuration.hidOptions)) {
            _ throws(DeviceError) in try await reader.openHID(on: loop, complain: complain)
        }
    }

    private func attachVirtual<Driver: ReaderDriver<KeyInput>>(
        _ device: DeviceIdentity, _ match: DeviceMatch, _ driver: Driver.Type,
        _ reader: VirtualReaderConfiguration, _ options: ReaderOptions
    ) async {
        let (complain, loop) = (complainer(device), loop)
        await supervisor.attach(device, match, driver: driver, terms: terms(options)) {
            _ throws(DeviceError) in try await reader.openKeyboard(on: loop, complain: complain)
        }
    }

    /// Hears of what makes no report.
    private func complainer(_ device: DeviceIdentity) -> @Sendable (String) -> Void {
        var logger = logger
        logger[metadataKey: "reader"] = "\(device.readerID)"
        return { [logger] what in
            logger.warning(
                "virtual reader was sent something else, ignoring",
                metadata: ["event": "reader.bad_line", "what": "\(what)"])
        }
    }

    private func attachVirtual<Driver: ReaderDriver<SerialBytes>>(
        _ device: DeviceIdentity, _ match: DeviceMatch, _ driver: Driver.Type,
        _ reader: VirtualReaderConfiguration, _ options: ReaderOptions
    ) async {
        let loop = loop
        await supervisor.attach(device, match, driver: driver, terms: terms(options)) {
            _ throws(DeviceError) in try await reader.openLine(on: loop)
        }
    }

    private func attachAudio(_ input: AudioInput) async {
        guard ports[input.device.syspath] == nil else { return }
        let describeInput = describeInput, id = input.device.readerID
        let port = AudioPort(
            input, supervisor: supervisor,
            memory: RememberedTypes(folder: configuration.server.stateFolder), logger: logger,
            after: gainsEnd
        ) { describeInput(id, $0) }
        ports[input.device.syspath] = port
        await port.begin()
    }
}

extension DeviceIdentity {
    /// The name that clients see says what it is: `magtek-B05A9C4`.
    func named(for descriptor: DriverDescriptor) -> DeviceIdentity {
        var device = self
        device.readerID = "\(descriptor.kind)-\(readerID)"
        return device
    }
}
