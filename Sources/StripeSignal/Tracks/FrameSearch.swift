import CardData

/// A text found in a run of bits, and the evidence for it.
struct FoundTrack: Sendable {
    var format: StripeFormat
    var text: [UInt8]
    var isReversed: Bool
    /// How many bits parity and LRC changed.
    var repairedBits: Int
    /// Where the track lies in the run, in the direction of reading.
    var bits: Range<Int>
    /// log2 of how unlikely it is that chance made this: parity, LRC and clocking zeros, less what repair used up.
    var evidence: Double
}
