/// How a reader that is powered and asked through sound behaves. Readers with a battery or a bus of their own need none
/// of it; names and defaults are those of the payment SDK that this daemon takes the place of (`docs/from-the-sdk.md`).
package struct ReaderOptions: Sendable, Hashable {
    /// The seconds that a request for a swipe may last.
    package static let swipeTimeouts: ClosedRange<Int> = 3...20
    package static let promptTimeouts: ClosedRange<Int> = 1...600

    /// Power the reader up as soon as something is in the jack, also if that is a headphone.
    package var activateOnAttach = true
    /// Set the playback volume to its maximum before power is applied, and put it back afterwards.
    package var volumeToMax = true
    /// Ask for the next swipe whenever the last request ended, however it ended.
    package var alwaysAcceptSwipe = true
    /// How long one request for a swipe lasts; within ``swipeTimeouts``.
    package private(set) var swipeTimeout: Duration = .seconds(Self.swipeTimeouts.upperBound)
    /// Do not ask anybody before power is applied.
    package var activateWithoutPrompting = false
    package var prompts = PromptTexts()
    /// How long a question waits for its answer; then it counts as declined. Within ``promptTimeouts``.
    package private(set) var promptTimeout: Duration = .seconds(30)
    /// How readers are powered and spoken to, best first, as the configuration says. Each is for readers of its own kind
    /// and for no other; a kind without any here has those of its driver.
    package var profiles: [AcousticProfile] = []
    /// Card formats of one's own beside the standard ones, in the syntax of `docs/decoder.md`; for readers that are
    /// only a head. Who sets it has checked it; what does not parse is left out.
    package var cardFormats = ""
    /// How a search for the kind of this reader ended; nil where none did. A driver that looks for the kind does not look
    /// again: the tones of a search are loud.
    package var knownKind: AutodetectResult?

    /// What an encoder is asked for.
    package var encoderReading = EncoderReading.raw
    /// What the keys mean of a reader that types.
    package var keyboard = KeyboardOptions()

    package init() {}

    /// Those of ``profiles`` that are for this kind of reader.
    package func profiles(for reader: AcousticProfile.Reader) -> [AcousticProfile] {
        profiles.filter { $0.reader == reader }
    }

    /// Sets how long a request for a swipe lasts, or says which values are allowed.
    package mutating func setSwipeTimeout(seconds: Int) throws(RequestRefusal) {
        swipeTimeout = try Self.duration(seconds, within: Self.swipeTimeouts, "swipe_timeout_s")
    }

    /// A time for one request, where it is allowed.
    package static func swipeTimeout(checking duration: Duration) throws(RequestRefusal) -> Duration {
        let allowed = Duration.seconds(swipeTimeouts.lowerBound)...Duration.seconds(swipeTimeouts.upperBound)
        guard allowed.contains(duration) else {
            let (seconds, _) = duration.components
            throw .outOfRange("timeout_s", Int(clamping: seconds), swipeTimeouts)
        }
        return duration
    }

    /// Sets how long a question waits, or says which values are allowed.
    package mutating func setPromptTimeout(seconds: Int) throws(RequestRefusal) {
        promptTimeout = try Self.duration(seconds, within: Self.promptTimeouts, "prompt_timeout_s")
    }

    private static func duration(
        _ seconds: Int, within range: ClosedRange<Int>, _ name: String
    ) throws(RequestRefusal) -> Duration {
        guard range.contains(seconds) else { throw .outOfRange(name, seconds, range) }
        return .seconds(seconds)
    }
}

/// What an encoder, which can read a card in two ways, is asked for.
package enum EncoderReading: String, Sendable, Hashable, CaseIterable {
    /// The bits of the stripe: parity, LRC, direction and card formats of one's own are decided here.
    case raw
    /// Texts of the ISO formats: the device decides, and says no more than that a track failed.
    case iso
}

/// What people are told while a reader is powered up. An empty text means that nothing is shown, and that nothing is
/// asked.
package struct PromptTexts: Sendable, Hashable {
    /// Asked where the volume is going to be raised, so that a headphone can be taken off.
    package var activation =
        "A card reader may be in the headset jack. Power it up? The volume goes to its maximum."
    /// Asked where the volume stays as it is.
    package var activationAtMaximumVolume =
        "A card reader may be in the headset jack. Power it up with a loud tone?"
    package var initializing = "Initializing card reader…"
    package var timeout = "The card reader does not answer. Is it pushed in all the way?"
    package var volumeTooLow = "The volume is too low for the card reader. Turn it up to its maximum."

    package init() {}

    /// Nothing is shown, nothing is asked.
    package static let none: PromptTexts = {
        var texts = PromptTexts()
        texts.activation = ""
        texts.activationAtMaximumVolume = ""
        texts.initializing = ""
        texts.timeout = ""
        texts.volumeTooLow = ""
        return texts
    }()

    package subscript(_ kind: ReaderPrompt.Kind) -> String {
        switch kind {
        case .activation: activation
        case .activationAtMaximumVolume: activationAtMaximumVolume
        case .initializing: initializing
        case .timeout: timeout
        case .volumeTooLow: volumeTooLow
        }
    }
}
