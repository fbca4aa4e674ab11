import StripeSignal

/// Swipes out of sound that is still coming, each once its end is certain.
struct LiveHeads {
    private let sampleRate: Int
    /// One a channel.
    private var decoders: [StripeDecoder]
    /// What some channels gave while another's card is still moving.
    private var waiting: [RecordedSwipe] = []
    /// How long they have been, in samples.
    private var waited = 0

    /// One stroke of a card lasts 4 s at most: a channel that is loud for longer has none, and holds back no other's.
    static let longestWait = 5.0

    init(sampleRate: Int, channels: Int, options: StripeOptions) {
        self.sampleRate = sampleRate
        decoders = (0..<channels).map { _ in StripeDecoder(sampleRate: sampleRate, options: options) }
    }

    /// - Returns: the swipes that have ended on every channel, or have waited ``longestWait`` for another's end, in the order
    ///   of time.
    mutating func take(_ sound: Sound) -> [RecordedSwipe] {
        for (index, channel) in sound.channels.enumerated() where decoders.indices.contains(index) {
            switch channel {
            case .integers(let samples): add(decoders[index].process(samples.span))
            case .floats(let samples): add(decoders[index].process(samples.span))
            }
        }
        if !waiting.isEmpty { waited += sound.channels.first?.count ?? 0 }
        let isLate = Double(waited) >= Self.longestWait * Double(sampleRate)
        return !isLate && decoders.contains(where: \.isInSwipe) ? [] : taken()
    }

    /// The end of the sound: what is left.
    mutating func finish() -> [RecordedSwipe] {
        for index in decoders.indices { add(decoders[index].finish()) }
        return taken()
    }

    private mutating func add(_ events: [StripeEvent]) {
        for swipe in RecordedSwipe.swipes(events) {
            RecordedSwipe(swipe, sampleRate: sampleRate).join(into: &waiting)
        }
    }

    private mutating func taken() -> [RecordedSwipe] {
        defer { (waiting, waited) = ([], 0) }
        return waiting.sorted { $0.start < $1.start }
    }
}
