/// How well a swipe was read. What a reader cannot tell is left out.
public struct SwipeQuality: Sendable, Hashable {
    /// Which way the card went.
    public var direction: SwipeDirection?
    /// The median speed of the card past the head, in centimetres a second, from the density of the format found.
    public var speed: Double?
    /// Power of what the reading explains over the power of what it does not, within the signal's band, in decibels.
    public var signalToNoiseDecibels: Double?
    /// The standard deviation of the bit cells against the local clock, in percent of a cell.
    public var jitterPercent: Double?
    /// How much of the swipe's loud part the sound input has cut off, in percent. From 1 percent on, its gain should be lowered.
    public var clippedPercent: Double?
    /// How many bits were changed to make tracks right, in all.
    public var repairedBits: Int
    /// Whether the text was put together: from what passed before and after a card stopped or was pulled back, or from two
    /// passes, each of which lost another stretch. Noise and jitter are not measured then.
    public var isJoined: Bool
    /// What to tell the person whose swipe failed.
    public var hint: SwipeHint?

    /// How well a swipe was read.
    public init(
        direction: SwipeDirection? = nil, speed: Double? = nil, signalToNoiseDecibels: Double? = nil,
        jitterPercent: Double? = nil, clippedPercent: Double? = nil, repairedBits: Int = 0,
        isJoined: Bool = false, hint: SwipeHint? = nil
    ) {
        self.direction = direction
        self.speed = speed
        self.signalToNoiseDecibels = signalToNoiseDecibels
        self.jitterPercent = jitterPercent
        self.clippedPercent = clippedPercent
        self.repairedBits = repairedBits
        self.isJoined = isJoined
        self.hint = hint
    }
}

extension SwipeQuality {
    /// Whether so much of the swipe is cut off that the sound input's gain should be lowered: 1 percent of its loud part.
    public var isClipped: Bool { clippedPercent.map { $0 >= Self.leastClipped } ?? false }

    private static let leastClipped = 1.0
}

/// Which way a card went past the head. A word that this version does not know is left out.
public enum SwipeDirection: String, Sendable, Hashable, CaseIterable {
    /// Start sentinel first; end sentinel first.
    case forward, backward
}

/// What to tell the person whose swipe failed. A word that this version does not know is left out.
public enum SwipeHint: String, Sendable, Hashable, CaseIterable {
    /// The card went too slowly.
    case tooSlow = "too_slow"
    /// The card went too fast.
    case tooFast = "too_fast"
    /// The signal was disturbed; only a part of the card passed the head.
    case noisy, partial
}
