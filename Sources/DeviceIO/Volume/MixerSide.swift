import CALSA

/// What a volume is of: what is played, or what is recorded, whose volume is called gain.
package enum MixerSide: Sendable, Hashable, CaseIterable {
    case playback
    case capture
}

/// The same questions to a mixer element for either side of it.
extension MixerSide {
    func hasVolume(_ element: OpaquePointer) -> Bool {
        switch self {
        case .playback: snd_mixer_selem_has_playback_volume(element) != 0
        case .capture: snd_mixer_selem_has_capture_volume(element) != 0
        }
    }

    func hasSwitch(_ element: OpaquePointer) -> Bool {
        switch self {
        case .playback: snd_mixer_selem_has_playback_switch(element) != 0
        case .capture: snd_mixer_selem_has_capture_switch(element) != 0
        }
    }

    func has(_ channel: snd_mixer_selem_channel_id_t, _ element: OpaquePointer) -> Bool {
        switch self {
        case .playback: snd_mixer_selem_has_playback_channel(element, channel) != 0
        case .capture: snd_mixer_selem_has_capture_channel(element, channel) != 0
        }
    }

    func range(_ element: OpaquePointer) -> (low: Int, high: Int) {
        var (low, high) = (0, 0)
        switch self {
        case .playback: snd_mixer_selem_get_playback_volume_range(element, &low, &high)
        case .capture: snd_mixer_selem_get_capture_volume_range(element, &low, &high)
        }
        return (low, high)
    }

    func volume(_ element: OpaquePointer, _ channel: snd_mixer_selem_channel_id_t) -> Int {
        var volume = 0
        switch self {
        case .playback: snd_mixer_selem_get_playback_volume(element, channel, &volume)
        case .capture: snd_mixer_selem_get_capture_volume(element, channel, &volume)
        }
        return volume
    }

    func isOn(_ element: OpaquePointer, _ channel: snd_mixer_selem_channel_id_t) -> Bool {
        var value: Int32 = 0
        switch self {
        case .playback: snd_mixer_selem_get_playback_switch(element, channel, &value)
        case .capture: snd_mixer_selem_get_capture_switch(element, channel, &value)
        }
        return value != 0
    }

    func setAll(_ element: OpaquePointer, volume: Int) {
        switch self {
        case .playback: snd_mixer_selem_set_playback_volume_all(element, volume)
        case .capture: snd_mixer_selem_set_capture_volume_all(element, volume)
        }
    }

    func switchAllOn(_ element: OpaquePointer) {
        switch self {
        case .playback: snd_mixer_selem_set_playback_switch_all(element, 1)
        case .capture: snd_mixer_selem_set_capture_switch_all(element, 1)
        }
    }

    func set(_ element: OpaquePointer, _ channel: snd_mixer_selem_channel_id_t, volume: Int) {
        switch self {
        case .playback: snd_mixer_selem_set_playback_volume(element, channel, volume)
        case .capture: snd_mixer_selem_set_capture_volume(element, channel, volume)
        }
    }

    func set(_ element: OpaquePointer, _ channel: snd_mixer_selem_channel_id_t, isOn: Bool) {
        switch self {
        case .playback: snd_mixer_selem_set_playback_switch(element, channel, isOn ? 1 : 0)
        case .capture: snd_mixer_selem_set_capture_switch(element, channel, isOn ? 1 : 0)
        }
    }

    /// The group of elements of which only one may be on; nil where it is in none.
    func group(_ element: OpaquePointer) -> Int32? {
        switch self {
        case .playback: nil
        case .capture:
            snd_mixer_selem_has_capture_switch_exclusive(element) != 0
                ? snd_mixer_selem_get_capture_group(element) : nil
        }
    }

    /// A volume in percent of its range, which must not be empty. Of what is played as much as there is at least, since its maximum is
    /// looked for; of a gain to the nearest, but 0 and 100 only where it goes no further.
    func percent(of volume: Int, low: Int, high: Int) -> Int {
        let (width, place) = (high - low, min(max(volume, low), high) - low)
        switch self {
        case .playback: return place * 100 / width
        case .capture:
            guard place > 0, place < width else { return place > 0 ? 100 : 0 }
            return min(max((place * 200 + width) / (2 * width), 1), 99)
        }
    }

    /// A volume in hundredths of a decibel; nil where the card does not say.
    func hundredths(_ element: OpaquePointer, of volume: Int) -> Int? {
        var value = 0
        let result =
            switch self {
            case .playback: snd_mixer_selem_ask_playback_vol_dB(element, volume, &value)
            case .capture: snd_mixer_selem_ask_capture_vol_dB(element, volume, &value)
            }
        return result >= 0 ? value : nil
    }
}

/// Which elements are meant where the configuration names none.
extension MixerSide {
    /// What lies between a PCM and a headphone jack, by the names that ALSA's drivers agree on
    /// (ALSA control names, "Standard Controls").
    private static let headphonePath: Set<String> = [
        "Master", "PCM", "Headphone", "Headset", "Front", "Line Out",
    ]
    /// A USB card that knows no jack has one of these for its only output.
    private static let onlyOutput: Set<String> = ["Speaker", "Playback", "Output", "Digital"]
    /// The gain of whichever input is chosen; else that of the microphone. A boost is left as it is: its steps of ten
    /// decibels and more are chosen once.
    private static let gains: [Set<String>] = [["Capture"], ["Mic", "Microphone", "Headset", "Headset Mic"]]

    func choose(_ elements: [OpaquePointer], _ wanted: [String], name: (OpaquePointer) -> String)
        -> [OpaquePointer]
    {
        guard wanted.isEmpty else { return elements.filter { wanted.contains(name($0)) } }
        switch self {
        case .playback:
            let usual = elements.filter { Self.headphonePath.contains(name($0)) }
            return usual.isEmpty ? elements.filter { Self.onlyOutput.contains(name($0)) } : usual
        case .capture:
            for names in Self.gains {
                let usual = elements.filter { names.contains(name($0)) }
                if !usual.isEmpty { return usual }
            }
            return elements.count == 1 ? elements : []
        }
    }
}
