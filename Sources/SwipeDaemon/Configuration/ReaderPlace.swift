import ReaderKit

/// What a section says of a reader by its number and its place: all that is written has to fit, and of several sections the first that
/// fits holds.
struct ReaderPlace {
    /// Empty: whichever.
    private let serial: String
    /// Empty: wherever. Without what follows the last '/', each interface of the device.
    private let port: String

    init(_ reader: DaemonConfiguration.NamedReader) { (serial, port) = (reader.serial, reader.port) }

    init(_ reader: DaemonConfiguration.KeyboardReader) { (serial, port) = (reader.serial, reader.port) }

    func fits(_ device: DeviceIdentity) -> Bool {
        (serial.isEmpty || device.serial == serial) && (port.isEmpty || device.port.map(hasPlace) == true)
    }

    /// Whether this one fits every reader that another fits, so that a section behind it would never hold.
    func covers(_ other: ReaderPlace) -> Bool {
        (serial.isEmpty || other.serial == serial) && (port.isEmpty || hasPlace(other.port))
    }

    private func hasPlace(_ other: String) -> Bool { other == port || other.hasPrefix(port + "/") }

    /// What to tell of a section that another covers.
    static func reason(_ section: String, coveredBy other: String) -> String {
        "[\(section)] would never hold: [\(other)] stands before it and fits every reader that it fits; tell the two apart by serial or "
            + "port, or write the narrower one first"
    }
}
