import CALSA
import Glibc
import ReaderKit

/// The volume of one mixer element, as the card counts it.
struct VolumeSetting: Hashable, Sendable {
    /// The element: its name and the number among those of that name.
    var name: String
    var index: UInt32
    /// A value a channel; empty of a neighbour, of which the switches alone are changed.
    var volumes: [Int]
    /// Whether each channel is on; empty where there is no switch.
    var switches: [Bool]
}

/// The mixer of one sound card, as far as one side of it goes. Used by one thread.
struct MixerHandle: ~Copyable {
    /// More elements than any card has.
    private static let maximumElements = 256
    /// More channels than libasound knows.
    static let maximumChannels = 32
    /// What is so far down is no volume (`SND_CTL_TLV_DB_GAIN_MUTE`), in hundredths of a decibel.
    private static let silence = -20_000

    private let mixer: OpaquePointer
    private let elements: [OpaquePointer]
    /// Other elements that are switched off where one of ours is switched on: of a group only one may be on.
    private let neighbours: [OpaquePointer]
    private let side: MixerSide

    init(_ configuration: VolumeConfiguration) throws(DeviceError) {
        ALSALibrary.silence
        var opened: OpaquePointer?
        guard snd_mixer_open(&opened, 0) >= 0, let mixer = opened else {
            throw .system(errno: ENOMEM, operation: "snd_mixer_open")
        }
        let active: [OpaquePointer]
        let elements: [OpaquePointer]
        do throws(DeviceError) {
            try Self.attach(mixer, configuration)
            active = Self.active(mixer)
            let all = active.filter(configuration.side.hasVolume)
            elements = configuration.side.choose(all, configuration.elements, name: Self.name)
            guard !elements.isEmpty else { throw Self.nothing(of: configuration, among: all) }
        } catch {
            snd_mixer_close(mixer)
            throw error
        }
        self.mixer = mixer
        self.elements = elements
        side = configuration.side
        let groups = Set(elements.compactMap(configuration.side.group))
        neighbours = active.filter { element in
            !elements.contains(element) && configuration.side.group(element).map(groups.contains) ?? false
        }
    }

    private static func nothing(
        of configuration: VolumeConfiguration, among all: [OpaquePointer]
    ) -> DeviceError {
        switch configuration.side {
        case .playback: return .mixerMissing(detail: "\(configuration.control) has no playback volume")
        case .capture:
            let names = all.isEmpty ? "none at all" : all.map(name).joined(separator: ", ")
            return .mixerMissing(
                detail:
                    "\(configuration.control) has no gain of the names that are looked for; gain_mixer may name one of: \(names)"
            )
        }
    }

    deinit { snd_mixer_close(mixer) }

    private static func attach(
        _ mixer: OpaquePointer, _ configuration: VolumeConfiguration
    ) throws(DeviceError) {
        var result: Int32
        if let definition = configuration.definition {
            result = try attach(mixer, configuration.control, ConfigurationTree(definition))
        } else {
            result = snd_mixer_attach(mixer, configuration.control)
        }
        if result >= 0 { result = snd_mixer_selem_register(mixer, nil, nil) }
        if result >= 0 { result = snd_mixer_load(mixer) }
        guard result < 0 else { return }
        switch -result {
        case EACCES, EPERM:
            throw .permissionDenied(
                detail:
                    "\(configuration.control): udev gives sound devices to the group audio; is the daemon in it?"
            )
        case ENODEV, ESHUTDOWN: throw .gone
        case ENOENT, ENXIO, EINVAL: throw .mixerMissing(detail: "\(configuration.control) has no mixer")
        case let code: throw .system(errno: code, operation: "snd_mixer_attach")
        }
    }

    private static func attach(
        _ mixer: OpaquePointer, _ control: String, _ tree: borrowing ConfigurationTree
    ) -> Int32 {
        var ctl: OpaquePointer?
        var result = snd_ctl_open_lconf(&ctl, control, Int32(SND_CTL_NONBLOCK), tree.root)
        guard result >= 0, let ctl else { return result }
        var hctl: OpaquePointer?
        result = snd_hctl_open_ctl(&hctl, ctl)
        guard result >= 0, let hctl else {
            snd_ctl_close(ctl)
            return result
        }
        result = snd_mixer_attach_hctl(mixer, hctl)
        if result < 0 { snd_hctl_close(hctl) }
        return result
    }

    private static func active(_ mixer: OpaquePointer) -> [OpaquePointer] {
        var found: [OpaquePointer] = []
        var element = snd_mixer_first_elem(mixer)
        while let current = element, found.count < maximumElements {
            if snd_mixer_selem_is_active(current) != 0 { found.append(current) }
            element = snd_mixer_elem_next(current)
        }
        return found
    }

    private static func name(_ element: OpaquePointer) -> String {
        snd_mixer_selem_get_name(element).map { String(cString: $0) } ?? ""
    }

    /// The lowest of the elements' volumes, 0…100; 0 where one is switched off.
    borrowing func percent() -> Int {
        snd_mixer_handle_events(mixer)
        var lowest: Int?
        for element in elements { lowest = min(lowest ?? .max, percent(element)) }
        return lowest ?? 0
    }

    private borrowing func percent(_ element: OpaquePointer) -> Int {
        let (low, high) = range(element)
        guard high > low else { return 100 }
        let setting = setting(element)
        guard !setting.switches.contains(false), let volume = setting.volumes.min() else { return 0 }
        return side.percent(of: volume, low: low, high: high)
    }

    private borrowing func range(_ element: OpaquePointer) -> (low: Int, high: Int) {
        let (low, high) = side.range(element)
        // What no card has would overflow a percentage.
        let limits = -1_000_000_000...1_000_000_000
        return limits.contains(low) && limits.contains(high) ? (low, high) : (0, 0)
    }

    /// How many decibels lie between 0 and 100 percent; nil where the card does not say.
    borrowing func decibels() -> Int? {
        var hundredths = 0
        for element in elements {
            let (low, high) = range(element)
            // The lowest volume may be silence, which is no number of decibels.
            guard high > low, let top = side.hundredths(element, of: high),
                var bottom = side.hundredths(element, of: low)
            else { return nil }
            if bottom <= Self.silence, let next = side.hundredths(element, of: low + 1) { bottom = next }
            guard bottom > Self.silence, top > bottom else { return nil }
            hundredths += top - bottom
        }
        return (hundredths + 50) / 100
    }

    /// What is set now.
    borrowing func settings() -> [VolumeSetting] {
        snd_mixer_handle_events(mixer)
        var settings: [VolumeSetting] = []
        for element in elements { settings.append(setting(element)) }
        return settings
    }

    /// The neighbours that are on now.
    borrowing func neighboursOn() -> [VolumeSetting] {
        var settings: [VolumeSetting] = []
        for element in neighbours {
            var setting = setting(element)
            setting.volumes = []
            if setting.switches.contains(true) { settings.append(setting) }
        }
        return settings
    }

    private borrowing func setting(_ element: OpaquePointer) -> VolumeSetting {
        var setting = VolumeSetting(
            name: Self.name(element), index: snd_mixer_selem_get_index(element), volumes: [], switches: [])
        let hasSwitch = side.hasSwitch(element)
        for number in 0..<Int32(Self.maximumChannels) {
            let channel = snd_mixer_selem_channel_id_t(number)
            guard side.has(channel, element) else { continue }
            setting.volumes.append(side.volume(element, channel))
            if hasSwitch { setting.switches.append(side.isOn(element, channel)) }
        }
        return setting
    }

    /// Every chosen element as loud as it goes, and on.
    borrowing func raise() { setAll(percent: 100) }

    /// Every chosen element to the step that is nearest to that much of its range, and on.
    borrowing func setAll(percent: Int) {
        for element in elements {
            side.setAll(element, volume: step(element, percent))
            if side.hasSwitch(element) { side.switchAllOn(element) }
        }
    }

    private borrowing func step(_ element: OpaquePointer, _ percent: Int) -> Int {
        let (low, high) = range(element)
        return low + ((high - low) * percent + 50) / 100
    }

    /// Whether every chosen element stands there, as after ``setAll(percent:)``, and is on. Ask another handle than set it.
    borrowing func stands(at percent: Int) -> Bool {
        for element in elements {
            let (low, high) = range(element)
            let (now, wanted) = (setting(element), step(element, percent))
            guard now.volumes.allSatisfy({ abs(min(max($0, low), high) - wanted) <= (high - low) / 100 }),
                !now.switches.contains(false)
            else { return false }
        }
        return true
    }

    /// Whether that is set now, but for rounding: at most a hundredth of the range. Elements that the card does not have
    /// are left out. A handle that has set something believes that it is so; ask another one.
    borrowing func has(_ settings: [VolumeSetting]) -> Bool {
        for element in elements + neighbours {
            let now = setting(element)
            guard let then = settings.first(where: { $0.name == now.name && $0.index == now.index }) else {
                continue
            }
            let (low, high) = range(element)
            let isAlike = zip(now.volumes, then.volumes).allSatisfy { now, then in
                abs(min(max(now, low), high) - min(max(then, low), high)) <= (high - low) / 100
            }
            guard isAlike, zip(now.switches, then.switches).allSatisfy({ $0 == $1 }) else { return false }
        }
        return true
    }

    /// Sets what an earlier ``settings()`` told of. Elements that the card does not have are left out. What the card made of
    /// it, ``has(_:)`` of another handle tells.
    borrowing func set(_ settings: [VolumeSetting]) {
        // Neighbours last: the switch of one puts ours off.
        for element in elements + neighbours {
            let name = Self.name(element)
            let index = snd_mixer_selem_get_index(element)
            guard let setting = settings.first(where: { $0.name == name && $0.index == index }) else {
                continue
            }
            set(element, setting)
        }
    }

    private borrowing func set(_ element: OpaquePointer, _ setting: VolumeSetting) {
        var place = 0
        for number in 0..<Int32(Self.maximumChannels) {
            let channel = snd_mixer_selem_channel_id_t(number)
            guard side.has(channel, element) else { continue }
            if place < setting.volumes.count {
                side.set(element, channel, volume: setting.volumes[place])
            }
            if place < setting.switches.count {
                side.set(element, channel, isOn: setting.switches[place])
            }
            place += 1
        }
    }
}
