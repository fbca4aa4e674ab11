import CALSA
import Glibc
import ReaderKit

/// The playback volume of one mixer element, as the card counts it.
struct VolumeSetting: Hashable, Sendable {
    /// The element: its name and the number among those of that name.
    var name: String
    var index: UInt32
    /// A value a channel.
    var volumes: [Int]
    /// Whether each channel is on; empty where there is no switch.
    var switches: [Bool]
}

/// The mixer of one sound card, as far as playback goes. Used by one thread.
struct MixerHandle: ~Copyable {
    /// More elements than any card has.
    private static let maximumElements = 256
    /// More channels than libasound knows.
    static let maximumChannels = 32
    /// What lies between a PCM and a headphone jack, by the names that ALSA's drivers agree on
    /// (ALSA control names, "Standard Controls").
    private static let headphonePath: Set<String> = [
        "Master", "PCM", "Headphone", "Headset", "Front", "Line Out",
    ]
    /// A USB card that knows no jack has one of these for its only output.
    private static let onlyOutput: Set<String> = ["Speaker", "Playback", "Output", "Digital"]

    private let mixer: OpaquePointer
    private let elements: [OpaquePointer]

    init(_ configuration: VolumeConfiguration) throws(DeviceError) {
        ALSALibrary.silence
        var opened: OpaquePointer?
        guard snd_mixer_open(&opened, 0) >= 0, let mixer = opened else {
            throw .system(errno: ENOMEM, operation: "snd_mixer_open")
        }
        let elements: [OpaquePointer]
        do throws(DeviceError) {
            try Self.attach(mixer, configuration)
            elements = Self.choose(Self.playbackElements(mixer), configuration.elements)
            guard !elements.isEmpty else {
                throw .mixerMissing(detail: "\(configuration.control) has no playback volume")
            }
        } catch {
            snd_mixer_close(mixer)
            throw error
        }
        self.mixer = mixer
        self.elements = elements
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

    private static func playbackElements(_ mixer: OpaquePointer) -> [OpaquePointer] {
        var found: [OpaquePointer] = []
        var element = snd_mixer_first_elem(mixer)
        while let current = element, found.count < maximumElements {
            if snd_mixer_selem_is_active(current) != 0, snd_mixer_selem_has_playback_volume(current) != 0 {
                found.append(current)
            }
            element = snd_mixer_elem_next(current)
        }
        return found
    }

    private static func choose(_ elements: [OpaquePointer], _ wanted: [String]) -> [OpaquePointer] {
        guard wanted.isEmpty else { return elements.filter { wanted.contains(name($0)) } }
        let usual = elements.filter { headphonePath.contains(name($0)) }
        return usual.isEmpty ? elements.filter { onlyOutput.contains(name($0)) } : usual
    }

    private static func name(_ element: OpaquePointer) -> String {
        snd_mixer_selem_get_name(element).map { String(cString: $0) } ?? ""
    }

    /// The lowest of the elements' volumes, 0…100; 0 where one is switched off.
    borrowing func percent() -> Int {
        snd_mixer_handle_events(mixer)
        return elements.map(Self.percent).min() ?? 0
    }

    private static func percent(_ element: OpaquePointer) -> Int {
        let (low, high) = range(element)
        guard high > low else { return 100 }
        let setting = setting(element)
        guard !setting.switches.contains(false), let volume = setting.volumes.min() else { return 0 }
        return (min(max(volume, low), high) - low) * 100 / (high - low)
    }

    private static func range(_ element: OpaquePointer) -> (low: Int, high: Int) {
        var low = 0
        var high = 0
        snd_mixer_selem_get_playback_volume_range(element, &low, &high)
        // What no card has would overflow a percentage.
        let limits = -1_000_000_000...1_000_000_000
        return limits.contains(low) && limits.contains(high) ? (low, high) : (0, 0)
    }

    /// What is set now.
    borrowing func settings() -> [VolumeSetting] {
        snd_mixer_handle_events(mixer)
        return elements.map(Self.setting)
    }

    private static func setting(_ element: OpaquePointer) -> VolumeSetting {
        var setting = VolumeSetting(
            name: name(element), index: snd_mixer_selem_get_index(element), volumes: [], switches: [])
        let hasSwitch = snd_mixer_selem_has_playback_switch(element) != 0
        for number in 0..<Int32(maximumChannels) {
            let channel = snd_mixer_selem_channel_id_t(number)
            guard snd_mixer_selem_has_playback_channel(element, channel) != 0 else { continue }
            var volume = 0
            var isOn: Int32 = 0
            snd_mixer_selem_get_playback_volume(element, channel, &volume)
            setting.volumes.append(volume)
            guard hasSwitch else { continue }
            snd_mixer_selem_get_playback_switch(element, channel, &isOn)
            setting.switches.append(isOn != 0)
        }
        return setting
    }

    /// Every chosen element as loud as it goes, and on.
    borrowing func raise() {
        for element in elements {
            let high = Self.range(element).high
            snd_mixer_selem_set_playback_volume_all(element, high)
            if snd_mixer_selem_has_playback_switch(element) != 0 {
                snd_mixer_selem_set_playback_switch_all(element, 1)
            }
        }
    }

    /// Whether that is set now, but for rounding: at most a hundredth of the range. Elements that the card does not have
    /// are left out. A handle that has set something believes that it is so; ask another one.
    borrowing func has(_ settings: [VolumeSetting]) -> Bool {
        elements.allSatisfy { element in
            let now = Self.setting(element)
            guard let then = settings.first(where: { $0.name == now.name && $0.index == now.index }) else {
                return true
            }
            let (low, high) = Self.range(element)
            let isAlike = zip(now.volumes, then.volumes).allSatisfy { now, then in
                abs(min(max(now, low), high) - min(max(then, low), high)) <= (high - low) / 100
            }
            return isAlike && zip(now.switches, then.switches).allSatisfy { $0 == $1 }
        }
    }

    /// Sets what an earlier ``settings()`` told of. Elements that the card does not have are left out. What the card made of
    /// it, ``has(_:)`` of another handle tells.
    borrowing func set(_ settings: [VolumeSetting]) {
        for element in elements {
            let name = Self.name(element)
            let index = snd_mixer_selem_get_index(element)
            guard let setting = settings.first(where: { $0.name == name && $0.index == index }) else {
                continue
            }
            Self.set(element, setting)
        }
    }

    private static func set(_ element: OpaquePointer, _ setting: VolumeSetting) {
        var place = 0
        for number in 0..<Int32(maximumChannels) {
            let channel = snd_mixer_selem_channel_id_t(number)
            guard snd_mixer_selem_has_playback_channel(element, channel) != 0 else { continue }
            if place < setting.volumes.count {
                snd_mixer_selem_set_playback_volume(element, channel, setting.volumes[place])
            }
            if place < setting.switches.count {
                snd_mixer_selem_set_playback_switch(element, channel, setting.switches[place] ? 1 : 0)
            }
            place += 1
        }
    }
}
