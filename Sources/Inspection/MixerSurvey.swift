import CALSA
import Diagnosis
import Glibc

/// What a sound card's mixer says of what is recorded, by the names that `amixer` and `alsamixer` show.
enum MixerSurvey {
    /// More elements than any card has, and more choices than any element.
    private static let maximumElements = 256
    private static let maximumItems: UInt32 = 64
    private static let maximumName = 64

    /// Nothing where the card cannot be asked.
    static func facts(card: Int) -> Inspection.MixerFacts {
        calsa_silence()
        var facts = Inspection.MixerFacts()
        var opened: OpaquePointer?
        guard snd_mixer_open(&opened, 0) >= 0, let mixer = opened else { return facts }
        defer { snd_mixer_close(mixer) }
        guard snd_mixer_attach(mixer, "hw:\(card)") >= 0,
            snd_mixer_selem_register(mixer, nil, nil) >= 0,
            snd_mixer_load(mixer) >= 0
        else { return facts }
        var element = snd_mixer_first_elem(mixer)
        var count = 0
        while let current = element, count < maximumElements {
            if snd_mixer_selem_is_active(current) != 0 { take(current, &facts) }
            element = snd_mixer_elem_next(current)
            count += 1
        }
        return facts
    }

    private static func take(_ element: OpaquePointer, _ facts: inout Inspection.MixerFacts) {
        let name = snd_mixer_selem_get_name(element).map { String(cString: $0) } ?? ""
        if snd_mixer_selem_is_enumerated(element) != 0 {
            guard name.contains("Source"), facts.source == nil else { return }
            (facts.source, facts.sources) = choice(element)
            return
        }
        let records =
            snd_mixer_selem_has_capture_volume(element) != 0
            || snd_mixer_selem_has_capture_switch(element) != 0
        // What sets the gain by itself is shown as a switch of what is played.
        let isAutomatic = name.contains("Gain Control") || name.contains("AGC")
        guard records || isAutomatic else { return }
        var control = SoundCardFacts.Control(name: name)
        var value: Int32 = 0
        if snd_mixer_selem_has_capture_switch(element) != 0 {
            if snd_mixer_selem_get_capture_switch(element, SND_MIXER_SCHN_FRONT_LEFT, &value) >= 0 {
                control.isOn = value != 0
            }
        } else if isAutomatic, snd_mixer_selem_has_playback_switch(element) != 0,
            snd_mixer_selem_get_playback_switch(element, SND_MIXER_SCHN_FRONT_LEFT, &value) >= 0
        {
            control.isOn = value != 0
        }
        control.percent = percent(element)
        facts.controls.append(control)
    }

    private static func percent(_ element: OpaquePointer) -> Int? {
        guard snd_mixer_selem_has_capture_volume(element) != 0 else { return nil }
        var (low, high, volume) = (0, 0, 0)
        snd_mixer_selem_get_capture_volume_range(element, &low, &high)
        // What no card has would overflow a percentage.
        let limits = -1_000_000_000...1_000_000_000
        guard limits.contains(low), limits.contains(high), high > low,
            snd_mixer_selem_get_capture_volume(element, SND_MIXER_SCHN_FRONT_LEFT, &volume) >= 0
        else { return nil }
        return (min(max(volume, low), high) - low) * 100 / (high - low)
    }

    /// What is chosen, and what could be.
    private static func choice(_ element: OpaquePointer) -> (String?, [String]) {
        let count = min(UInt32(max(0, snd_mixer_selem_get_enum_items(element))), maximumItems)
        let items = (0..<count).map { item in
            var name = [CChar](repeating: 0, count: maximumName)
            let result = snd_mixer_selem_get_enum_item_name(element, item, maximumName - 1, &name)
            return result >= 0
                ? name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" } : ""
        }
        var chosen: UInt32 = 0
        guard snd_mixer_selem_get_enum_item(element, SND_MIXER_SCHN_FRONT_LEFT, &chosen) >= 0,
            chosen < count
        else {
            return (nil, items)
        }
        return (items[Int(chosen)], items)
    }
}
