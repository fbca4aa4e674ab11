/// The levels of an input, a frame for each tenth of a second.
///
/// What a card's bits could be told from, the power and the peaks of short stretches of a swipe, leaves only as one figure for the whole
/// passage so far; noise and hum are measured where no card passes.
package struct LevelMeter: Sendable {
    package static let framesASecond = 10
    /// A meter that is switched on in the middle of a swipe learns from the swipe what silence is: for so long it says as little as
    /// while the gate is open.
    package static let settlingFrames = 50
    /// A gate that closes because a swipe never ends may have one all the same: with these, a hand of 12 mm a second has
    /// passed.
    private static let doubtFrames = 30
    private static let fullScale = 32768.0
    /// What a converter of 16 bits has at least.
    private static let quietestDecibels = -120.0
    /// The middle of the samples is followed with this weight a block: within half a second.
    private static let middleWeight = 1.0 / 700

    private let blockLength: Int
    private let blocksAFrame: Int
    private let longestPassage: Int
    private var gate: ActivityGate
    private var hum: HumMeasure
    private var number: UInt64

    private var sums = BlockSums.none
    private var squares = 0.0
    private var low = 0.0
    private var high = 0.0
    private var middle: Double?
    private var isOpen = false
    private var openBlocks = 0
    /// So many frames are still treated as a passage.
    private var doubtful = settlingFrames

    private var blocks = 0
    private var peak = 0.0
    private var isClipped = false
    /// Whether the gate was open in some part of the frame.
    private var wasOpen = false
    private var power = 0.0
    private var floor: Int?
    private var outline: PassageOutline
    /// Of a passage that may go on: a card that stops is several passages, each too short a stretch of it.
    private var pending: [Int]?
    /// Of a passage that is over.
    private var passage: [Int]?
    /// How long nothing must be heard before and after a passage with an outline: a second.
    private let pauseBlocks: Int
    /// Since the last passage.
    private var quietBlocks: Int

    /// - Parameter number: that of the first frame.
    package init(sampleRate: Int, firstFrame number: UInt64 = 0) {
        let rate = min(
            max(sampleRate, StripeDecoder.sampleRates.lowerBound), StripeDecoder.sampleRates.upperBound)
        blockLength = ActivityGate.blockLength(sampleRate: rate)
        let blocksPerSecond = Double(rate) / Double(blockLength)
        blocksAFrame = Int((blocksPerSecond / Double(Self.framesASecond)).rounded())
        gate = ActivityGate(blocksPerSecond: blocksPerSecond)
        longestPassage = gate.longestSwipe
        hum = HumMeasure(blocksPerSecond: blocksPerSecond)
        outline = PassageOutline(blocksPerSecond: blocksPerSecond, limit: longestPassage)
        pauseBlocks = Int(blocksPerSecond)
        quietBlocks = pauseBlocks
        self.number = number
    }

    /// Takes the next samples, and gives the frames that they end.
    package mutating func take(_ samples: Span<Int16>) -> [LevelFrame] {
        var frames: [LevelFrame] = []
        for index in samples.indices {
            take(Double(samples[index]))
            guard sums.count >= blockLength else { continue }
            endBlock()
            if blocks >= blocksAFrame { frames.append(endFrame()) }
        }
        return frames
    }

    private mutating func take(_ sample: Double) {
        if sums.count == 0 { (low, high, squares) = (sample, sample, 0) }
        sums.add(BlockSums(sum: Float(sample), squares: Float(sample * sample), count: 1))
        squares += sample * sample
        low = min(low, sample)
        high = max(high, sample)
    }

    private mutating func endBlock() {
        switch gate.block(sums) {
        case .none, .loud: break
        case .opened: openPassage()
        case .closed:
            // Or it was cut, and may go on.
            if openBlocks + 1 >= longestPassage { doubtful = max(doubtful, Self.doubtFrames) }
            if doubtful > 0 { outline.forget() }
            pending = outline.end()
            isOpen = false
            quietBlocks = 0
        }
        if !isOpen { quietBlocks += 1 }
        if !isOpen, quietBlocks == pauseBlocks {
            passage = pending ?? passage
            pending = nil
        }
        openBlocks = isOpen ? openBlocks + 1 : 0
        if isOpen { wasOpen = true }
        measure()
        sums = .none
        blocks += 1
    }

    /// A passage's figures are its own.
    private mutating func openPassage() {
        if doubtful == 0 {
            (peak, isClipped) = (0, false)
            if quietBlocks >= pauseBlocks { outline.begin() }
        }
        pending = nil
        isOpen = true
    }

    private mutating func measure() {
        let count = Double(sums.count)
        let mean = Double(sums.sum) / count
        let middle = self.middle ?? mean
        self.middle = middle + (mean - middle) * Self.middleWeight
        peak = max(peak, high - middle, middle - low)
        if isOpen { outline.take(max(high - middle, middle - low)) }
        if high >= Self.fullScale - 1 || low <= -Self.fullScale { isClipped = true }
        power += squares / count - 2 * middle * mean + middle * middle
        if isOpen || doubtful > 0 { hum.reset() } else { hum.take(mean - middle) }
    }

    private mutating func endFrame() -> LevelFrame {
        let isPassage = wasOpen || doubtful > 0
        if !isPassage { floor = Self.decibels(power / Double(blocks)) }
        let frame = LevelFrame(
            number: number, peak: Self.decibels(peak * peak), floor: floor,
            hum: floor.flatMap { hum.stronger(thanTenthOf: $0) }, isClipped: isClipped, isOpen: wasOpen,
            passage: passage)
        number += 1
        passage = nil
        doubtful = max(doubtful - 1, 0)
        (blocks, power, wasOpen) = (0, 0, isOpen)
        // What the passage had stays until it ends.
        if !isOpen, doubtful == 0 { (peak, isClipped) = (0, false) }
        return frame
    }

    /// Of a mean square in steps of the converter, whole, over full scale.
    static func decibels(_ power: Double) -> Int {
        let ratio = Logarithm.decibels(power / fullScale / fullScale) ?? quietestDecibels
        return Int(max(ratio, quietestDecibels).rounded())
    }
}
