import ReaderKit

/// Tells whether blocks of sound follow each other, and how often sound was lost.
struct SoundContinuity: Sendable {
    /// The index of the sample that should come next; another one means that samples were lost.
    private var nextFrame: UInt64?
    /// How many overruns the capture has told of.
    private var overruns = 0

    /// - Returns: whether the block follows the one before, and what to say of losses.
    mutating func note(_ block: SampleBlock) -> (follows: Bool, losses: [DriverAction]) {
        let follows = nextFrame == nil || nextFrame == block.firstFrame
        nextFrame = block.firstFrame &+ UInt64(block.samples.count)
        // A new capture counts from zero.
        let count = block.overruns >= overruns ? block.overruns - overruns : block.overruns
        overruns = block.overruns
        return (follows, count > 0 ? [.signal(.overrun(count: count))] : [])
    }
}
