import DeviceIO
import KeyboardReaders
import ReaderCatalog
import ReaderKit

/// What is to be done with a device that the kernel or a virtual reader's source shows.
enum DeviceRoute: Sendable {
    /// A HID reader that this driver drives.
    case hid(any ReaderDriver<HIDReport>.Type, DeviceMatch)
    /// A sound input, real or virtual, that is given to a reader.
    case audio(AudioInput)
    /// A virtual reader, through the driver that its ids name.
    case virtualHID(any ReaderDriver<HIDReport>.Type, DeviceMatch, VirtualReaderConfiguration)
    /// A serial line with a reader that this driver takes.
    case serial(any ReaderDriver<SerialBytes>.Type, DeviceMatch, DaemonConfiguration.SerialReader)
    /// A virtual reader on a line, through the driver that its section names.
    case virtualSerial(
        any ReaderDriver<SerialBytes>.Type, DeviceMatch, VirtualReaderConfiguration, ReaderOptions)
    /// A keyboard that the configuration names as a reader.
    case keyboard(any ReaderDriver<KeyInput>.Type, DeviceMatch, KeyboardTerms)
    /// A virtual reader that types.
    case virtualKeyboard(
        any ReaderDriver<KeyInput>.Type, DeviceMatch, VirtualReaderConfiguration, ReaderOptions)
    /// A card reader that cannot be used as it is.
    case unsupported(DriverDescriptor, DeviceMatch, remedy: String)
    /// None of ours.
    case none

    /// Decides for one device. Depends on its arguments alone.
    static func of(_ device: DeviceIdentity, _ configuration: DaemonConfiguration) -> DeviceRoute {
        if device.isSimulated { return virtual(device, configuration) }
        if device.bus == .audio { return soundCard(device, configuration) }
        if device.bus == .serial { return line(device, configuration) }
        guard configuration.isHIDEnabled else { return .none }
        if device.isEventDevice { return keyboard(device, configuration, isSilent: false) }
        // It is listed once: as the input device that it is taken by.
        let terms = device.isHIDKeyboard ? configuration.keyboardTerms(of: device) : nil
        if terms?.isSilent == true { return keyboard(device, configuration, isSilent: true) }
        let isTaken = terms != nil
        switch ReaderCatalog.verdict(on: device) {
        case .reader(let driver, let match): return .hid(driver, match)
        case .unsupported(let descriptor, let match, let remedy):
            if isTaken { return .none }
            if let keyboard = unreadKeyboard(device, configuration) { return keyboard }
            let lines = KnownKeyboards.find(device) == nil ? nil : device.linesToTake
            return .unsupported(
                descriptor, match, remedy: [remedy, lines].compactMap(\.self).joined(separator: "; or "))
        case .stranger:
            if let keyboard = unreadKeyboard(device, configuration) { return keyboard }
            return isTaken ? .none : untakenKeyboard(device)
        }
    }

    /// A reader whose input is inhibited, and whose reports are not those that are read.
    private static func unreadKeyboard(
        _ device: DeviceIdentity, _ configuration: DaemonConfiguration
    ) -> DeviceRoute? {
        guard device.isHIDKeyboardAmongOthers, configuration.keyboardTerms(of: device)?.isSilent == true
        else { return nil }
        return unsupportedKeyboard(
            device,
            remedy: "its reports begin with something else than a keyboard's, so on_stop = silent makes it "
                + "deaf; write on_stop = type")
    }

    /// An input device that is to be silent: for one that has no reports beside it, since then nothing of it is read.
    static func deafKeyboard(_ device: DeviceIdentity, _ configuration: DaemonConfiguration) -> DeviceRoute? {
        guard device.isEventDevice, configuration.isHIDEnabled,
            configuration.keyboardTerms(of: device)?.isSilent == true
        else { return nil }
        return unsupportedKeyboard(
            device,
            remedy:
                "it has no hidraw node, by which alone on_stop = silent reads a keyboard; write on_stop = type, "
                + "then: sudo systemctl reload swiped; sudo udevadm trigger --action=change -s input")
    }

    private static func unsupportedKeyboard(_ device: DeviceIdentity, remedy: String) -> DeviceRoute? {
        guard let descriptor = ReaderCatalog.keyboards.first?.descriptor, var match = descriptor.matches.first
        else { return nil }
        if let known = KnownKeyboards.find(device) { match.model = known.model }
        return .unsupported(descriptor, match, remedy: remedy)
    }

    private static func keyboard(
        _ device: DeviceIdentity, _ configuration: DaemonConfiguration, isSilent: Bool
    ) -> DeviceRoute {
        guard let terms = configuration.keyboardTerms(of: device), terms.isSilent == isSilent,
            let driver = ReaderCatalog.keyboards.first,
            var match = driver.descriptor.matches.first
        else { return .none }
        if let known = KnownKeyboards.find(device) { match.model = known.model }
        return .keyboard(driver, match, terms)
    }

    /// A reader of a known id that types into the focus.
    private static func untakenKeyboard(_ device: DeviceIdentity) -> DeviceRoute {
        guard device.isHIDKeyboard, KnownKeyboards.find(device) != nil, let lines = device.linesToTake
        else { return .none }
        return unsupportedKeyboard(device, remedy: "the reader types like a keyboard; \(lines)") ?? .none
    }

    private static func virtual(_ device: DeviceIdentity, _ configuration: DaemonConfiguration) -> DeviceRoute
    {
        for reader in configuration.virtualReaders where reader.identity.syspath == device.syspath {
            switch reader.kind {
            case .audio:
                guard let audio = configuration.virtualAudio(at: device) else { return .none }
                return .audio(AudioInput(audio, device, stateFolder: configuration.server.stateFolder))
            case .hid:
                switch ReaderCatalog.verdict(on: device) {
                case .reader(let driver, let match): return .virtualHID(driver, match, reader)
                case .unsupported(let descriptor, let match, let remedy):
                    return .unsupported(descriptor, match, remedy: remedy)
                case .stranger: return .none
                }
            case .line:
                guard let line = configuration.virtualSerial(at: device),
                    let (driver, match) = ReaderCatalog.serialReader(type: line.type)
                else { return .none }
                return .virtualSerial(driver, match, reader, line.options)
            case .keyboard:
                guard let keyboard = configuration.virtualKeyboard(at: device),
                    let driver = ReaderCatalog.keyboards.first, let match = driver.descriptor.matches.first
                else { return .none }
                return .virtualKeyboard(driver, match, reader, keyboard.options)
            }
        }
        return .none
    }

    private static func line(_ device: DeviceIdentity, _ configuration: DaemonConfiguration) -> DeviceRoute {
        guard let reader = configuration.serialReader(at: device),
            let (driver, match) = ReaderCatalog.serialReader(type: reader.type)
        else { return .none }
        return .serial(driver, match, reader)
    }

    /// A sound card is opened only where the configuration says that a reader is at it: an open microphone needs a
    /// reason.
    private static func soundCard(
        _ device: DeviceIdentity, _ configuration: DaemonConfiguration
    ) -> DeviceRoute {
        guard let reader = configuration.audioReader(at: device) else { return .none }
        return .audio(AudioInput(reader, device, stateFolder: configuration.server.stateFolder))
    }
}

extension DaemonConfiguration {
    /// The section that a sound card's input is given to.
    func audioReader(at device: DeviceIdentity) -> AudioReader? {
        guard device.bus == .audio, !device.isSimulated else { return nil }
        return audioReaders.first { SoundCardName($0.device).names(device) }
    }

    /// The section that a serial line is named in.
    func serialReader(at device: DeviceIdentity) -> SerialReader? {
        serialReaders.first {
            $0.line.identity.syspath == device.syspath && $0.line.identity.node == device.node
        }
    }

    /// Whether a device that is there because a section names it is still what that section names.
    func shows(_ device: DeviceIdentity) -> Bool {
        if device.isSimulated { return virtualReaders.contains { $0.identity == device } }
        return device.bus != .serial || serialReaders.contains { $0.line.identity == device }
    }

    /// The section of a virtual sound card.
    func virtualAudio(at device: DeviceIdentity) -> VirtualAudio? {
        virtualAudio.first { $0.virtualReader.identity.syspath == device.syspath }
    }

    /// The section of a virtual line.
    func virtualSerial(at device: DeviceIdentity) -> VirtualSerial? {
        virtualSerial.first { $0.virtualReader.identity.syspath == device.syspath }
    }

    /// The section of a virtual reader that types.
    func virtualKeyboard(at device: DeviceIdentity) -> VirtualKeyboard? {
        virtualKeyboards.first { $0.virtualReader.identity.syspath == device.syspath }
    }

    /// Whether this device is meant otherwise than before: what changed of others leaves it alone.
    func means(_ device: DeviceIdentity, otherwiseThan old: DaemonConfiguration) -> Bool {
        if name(of: device) != old.name(of: device) { return true }
        guard device.isSimulated else {
            if device.bus == .audio { return audioReader(at: device) != old.audioReader(at: device) }
            if device.bus == .serial { return serialReader(at: device) != old.serialReader(at: device) }
            return isHIDEnabled != old.isHIDEnabled
                || keyboardTerms(of: device) != old.keyboardTerms(of: device)
                || hidOptions != old.hidOptions && ReaderCatalog.isEncoder(device)
        }
        if device.bus == .audio { return virtualAudio(at: device) != old.virtualAudio(at: device) }
        if device.bus == .serial { return virtualSerial(at: device) != old.virtualSerial(at: device) }
        let keyboards = (virtualKeyboard(at: device), old.virtualKeyboard(at: device))
        if keyboards.0 != nil || keyboards.1 != nil { return keyboards.0 != keyboards.1 }
        if hidOptions != old.hidOptions, ReaderCatalog.isEncoder(device) { return true }
        return !virtualReaders.contains { $0.identity == device && old.virtualReaders.contains($0) }
    }

    /// The sections that none of these devices is given to, and why.
    func unusedAudioReaders(
        among devices: some Sequence<DeviceIdentity>
    ) -> [(reader: AudioReader, why: String)] {
        audioReaders.compactMap { reader in
            let takers = devices.filter { SoundCardName(reader.device).names($0) && !$0.isSimulated }
                .compactMap { audioReader(at: $0) }
            guard !takers.contains(reader) else { return nil }
            let why = takers.first.map { "[audio-reader \($0.name)] has that sound card" }
            return (reader, why ?? "no such sound card with an input is there; arecord -l lists them")
        }
    }

    /// The sections whose lines are not among these devices.
    func absentSerialReaders(among devices: some Sequence<DeviceIdentity>) -> [SerialReader] {
        serialReaders.filter { reader in !devices.contains { serialReader(at: $0) == reader } }
    }

    /// The virtual readers, as the devices they are.
    var virtualReaders: [VirtualReaderConfiguration] {
        virtualHID.map(\.virtualReader) + virtualAudio.map(\.virtualReader)
            + virtualSerial.map(\.virtualReader) + virtualKeyboards.map(\.virtualReader)
    }
}

extension DaemonConfiguration.VirtualHID {
    var virtualReader: VirtualReaderConfiguration {
        VirtualReaderConfiguration(
            name: "virtual-\(name)", kind: .hid(vendorID: vendorID, productID: productID), source: source)
    }
}

extension DaemonConfiguration.VirtualAudio {
    var virtualReader: VirtualReaderConfiguration {
        VirtualReaderConfiguration(name: "virtual-\(name)", kind: .audio, source: source, speed: speed)
    }
}

extension DaemonConfiguration.VirtualKeyboard {
    var virtualReader: VirtualReaderConfiguration {
        VirtualReaderConfiguration(name: "virtual-\(name)", kind: .keyboard, source: source)
    }
}

extension DaemonConfiguration.VirtualSerial {
    var virtualReader: VirtualReaderConfiguration {
        VirtualReaderConfiguration(name: "virtual-\(name)", kind: .line, source: source)
    }
}
