import CardData
import ReaderKit
import ReaderPackets
import StripeSignal

typealias MSRReading = EncoderReading

/// Makes a swipe of a block: bits through the decoder, texts through the check that every reader's texts go through.
struct MSRBlockReading: Sendable {
    /// Those of the cards' standards and one's own.
    var formats = StripeFormat.standard

    /// A byte of a raw block may have its first bit at either end; the second way is one more that is tried.
    private static let secondWay = 1.0

    func swipe(of block: MSRBlock) -> (swipe: Swipe, variants: Set<MSRVariant>) {
        var variants = block.variants
        var readings = numbered(block).map { reading($0.track, $0.number, isLowFirst: false) }
        if !readings.contains(where: { $0.0.text != nil }), block.tracks.contains(where: \.hasBits) {
            let other = numbered(block).map { reading($0.track, $0.number, isLowFirst: true) }
            if other.contains(where: { $0.0.text != nil }) {
                readings = other
                variants.insert(.lowBitFirst)
            }
        }
        let tracks = readings.map(\.0)
        var quality = SwipeQuality()
        quality.direction = readings.lazy.compactMap(\.1).first
        quality.hint = Self.hint(tracks, block.status)
        return (Swipe(tracks: tracks, card: Card.recognise(tracks), quality: quality), variants)
    }

    /// A card passed, and the encoder gave nothing of it.
    static func unread(_ status: MSRStatus) -> Swipe {
        Swipe(
            tracks: (1...MSRBlock.trackCount).map { TrackReading(track: $0, outcome: .refused(.malformed)) },
            quality: SwipeQuality(hint: hint(for: status)))
    }

    private func numbered(_ block: MSRBlock) -> [(number: Int, track: MSRBlock.Track)] {
        block.tracks.enumerated().map { ($0.offset + 1, $0.element) }
    }

    private func reading(
        _ track: MSRBlock.Track, _ number: Int, isLowFirst: Bool
    ) -> (TrackReading, SwipeDirection?) {
        switch track {
        case .empty: return (TrackReading(track: number, outcome: .empty), nil)
        case .failed: return (TrackReading(track: number, outcome: .refused(.malformed)), nil)
        case .text(let text):
            return (TrackReading(track: number, outcome: TrackTextCheck.outcome(text, track: number)), nil)
        case .bits(let bytes):
            // Of two formats that fit alike the track's own counts.
            let own = formats.filter { $0.track == number } + formats.filter { $0.track != number }
            let read = RecordedBits(formats: own).read(
                Self.bits(bytes, isLowFirst: isLowFirst), searched: isLowFirst ? Self.secondWay : 0)
            let direction: SwipeDirection? =
                switch read.direction {
                case .forward: .forward
                case .backward: .backward
                case nil: nil
                }
            return (TrackReading(track: number, outcome: read.outcome, format: read.format), direction)
        }
    }

    static func bits(_ bytes: [UInt8], isLowFirst: Bool) -> [UInt8] {
        bytes.flatMap { byte in (0..<8).map { (byte >> (isLowFirst ? $0 : 7 - $0)) & 1 } }
    }

    private static func hint(_ tracks: [TrackReading], _ status: MSRStatus?) -> SwipeHint? {
        guard !tracks.contains(where: { $0.text != nil }) else { return nil }
        let isCut = tracks.contains { reading in
            if case .refused(.noEndSentinel) = reading.outcome { true } else { false }
        }
        return isCut ? .partial : status.flatMap(hint)
    }

    private static func hint(for status: MSRStatus) -> SwipeHint? {
        switch status {
        case .readError, .failed, .formatError: .noisy
        case .movedWrongly: .partial
        case .fine, .commandError: nil
        }
    }
}

extension MSRBlock.Track {
    var hasBits: Bool {
        switch self {
        case .bits: true
        case .text, .empty, .failed: false
        }
    }
}
