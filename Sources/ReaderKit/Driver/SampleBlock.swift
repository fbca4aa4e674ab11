/// One period of captured sound.
package struct SampleBlock: Sendable {
    /// Of the one head, or the first of several. Full scale is -32768…32767.
    package var samples: [Int16]
    /// Of the second and third heads, as many samples each; empty where there is one head.
    package var otherHeads: [[Int16]]
    /// Frames a second.
    package var sampleRate: Int
    /// The index of the first sample since the capture started; a jump means that samples were lost.
    package var firstFrame: UInt64
    /// How many overruns (`EPIPE`) the capture has had so far.
    package var overruns: Int
    /// The card's playback volume, 0…100; nil where the card has none or nobody looks.
    package var playbackVolume: Int?

    package init(
        samples: [Int16], otherHeads: [[Int16]] = [], sampleRate: Int, firstFrame: UInt64, overruns: Int = 0,
        playbackVolume: Int? = nil
    ) {
        self.playbackVolume = playbackVolume
        self.samples = samples
        self.otherHeads = otherHeads
        self.sampleRate = sampleRate
        self.firstFrame = firstFrame
        self.overruns = overruns
    }
}
