import ReaderKit

/// The devices that have been told of: what makes the monitor's messages and the enumerations, which overlap,
/// one stream without gaps and repetitions. A value: the owner reads udev and hands over what it saw.
struct DeviceTable: Sendable {
    /// More devices than any machine has; a table that is full ignores the rest.
    static let maximumDevices = 1_024

    private var devices: [String: DeviceIdentity] = [:]

    /// A device was seen. One that is known and unchanged is no news; another one under the same syspath means that
    /// its removal was missed.
    mutating func saw(_ device: DeviceIdentity) -> [DeviceEvent] {
        let known = devices[device.syspath]
        if known == device { return [] }
        guard known != nil || devices.count < Self.maximumDevices else { return [] }
        devices[device.syspath] = device
        let goodbye = known.map { [DeviceEvent.removed(syspath: $0.syspath)] } ?? []
        return goodbye + [.added(device)]
    }

    mutating func lost(syspath: String) -> [DeviceEvent] {
        guard devices.removeValue(forKey: syspath) != nil else { return [] }
        return [.removed(syspath: syspath)]
    }

    /// A whole enumeration: what it does not show is gone.
    mutating func scanned(_ found: [DeviceIdentity]) -> [DeviceEvent] {
        let present = Set(found.map(\.syspath))
        let missing = devices.keys.filter { !present.contains($0) }.sorted()
        var events = missing.flatMap { lost(syspath: $0) }
        for device in found { events += saw(device) }
        return events + [.scanned]
    }
}
