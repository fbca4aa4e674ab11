import CardData
import StripeSignal

/// A swipe of a recording: what all channels gave for it.
struct RecordedSwipe {
    var sampleRate: Int
    var start: Double
    var end: Double
    var tracks: [TrackReading]
    /// The channels' own swipes, the one with the most read first.
    var parts: [StripeSwipe]

    init(_ swipe: StripeSwipe, sampleRate: Int) {
        self.sampleRate = sampleRate
        start = Double(swipe.startSample) / Double(sampleRate)
        end = Double(swipe.endSample) / Double(sampleRate)
        tracks = swipe.tracks
        parts = [swipe]
    }

    /// Nil for activity in which nothing looked like a track: that is news for a till, not for whoever reads a recording.
    init?(_ stroke: Stroke, sampleRate: Int) {
        guard let swipe = stroke.swipe, !swipe.tracks.isEmpty else { return nil }
        self.init(swipe, sampleRate: sampleRate)
        parts = stroke.parts.map(\.swipe)
    }

    /// Adds what one channel gave to the swipes of the others.
    func join(into found: inout [RecordedSwipe]) {
        if let index = found.firstIndex(where: { $0.overlaps(self) }) {
            found[index].join(self)
        } else {
            found.append(self)
        }
    }

    private func overlaps(_ other: RecordedSwipe) -> Bool {
        min(end, other.end) - max(start, other.start) > 0.5 * min(end - start, other.end - other.start)
    }

    /// Two channels that read the same text, or failed alike, are one. All others stay, whatever their track: a head
    /// cannot tell which one it is on, and a refused one must not hide behind a good one.
    private mutating func join(_ other: RecordedSwipe) {
        start = min(start, other.start)
        end = max(end, other.end)
        for reading in other.tracks {
            let isThere =
                reading.text == nil
                ? tracks.contains(reading)
                : tracks.contains { $0.track == reading.track && $0.text == reading.text }
            if !isThere { tracks.append(reading) }
        }
        tracks.sort { $0.track < $1.track }
        parts += other.parts
        let isFirstUnread = parts.first?.tracks.contains { $0.text != nil } == false
        if isFirstUnread, let index = parts.firstIndex(where: { $0.tracks.contains { $0.text != nil } }) {
            parts.swapAt(0, index)
        }
    }
}

/// The swipes of a whole recording, which comes block by block: what is kept does not grow with its length.
struct RecordedHeads {
    private let sampleRate: Int
    private var decoder: HeadsDecoder
    /// Of each channel.
    private var found: [[StripeSwipe]]

    init(_ format: RawSound, options: StripeOptions) {
        sampleRate = format.sampleRate
        decoder = HeadsDecoder(sampleRate: format.sampleRate, heads: format.channels, options: options)
        found = Array(repeating: [], count: format.channels)
    }

    mutating func take(_ sound: Sound) {
        decoder.take(sound)
        add(decoder.strokes())
    }

    private mutating func add(_ strokes: [Stroke]) {
        for part in strokes.flatMap(\.parts) where !part.swipe.tracks.isEmpty {
            found[part.head].append(part.swipe)
        }
    }

    /// Every swipe, in the order of time. Each channel is one head; those of one stroke are joined.
    mutating func finish() -> [RecordedSwipe] {
        add(decoder.finish())
        var all: [RecordedSwipe] = []
        for swipe in found.flatMap(Self.withoutNews) {
            RecordedSwipe(swipe, sampleRate: sampleRate).join(into: &all)
        }
        return all.sorted { $0.start < $1.start }
    }

    /// A refusal of what was read in the end, with the recording's begin, is no news.
    private static func withoutNews(_ swipes: [StripeSwipe]) -> [StripeSwipe] {
        swipes.filter { swipe in
            swipe.hasText
                || !swipes.contains {
                    $0.hasText && $0.startSample <= swipe.startSample && $0.endSample >= swipe.endSample
                }
        }
    }
}

extension HeadsDecoder {
    /// Takes what comes next of every channel.
    mutating func take(_ sound: Sound) {
        for (head, channel) in sound.channels.enumerated() {
            switch channel {
            case .integers(let samples): take(samples.span, of: head)
            case .floats(let samples): take(samples.span, of: head)
            }
        }
    }
}
