import CardData
import ReaderKit
import ReaderPackets
import StripeSignal

typealias MSRReading = EncoderReading

/// Makes a swipe of a block: bits through the decoder, texts through the check that every reader's texts go through.
struct MSRBlockReading: Sendable {
    var reading = MSRReading.raw
    /// Those of the cards' standards and one's own.
    var formats = StripeFormat.standard

    /// A byte of a raw block may have its first bit at either end; the second way is one more that is tried.
    private static let secondWay = 1.0

    /// - Parameter known: ways in which this encoder has answered before.
    func swipe(
        of block: MSRBlock, known: Set<MSRVariant> = []
    ) -> (swipe: Swipe, variants: Set<MSRVariant>) {
        var variants = block.variants
        var isLowFirst = known.contains(.lowBitFirst)
        var readings = read(block, isLowFirst)
        if !readings.contains(where: { $0.0.text != nil }), block.tracks.contains(where: \.hasBits) {
            // Where neither gives a text, the reasons are those of the way that is known.
            let other = read(block, !isLowFirst)
            if other.contains(where: { $0.0.text != nil }) {
                readings = other
                isLowFirst.toggle()
                if isLowFirst { variants.insert(.lowBitFirst) }
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

    private func read(_ block: MSRBlock, _ isLowFirst: Bool) -> [(TrackReading, SwipeDirection?)] {
        block.tracks.enumerated().map { index, track in
            // A failure that no track shows, with nothing at all: what is blank then is not known.
            let isUnread = block.holdsNothing && block.status != .fine
            let isTold = !isUnread && Self.isBelievable(track, index + 1, block)
            return read(isTold ? track : .failed, index + 1, isLowFirst: isLowFirst)
        }
    }

    /// Whether the encoder stands by what it says of a track: of texts the status is all the proof there is. A read error that a
    /// track shows is that track's; any other failure may be any track's.
    private static func isBelievable(_ track: MSRBlock.Track, _ number: Int, _ block: MSRBlock) -> Bool {
        let isShown = block.status == .readError && block.tracks.contains { $0 == .failed || $0 == .nothing }
        switch track {
        // One that marks what failed leaves out what is blank.
        case .nothing: return block.status == .fine || block.tracks.contains(.failed)
        case .text(let text):
            let begins = number == 1 ? UInt8(ascii: "%") : UInt8(ascii: ";")
            return (block.status == .fine || isShown) && (number == 3 || text.first == begins)
        case .bits, .empty, .failed: return true
        }
    }

    private func read(
        _ track: MSRBlock.Track, _ number: Int, isLowFirst: Bool
    ) -> (TrackReading, SwipeDirection?) {
        switch track {
        case .empty, .nothing: return (TrackReading(track: number, outcome: .empty), nil)
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
        case .text, .empty, .nothing, .failed: false
        }
    }
}
