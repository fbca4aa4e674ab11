package import CardData

/// What the decoder found in the stream, in the order in which it became certain.
package enum StripeEvent: Sendable {
    /// The level rose as it does when a card comes: a till can show "reading…".
    case activity(atSample: UInt64)
    /// A swipe has ended, read or refused. One follows every `activity`.
    case swipe(StripeSwipe)
}

/// One swipe: everything that was read, and how well.
package struct StripeSwipe: Sendable {
    /// Index in the stream of the swipe's first sample.
    package var startSample: UInt64
    /// One past the index of its last sample.
    package var endSample: UInt64
    /// One reading for this channel. A head sees one track; which one, the format found tells.
    package var tracks: [TrackReading]
    /// The unbroken runs of bits, in the order in which they passed the head.
    package var bitRuns: [BitRun]
    package var quality: SwipeQuality
    /// The stages' outputs, where asked for with ``StripeOptions/keepsTrace``.
    package var trace: StripeTrace?
    /// Whether a text was refused for a seam, or because another was about as likely: no other reading may give it any more.
    var isDoubted = false

    /// Whether some track was read.
    package var hasText: Bool { tracks.contains { $0.text != nil } }

    /// The swipe with the record that it and an earlier pass gave together.
    ///
    /// - Parameter cell: samples for a cell of this pass.
    func joined(with track: FoundTrack, sampleRate: Int, cell: Double?) -> StripeSwipe {
        var joined = self
        joined.tracks = [
            TrackReading(
                track: track.format.track, outcome: .read(SensitiveText(utf8: track.text)),
                format: track.format.coding.name)
        ]
        joined.quality = SwipeQuality()
        joined.quality.isJoined = true
        joined.quality.clippedPercent = quality.clippedPercent
        joined.quality.direction = track.isReversed ? .backward : .forward
        // Which way a run is to be read is known now.
        let direction = joined.quality.direction
        for index in bitRuns.indices where (bitRuns[index].direction == .backward) != (direction == .backward)
        {
            joined.bitRuns[index].bits.reverse()
        }
        for index in bitRuns.indices { joined.bitRuns[index].direction = direction }
        joined.trace?.refusedAt = nil
        joined.quality.speed = cell.flatMap { ReadingQuality.speed(track.format, sampleRate, cell: $0) }
        return joined
    }

    /// Activity that no track was found in.
    static func unreadable(_ range: Range<UInt64>) -> StripeSwipe {
        var quality = SwipeQuality()
        quality.hint = .noisy
        return StripeSwipe(
            startSample: range.lowerBound, endSample: range.upperBound, tracks: [], bitRuns: [],
            quality: quality)
    }
}

/// A run of bits between two places where the clock was lost.
package struct BitRun: Sendable, Hashable {
    /// Zeros and ones as they are written on the card, turned round where the swipe was backward.
    package var bits: [UInt8]
    /// Whether the bits were turned round; nil where nothing in the run tells.
    package var direction: SwipeDirection?
    /// The stream's positions, in samples, of the cells' edges as they passed the head: one more than bits.
    package var cellEdges: [Double]
}

/// A magnetic flux reversal as the head saw it: one pulse.
package struct FluxReversal: Sendable, Hashable {
    /// Where, in samples of the stream; between samples by interpolation.
    package var position: Double
    /// The pulse's height, signed, in units of the input.
    package var amplitude: Float
    /// How far the pulse stands out of the local level, 0…1.
    package var confidence: Float
}

/// What each stage made of a swipe.
package struct StripeTrace: Sendable {
    /// The conditioned waveform from the swipe's first sample on.
    package var waveform: [Float]
    /// The pulses of the reading shown.
    package var reversals: [FluxReversal]
    /// Where the characters of the text that was read lie in the stream, in the order of reading.
    package var characters: [ClosedRange<Double>]
    /// Where the reading failed.
    package var refusedAt: Double?
    /// The samples as they came, without their baseline: a reading may have been made of an equalized waveform.
    package var heard: [Float]
    /// Power of the noise round them.
    package var noisePower: Float
}
