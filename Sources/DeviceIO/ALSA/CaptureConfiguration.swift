/// What a capture asks of a sound card.
package struct CaptureConfiguration: Sendable, Hashable {
    /// An ALSA PCM: `hw:CARD=Device,DEV=0`, or a name from `/etc/asound.conf`.
    package var pcm: String
    /// ALSA configuration text that defines `pcm`, in place of the system's; nil: the system's.
    package var definition: String?
    /// Frames a second, best first. A card that has none of them is taken at the nearest to the first.
    package var rates: [Int]
    /// The time between two wake-ups.
    package var period: Duration
    /// What the card holds while nobody reads: how long a busy machine may keep the thread from running.
    package var buffer: Duration
    /// So many channels have a head each, from the first on.
    package var heads: Int

    /// 40 ms periods: what a capture of silence costs is its wake-ups (docs/devices.md), and a swipe lasts hundreds.
    package init(
        pcm: String, definition: String? = nil, rates: [Int] = [48_000, 44_100],
        period: Duration = .milliseconds(40), buffer: Duration = .milliseconds(500), heads: Int = 1
    ) {
        self.pcm = pcm
        self.definition = definition
        self.rates = rates
        self.period = period
        self.buffer = buffer
        self.heads = heads
    }
}

/// What the card and the configuration agreed on.
package struct CaptureFormat: Sendable, Hashable {
    package var sampleRate: Int
    package var format: SampleFormat
    package var channels: Int
    package var periodFrames: Int
    package var bufferFrames: Int
}

extension Duration {
    /// Whole microseconds, as ALSA counts time: 0…4,294,967,295.
    var alsaMicroseconds: UInt32 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        guard !overflow else { return seconds < 0 ? 0 : .max }
        return UInt32(clamping: whole.addingReportingOverflow(attoseconds / 1_000_000_000_000).partialValue)
    }
}
