package import CardData

/// Reads a track from bits that a reader hands over, where nothing of the sound is left: every format, both directions.
///
/// The same search as for sound, with bits that all are sure. What it cannot tell of bits alone is whether a record is a piece
/// of a longer one: parity, LRC and the evidence that ``FrameSearch`` asks for are what a text stands on.
package struct RecordedBits: Sendable {
    /// Far more than any margin that a text needs.
    private static let certainty: Float = 1000
    /// The longest track that is looked at: 255 bytes, which is what readers' length fields can say.
    package static let mostBits = 255 * 8

    /// What the bits of one track gave.
    package struct Reading: Sendable {
        package var outcome: TrackOutcome
        /// The format of the text; nil without one.
        package var format: String?
        /// Nil where no text tells it.
        package var direction: SwipeDirection?
    }

    private let formats: [StripeFormat]

    /// - Parameter formats: those that are tried; of two that fit alike the first one counts.
    package init(formats: [StripeFormat]) { self.formats = formats }

    /// Reads the bits of one track, in the order in which they passed the head: forward or backward.
    ///
    /// - Parameter searched: log2 of how many readings of the same bits have been looked at before.
    package func read(_ bits: [UInt8], searched: Double = 0) -> Reading {
        guard let first = bits.firstIndex(of: 1) else { return Reading(outcome: .empty) }
        // Too few for a text, and something is there.
        guard bits.count >= SwipeReader.shortestRun else {
            return Reading(outcome: .refused(.tooShort(atBit: first)))
        }
        guard bits.count <= Self.mostBits else {
            return Reading(outcome: .refused(.tooLong(atBit: Self.mostBits)))
        }
        let soft = SoftBits(bits: bits, reliability: Array(repeating: Self.certainty, count: bits.count))
        let search = FrameSearch(formats: formats, searchedBits: searched)
        let verdict = search.search(soft, repairs: false) { _ in nil }
        switch verdict {
        case .found(let track):
            return Reading(
                outcome: .read(SensitiveText(utf8: track.text)), format: track.format.coding.name,
                direction: track.isReversed ? .backward : .forward)
        case .refused, .unsure:
            return Reading(outcome: .refused(verdict.refusal?.reason ?? .noStartSentinel))
        }
    }
}
