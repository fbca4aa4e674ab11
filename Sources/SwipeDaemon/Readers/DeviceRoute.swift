import DeviceIO
import ReaderCatalog
import ReaderKit

/// What is to be done with a device that the kernel or a virtual reader's source shows.
enum DeviceRoute: Sendable {
    /// A HID reader that this driver takes.
    case hid(any ReaderDriver<HIDReport>.Type, DeviceMatch)
    /// A sound input, real or virtual, that is given to a reader.
    case audio(AudioInput)
    /// A virtual reader, through the driver that its ids name.
    case virtualHID(any ReaderDriver<HIDReport>.Type, DeviceMatch, VirtualReaderConfiguration)
    /// A card reader that cannot be used as it is.
    case unsupported(DriverDescriptor, DeviceMatch, remedy: String)
    /// None of ours.
    case none

    /// Decides for one device. Depends on its arguments alone.
    static func of(_ device: DeviceIdentity, _ configuration: DaemonConfiguration) -> DeviceRoute {
        if device.isSimulated { return virtual(device, configuration) }
        if device.bus == .audio { return soundCard(device, configuration) }
        guard configuration.isHIDEnabled else { return .none }
        switch ReaderCatalog.verdict(on: device) {
        case .reader(let driver, let match): return .hid(driver, match)
        case .unsupported(let descriptor, let match, let remedy):
            return .unsupported(descriptor, match, remedy: remedy)
        case .stranger: return .none
        }
    }

    private static func virtual(_ device: DeviceIdentity, _ configuration: DaemonConfiguration) -> DeviceRoute
    {
        for reader in configuration.virtualReaders where reader.identity.syspath == device.syspath {
            switch reader.kind {
            case .audio:
                guard let audio = configuration.virtualAudio.first(where: { $0.virtualReader == reader })
                else {
                    return .none
                }
                return .audio(AudioInput(audio, device, stateFolder: configuration.server.stateFolder))
            case .hid:
                guard case .reader(let driver, let match) = ReaderCatalog.verdict(on: device) else {
                    return .none
                }
                return .virtualHID(driver, match, reader)
            }
        }
        return .none
    }

    /// A sound card is opened only where the configuration says that a reader is at it: nobody likes an open
    /// microphone.
    private static func soundCard(
        _ device: DeviceIdentity, _ configuration: DaemonConfiguration
    ) -> DeviceRoute {
        guard
            let reader = configuration.audioReaders.first(where: { SoundCardName($0.device).names(device) })
        else { return .none }
        return .audio(AudioInput(reader, device, stateFolder: configuration.server.stateFolder))
    }
}

extension DaemonConfiguration {
    /// The virtual readers, as the devices they are.
    var virtualReaders: [VirtualReaderConfiguration] {
        virtualHID.map(\.virtualReader) + virtualAudio.map(\.virtualReader)
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
