import ReaderKit
import SwipeProtocol

extension SettingsCatalogue {
    /// The settings of what is at a sound input, real or virtual. Names and defaults follow the payment SDK's.
    static func audio(_ section: String) -> [SettingDescription] {
        [
            SettingDescription(
                section, "type", .choice(AudioReaderType.allCases.map(\.rawValue)), "passive",
                "the kind of reader: none leaves the input alone, autodetect finds out with loud tones"),
            SettingDescription(
                section, "rate", .integer(8_000...192_000), "48000", "samples a second to ask for"),
            SettingDescription(
                section, "heads", .integer(1...3), "1",
                "of type passive: so many heads, each on a channel of the card from the first on; their tracks come as one swipe"
            ),
            SettingDescription(
                section, "gain", .optionalInteger(ProtocolLimits.gainPercent), "",
                "the gain of the microphone, in percent of its range, set while the reader is there and put back afterwards; "
                    + "empty: it is left alone"),
        ] + behaviour(section) + prompts(section) + acoustics(section)
    }

    private static func behaviour(_ section: String) -> [SettingDescription] {
        let defaults = ReaderOptions()
        return [
            SettingDescription(
                section, "activate_on_attach", .flag, word(defaults.activateOnAttach),
                "power the reader up when something is plugged in, also if that is a headphone"),
            SettingDescription(
                section, "volume_to_max", .flag, word(defaults.volumeToMax),
                "raise the playback volume before powering up, and put it back afterwards"),
            SettingDescription(
                section, "always_accept_swipe", .flag, word(defaults.alwaysAcceptSwipe),
                "ask for the next swipe whenever a request for one ends"),
            SettingDescription(
                section, "swipe_timeout_s", .integer(ReaderOptions.swipeTimeouts),
                "\(defaults.swipeTimeout.components.seconds)", "seconds that a request for a swipe lasts"),
        ]
    }

    private static func prompts(_ section: String) -> [SettingDescription] {
        let defaults = ReaderOptions(), texts = PromptTexts()
        return [
            SettingDescription(
                section, "activate_without_prompting", .flag, word(defaults.activateWithoutPrompting),
                "do not ask before powering up"),
            SettingDescription(
                section, "prompt_timeout_s", .integer(ReaderOptions.promptTimeouts),
                "\(defaults.promptTimeout.components.seconds)",
                "seconds after which a question without an answer counts as declined"),
            SettingDescription(
                section, "activation_prompt", .message, texts.activation,
                "the question before powering up where the volume will be raised; empty: none"),
            SettingDescription(
                section, "activation_at_maximum_volume_prompt", .message, texts.activationAtMaximumVolume,
                "the question before powering up where the volume stays; empty: none"),
            SettingDescription(
                section, "initializing_message", .message, texts.initializing,
                "the message while the reader powers up; empty: none"),
            SettingDescription(
                section, "timeout_message", .message, texts.timeout,
                "the message when the reader does not answer; empty: none"),
            SettingDescription(
                section, "volume_too_low_message", .message, texts.volumeTooLow,
                "the message when the volume is too low to power the reader; empty: none"),
        ]
    }

    private static func acoustics(_ section: String) -> [SettingDescription] {
        [
            SettingDescription(
                section, "profile_file", .optionalPath, "",
                "a file of acoustic profiles: how the reader is powered and spoken to; they are tried before those that "
                    + "come with the daemon, of which those of the same names are left out"),
            SettingDescription(
                section, "profile", .text, "",
                "the one acoustic profile to use, by name, for a reader of its kind; empty: those of profile_file and those "
                    + "that come with the daemon, which are assumptions"),
            SettingDescription(
                section, "formats", .optionalPath, "",
                "a file of card formats of one's own, for readers that are only a head: docs/decoder.md"),
            SettingDescription(
                section, "remember_autodetect", .flag, "no",
                "with type autodetect: keep the kind that was found over restarts"),
        ]
    }

    private static func word(_ flag: Bool) -> String { flag ? "yes" : "no" }
}
