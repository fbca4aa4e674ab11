/// What a reader with a tone and commands asks of a sound card: capture, playback and volume.
package struct SoundConfiguration: Sendable, Hashable {
    package var capture: CaptureConfiguration
    /// Nil: sound commands are refused with ``DeviceError/playbackMissing(detail:)``.
    package var playback: PlaybackConfiguration?
    /// Nil: volume commands are refused with ``DeviceError/mixerMissing(detail:)``.
    package var volume: VolumeConfiguration?

    package init(
        capture: CaptureConfiguration, playback: PlaybackConfiguration? = nil,
        volume: VolumeConfiguration? = nil
    ) {
        self.capture = capture
        self.playback = playback
        self.volume = volume
    }
}

/// What playback asks of a sound card. The card is opened with the first tone or burst and given back in silence.
package struct PlaybackConfiguration: Sendable, Hashable {
    /// An ALSA PCM: `hw:CARD=Device,DEV=0`, or a name from `/etc/asound.conf`.
    package var pcm: String
    /// ALSA configuration text that defines `pcm`, in place of the system's; nil: the system's.
    package var definition: String?
    /// Frames a second, best first. A card that has none of them is taken at the nearest to the first.
    package var rates: [Int]
    /// The time between two wake-ups.
    package var period: Duration
    /// How much is played ahead: how long a busy machine may keep the thread from running, and how late a command is
    /// heard.
    package var buffer: Duration

    package init(
        pcm: String, definition: String? = nil, rates: [Int] = [48_000, 44_100],
        period: Duration = .milliseconds(20), buffer: Duration = .milliseconds(100)
    ) {
        self.pcm = pcm
        self.definition = definition
        self.rates = rates
        self.period = period
        self.buffer = buffer
    }
}

/// Which volume is changed, and where the old one is written down meanwhile.
package struct VolumeConfiguration: Sendable, Hashable {
    /// An ALSA control device: `hw:CARD=PCH`.
    package var control: String
    /// ALSA configuration text that defines `control`, in place of the system's; nil: the system's.
    package var definition: String?
    /// The mixer elements to set, such as `Headphone`; empty: those that lie on the way to a headphone jack, or those
    /// that are the input's gain.
    package var elements: [String]
    /// The folder of the records of changed volumes: the daemon's state directory.
    package var records: String
    package var side: MixerSide

    package init(
        control: String, definition: String? = nil, elements: [String] = [], records: String,
        side: MixerSide = .playback
    ) {
        self.control = control
        self.definition = definition
        self.elements = elements
        self.records = records
        self.side = side
    }
}
