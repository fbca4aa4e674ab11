/// Tells when a card may be passing the head, from the sums of short blocks.
///
/// A block's variance holds what is faster than the block; the blocks' means, high-passed, hold slow swipes. DC
/// falls out of both, and hum is part of the floor that the level is compared with. The gate is deliberately easy
/// to open: a swipe at 2 dB of signal to noise raises the level by 4 dB only. What it lets through is judged by the
/// reading, not here.
struct ActivityGate: Sendable {
    /// What a block did to the gate.
    enum Change: Sendable {
        case none
        /// The level rose over the floor at this block.
        case opened
        /// The level is far over the floor: worth telling a till.
        case loud
        /// The swipe is over.
        case closed
    }

    /// Blocks of this many samples or fewer; see ``SampleHistory``.
    static let maximumBlock = 256
    /// About 0.7 ms.
    static func blockLength(sampleRate: Int) -> Int { min(max(sampleRate / 1400, 8), maximumBlock) }

    private static let openRatio: Float = 1.8
    private static let loudRatio: Float = 6
    private static let closeRatio: Float = 1.5
    /// A swipe has ended when the level is this far under the swipe's own (-33 dB), whatever the floor was.
    private static let closeBelowPeak: Float = 5e-4
    /// Power of a digital silence with its last bit toggling, in LSB squared.
    private static let quietest: Float = 0.5
    /// Level smoothing: about 6 ms.
    private static let levelWeight: Float = 1.0 / 8
    /// The floor falls within 20 ms and rises within a second.
    private static let floorFall: Float = 1.0 / 32
    private static let floorRise: Float = 1.0 / 1400
    /// The first 20 ms teach the floor.
    private static let learningBlocks = 28

    /// How many blocks in a row the level must be low before the swipe is over.
    let hangBlocks: Int
    /// A swipe that lasts longer is cut here: memory is bounded.
    let longestSwipe: Int

    private var level: Float = 0
    private var floor: Float = 0
    private var peak: Float = 0
    /// What the first blocks taught.
    private var firstFloor: Float = 0
    private var slow: Float = 0
    private var previousMean: Float = 0
    private var blocksSeen = 0
    private var quietBlocks = 0
    private var openBlocks = 0
    private var isOpen = false
    private var isLoud = false

    init(blocksPerSecond: Double) {
        hangBlocks = Int(blocksPerSecond * 0.12)
        longestSwipe = Int(blocksPerSecond * 4.0)
    }

    // Inlined into the decoder's loop: while nobody swipes, calls would be a quarter of the cost.
    @inline(__always)
    mutating func block(_ sums: BlockSums) -> Change {
        measure(sums)
        blocksSeen += 1
        if blocksSeen <= Self.learningBlocks {
            floor += (level - floor) / Float(blocksSeen)
            firstFloor = floor
            return .none
        }
        return isOpen ? whileOpen() : whileClosed()
    }

    /// Less than this over what the first blocks taught (18 dB), a swipe may have taught them itself.
    private static let clearlyLouder: Float = 60

    /// Whether the stream may have begun in the middle of what the gate took for its first swipe.
    var mayHaveBegunInASwipe: Bool { peak < firstFloor * Self.clearlyLouder }

    /// The swipe in progress, if any, has ended for another reason.
    mutating func close() {
        isOpen = false
        isLoud = false
        quietBlocks = 0
    }

    @inline(__always)
    private mutating func measure(_ sums: BlockSums) {
        let count = Float(max(sums.count, 1))
        let mean = sums.sum / count
        let variance = max(sums.squares / count - mean * mean, 0)
        if blocksSeen == 0 { previousMean = mean }
        // One-pole high-pass at about 70 Hz over the means.
        slow = 0.73 * (slow + mean - previousMean)
        previousMean = mean
        let power = variance + slow * slow
        level += (power - level) * (blocksSeen == 0 ? 1 : Self.levelWeight)
    }

    @inline(__always)
    private mutating func whileClosed() -> Change {
        let threshold = max(floor, Self.quietest)
        if level > threshold * Self.openRatio {
            isOpen = true
            isLoud = false
            quietBlocks = 0
            openBlocks = 0
            peak = level
            return .opened
        }
        floor += (level - floor) * (level < floor ? Self.floorFall : Self.floorRise)
        return .none
    }

    private mutating func whileOpen() -> Change {
        openBlocks += 1
        peak = max(peak, level)
        let isQuiet = level < max(max(floor, Self.quietest) * Self.closeRatio, peak * Self.closeBelowPeak)
        quietBlocks = isQuiet ? quietBlocks + 1 : 0
        if openBlocks >= longestSwipe {
            // What lasts this long is the new background.
            floor = level
            close()
            return .closed
        }
        if quietBlocks >= hangBlocks {
            close()
            return .closed
        }
        if !isLoud, level > max(floor, Self.quietest) * Self.loudRatio {
            isLoud = true
            return .loud
        }
        return .none
    }
}
