import DeviceIO
import ReaderKit

/// The names that the configuration gives to readers.
extension ConfigurationReading {
    /// - Parameter before: what the sections before it name.
    func namedReader(
        _ name: String, _ before: inout [DaemonConfiguration.NamedReader]
    ) throws(ConfigurationError) -> DaemonConfiguration.NamedReader {
        let section = ["reader", name]
        let (serial, port) = (text(section, "serial"), text(section, "port"))
        guard !serial.isEmpty || !port.isEmpty else {
            throw fault(
                section, "serial",
                "[reader \(name)] needs a serial or a port: swipectl readers ID shows both")
        }
        let reader = DaemonConfiguration.NamedReader(name: name, serial: serial, port: port)
        if let other = before.first(where: { ReaderPlace($0).covers(ReaderPlace(reader)) }) {
            throw fault(
                section, serial.isEmpty ? "port" : "serial",
                ReaderPlace.reason("reader \(name)", coveredBy: "reader \(other.name)"))
        }
        before.append(reader)
        return reader
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
    func names(_ device: DeviceIdentity) -> Bool { ReaderPlace(self).fits(device) }
}
