/// Tells when a signal of two levels changes from one to the other, whatever offset it rides on.
///
///     quiet       nothing but noise; how large its swing is gets known
///     acquiring   a swing that noise has not: middle and amplitude from the extremes of the last bits
///     tracking    the middle follows what is left when the decided level is taken away (quantised feedback), which
///                 an input without DC and an offset that wanders both need: a run of equal bits must not drag it
struct LevelSlicer: Sendable {
    enum Phase: Sendable, Hashable { case quiet, acquiring, tracking }

    enum Step: Sendable, Hashable {
        case nothing
        /// A signal begins.
        case began
        /// The level changed so many samples before this one.
        case changed(isHigh: Bool, ago: Double)
        /// The signal ends: no level was there for so many samples.
        case ended(ago: Double)
    }

    /// Blocks of half a bit that extremes are taken over: two bits and a half hold both levels in every preamble.
    private static let blocks = 5
    /// Changes after which quantised feedback takes over.
    private static let acquiredChanges = 8
    /// Of the amplitude: a level begins where the signal is further out, and a change must go as far.
    private static let hysteresis: Float = 0.3
    /// Of the amplitude: what lies nearer to the middle is no level.
    private static let noLevel: Float = 0.45
    /// How long there may be no level, in bits: a slow edge is over before.
    private static let silentBits = 2.0
    /// How fast the middle and the amplitude follow, for each sample of a level.
    private static let middleGain: Float = 0.12
    private static let amplitudeGain: Float = 0.02
    /// How fast the swing of silence is learned, for each block.
    private static let noiseGain: Float = 0.02
    private static let fullScale: Float = 32_768

    private(set) var phase = Phase.quiet
    private(set) var middle: Float = 0
    private(set) var amplitude: Float = 0
    private(set) var isHigh = false

    private let blockSamples: Int
    private let silentSamples: Int
    private let quietestSwing: Float
    private let overNoise: Float
    /// The swing of silence.
    private var noiseSwing: Float = 0
    /// Blocks whose extremes are not silence's: the end of a signal is among them.
    private var staleBlocks = blocks
    private var lows = [Float](repeating: 0, count: blocks)
    private var highs = [Float](repeating: 0, count: blocks)
    private var block = 0
    private var filled = 0
    private var low: Float = .infinity
    private var high: Float = -.infinity
    private var last: Float = 0
    /// How long ago the middle was crossed last, in samples.
    private var crossed = 0.0
    private var changes = 0
    private var silence = 0

    init(samplesPerBit: Double, quietestSwing: Double, overNoise: Double) {
        blockSamples = max(1, Int((samplesPerBit / 2).rounded(.up)))
        silentSamples = max(4, Int(samplesPerBit * Self.silentBits))
        // Full scale is 1 from the middle to the top.
        self.quietestSwing = Float(quietestSwing) * Self.fullScale
        self.overNoise = Float(overNoise)
    }

    /// Half the swing, of full scale.
    var level: Double { Double(amplitude / Self.fullScale) }
    var offset: Double { Double(middle / Self.fullScale) }

    mutating func process(_ sample: Float) -> Step {
        let isBlockFull = gather(sample)
        switch phase {
        case .quiet:
            last = sample
            return isBlockFull ? listen() : .nothing
        case .acquiring:
            if isBlockFull { takeExtremes() }
            return slice(sample)
        case .tracking:
            return slice(sample)
        }
    }

    /// What sounds is no reader: its swing counts as silence from now on.
    mutating func absorb() {
        noiseSwing = max(noiseSwing, 2 * amplitude)
        reset()
    }

    mutating func reset() {
        phase = .quiet
        staleBlocks = Self.blocks
        filled = 0
        (low, high) = (.infinity, -.infinity)
    }

    private mutating func gather(_ sample: Float) -> Bool {
        low = min(low, sample)
        high = max(high, sample)
        filled += 1
        guard filled >= blockSamples else { return false }
        lows[block] = low
        highs[block] = high
        block = (block + 1) % Self.blocks
        filled = 0
        (low, high) = (.infinity, -.infinity)
        return true
    }

    private var swing: Float { (highs.max() ?? 0) - (lows.min() ?? 0) }

    private mutating func listen() -> Step {
        guard staleBlocks == 0 else {
            staleBlocks -= 1
            return .nothing
        }
        let swing = swing
        guard swing > max(quietestSwing, overNoise * noiseSwing) else {
            noiseSwing += Self.noiseGain * (swing - noiseSwing)
            return .nothing
        }
        phase = .acquiring
        changes = 0
        silence = 0
        crossed = 0
        takeExtremes()
        isHigh = last > middle
        return .began
    }

    private mutating func takeExtremes() {
        guard let top = highs.max(), let bottom = lows.min() else { return }
        middle = (top + bottom) / 2
        amplitude = (top - bottom) / 2
    }

    private mutating func slice(_ sample: Float) -> Step {
        let before = last - middle
        let now = sample - middle
        last = sample
        crossed += 1
        if (before < 0) != (now < 0) {
            // From the crossing, by a straight line, to this sample.
            crossed = Double(abs(now) / max(abs(now) + abs(before), .leastNormalMagnitude))
        }
        guard abs(now) >= Self.noLevel * amplitude else { return noLevel(now) }
        silence = 0
        return settle(now)
    }

    private mutating func noLevel(_ now: Float) -> Step {
        silence += 1
        if silence >= silentSamples {
            reset()
            return .ended(ago: Double(silentSamples))
        }
        return abs(now) > Self.hysteresis * amplitude ? change(now) : .nothing
    }

    private mutating func settle(_ now: Float) -> Step {
        let step = change(now)
        guard phase == .tracking else { return step }
        let error = now - (isHigh ? amplitude : -amplitude)
        // An edge's middle is no error.
        if abs(error) < amplitude { middle += Self.middleGain * error }
        amplitude += Self.amplitudeGain * (abs(now) - amplitude)
        return step
    }

    private mutating func change(_ now: Float) -> Step {
        guard (now > 0) != isHigh else { return .nothing }
        isHigh = now > 0
        changes += 1
        if phase == .acquiring, changes >= Self.acquiredChanges { phase = .tracking }
        return .changed(isHigh: isHigh, ago: crossed)
    }
}
