import StripeSignal

/// Swipes out of sound that is still coming, each once its end is certain.
struct LiveHeads {
    private let sampleRate: Int
    private var decoder: HeadsDecoder

    init(sampleRate: Int, channels: Int, options: StripeOptions) {
        self.sampleRate = sampleRate
        decoder = HeadsDecoder(sampleRate: sampleRate, heads: channels, options: options)
    }

    /// - Returns: the swipes that have ended on every channel, or have waited long enough for another's end, in the order of time.
    mutating func take(_ sound: Sound) -> [RecordedSwipe] {
        decoder.take(sound)
        return recorded(decoder.strokes())
    }

    /// The end of the sound: what is left.
    mutating func finish() -> [RecordedSwipe] { recorded(decoder.finish()) }

    private func recorded(_ strokes: [Stroke]) -> [RecordedSwipe] {
        strokes.compactMap { RecordedSwipe($0, sampleRate: sampleRate) }
    }
}
