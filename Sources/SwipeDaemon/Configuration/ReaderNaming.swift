import DeviceIO
import ReaderKit

/// The names that the configuration gives to readers.
extension ConfigurationReading {
    func namedReader(_ name: String) throws(ConfigurationError) -> DaemonConfiguration.NamedReader {
        let section = ["reader", name]
        let (serial, port) = (text(section, "serial"), text(section, "port"))
        guard !serial.isEmpty || !port.isEmpty else {
            throw fault(
                section, "serial",
                "[reader \(name)] needs a serial or a port: swipectl readers ID shows both")
        }
        return DaemonConfiguration.NamedReader(name: name, serial: serial, port: port)
    }
}

extension DaemonConfiguration {
    /// What this device is called: by its number or its place, else as the section is called that gives it to a reader.
    func name(of device: DeviceIdentity) -> String? {
        if let named = namedReaders.first(where: { $0.names(device) }) { return named.name }
        // Sections of virtual readers are in their ids already.
        guard !device.isSimulated else { return nil }
        switch device.bus {
        case .audio: return audioReader(at: device)?.name
        case .serial: return serialReader(at: device)?.line.name
        case .usb, .bluetooth, .other: return device.isEventDevice ? keyboardTerms(of: device)?.name : nil
        }
    }
}

extension DaemonConfiguration.NamedReader {
    /// Both have to fit where both are written: of two readers with one number, the port says which.
    func names(_ device: DeviceIdentity) -> Bool {
        let isNumber = serial.isEmpty || device.serial == serial
        let isPlace = port.isEmpty || device.port == port || device.port?.hasPrefix(port + "/") == true
        return isNumber && isPlace
    }
}
