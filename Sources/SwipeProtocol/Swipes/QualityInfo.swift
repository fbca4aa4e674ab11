/// How well a swipe was read. What a reader cannot tell is left out.
public struct QualityInfo: Sendable, Hashable {
    /// Which way the card went.
    public var direction: SwipeDirection?
    /// The median speed of the card past the head, in centimetres a second.
    public var speed: Double?
    /// Signal to noise, in decibels.
    public var signalToNoiseDecibels: Double?
    /// The standard deviation of the bit cells against the local clock, in percent of a cell.
    public var jitterPercent: Double?
    /// How much of the swipe's loud part the sound input has cut off, in percent. From 1 percent on, its gain should be lowered.
    public var clippedPercent: Double?
    /// How many bits were changed to make tracks right, in all.
    public var repairedBits: Int
    /// What to tell the person whose swipe failed.
    public var hint: SwipeHint?

    /// How well a swipe was read.
    public init(
        direction: SwipeDirection? = nil, speed: Double? = nil, signalToNoiseDecibels: Double? = nil,
        jitterPercent: Double? = nil, clippedPercent: Double? = nil, repairedBits: Int = 0,
        hint: SwipeHint? = nil
    ) {
        self.direction = direction
        self.speed = speed
        self.signalToNoiseDecibels = signalToNoiseDecibels
        self.jitterPercent = jitterPercent
        self.clippedPercent = clippedPercent
        self.repairedBits = repairedBits
        self.hint = hint
    }
}

extension QualityInfo {
    /// Whether so much of the swipe is cut off that the sound input's gain should be lowered: 1 percent of its loud part.
    public var isClipped: Bool { clippedPercent.map { $0 >= Self.leastClipped } ?? false }

    private static let leastClipped = 1.0
}

/// Which way a card went past the head. A word that this version does not know is left out.
public enum SwipeDirection: String, Sendable, Hashable, CaseIterable, WireWord {
    /// Start sentinel first; end sentinel first.
    case forward, backward
}

/// What to tell the person whose swipe failed. A word that this version does not know is left out.
public enum SwipeHint: String, Sendable, Hashable, CaseIterable, WireWord {
    /// The card went too slowly.
    case tooSlow = "too_slow"
    /// The card went too fast.
    case tooFast = "too_fast"
    /// The signal was disturbed; only a part of the card passed the head.
    case noisy, partial
}

extension QualityInfo: JSONEncodable, JSONDecodable {
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("direction", ifPresent: direction)
        writer.field("speed_cm_s", ifPresent: rounded(speed))
        writer.field("snr_db", ifPresent: rounded(signalToNoiseDecibels))
        writer.field("jitter_percent", ifPresent: rounded(jitterPercent))
        writer.field("clipped_percent", ifPresent: rounded(clippedPercent))
        writer.field("repaired_bits", repairedBits)
        writer.field("hint", orNull: hint)
        writer.endObject()
    }

    /// To a tenth: more is not known.
    private func rounded(_ value: Double?) -> Double? { value.map { ($0 * 10).rounded() / 10 } }

    package init(json: JSONValue) throws(WireError) {
        let object = try JSONObject(json: json)
        direction = try object.optionalWord("direction")
        speed = try object.optional("speed_cm_s")
        signalToNoiseDecibels = try object.optional("snr_db")
        jitterPercent = try object.optional("jitter_percent")
        clippedPercent = try object.optional("clipped_percent")
        repairedBits = try object.optional("repaired_bits") ?? 0
        hint = try object.optionalWord("hint")
    }
}
