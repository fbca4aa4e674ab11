import ReaderKit

/// The devices that have been told of: what makes the monitor's messages and the enumerations, which overlap,
/// one stream without gaps and repetitions. A value: the owner reads udev and hands over what it saw.
struct DeviceTable: Sendable {
    /// More devices than any machine has; a table that is full ignores the rest.
    static let maximumDevices = 1_024

    /// A device as it was seen, and which of the kernel's it is; nil for one that the kernel does not know.
    struct Sighting: Sendable, Hashable {
        var device: DeviceIdentity
        var object: SysfsObject?
    }

    private var sightings: [String: Sighting] = [:]

    /// A device was seen. One that is known and unchanged is no news; another one under the same syspath means that
    /// its removal was missed.
    mutating func saw(_ device: DeviceIdentity, as object: SysfsObject? = nil) -> [DeviceEvent] {
        let known = sightings[device.syspath]
        let sighting = Sighting(device: device, object: object)
        if known == sighting { return [] }
        guard known != nil || sightings.count < Self.maximumDevices else { return [] }
        sightings[device.syspath] = sighting
        let goodbye = known.map { [DeviceEvent.removed(syspath: $0.device.syspath)] } ?? []
        return goodbye + [.added(device)]
    }

    mutating func lost(syspath: String) -> [DeviceEvent] {
        guard sightings.removeValue(forKey: syspath) != nil else { return [] }
        return [.removed(syspath: syspath)]
    }

    /// Whether the device that was told of is the one that is there, where `present` is what sysfs shows at its path now.
    func holds(_ syspath: String, present: SysfsObject?) -> Bool {
        guard let present else { return false }
        return sightings[syspath]?.object == present
    }

    /// A whole enumeration: what it does not show is gone, unless sysfs still has it. A device whose removal was told in
    /// error has lost what udev knew of it, and may be passed over for that.
    mutating func scanned(
        _ found: [Sighting], present: (String) -> SysfsObject? = { _ in nil }
    ) -> [DeviceEvent] {
        let shown = Set(found.map(\.device.syspath))
        let missing = sightings.keys.filter { !shown.contains($0) && !holds($0, present: present($0)) }
        var events = missing.sorted().flatMap { lost(syspath: $0) }
        for sighting in found { events += saw(sighting.device, as: sighting.object) }
        return events + [.scanned]
    }
}
