/// What a swipe gave for one track: the text, or the reason that there is none.
public struct TrackReading: Sendable, Hashable {
    /// Which track, counted from the card's edge.
    public var track: Int
    /// What was read there.
    public var outcome: TrackOutcome
    /// The name of the ``TrackFormat`` the text was read in, where a text was read.
    public var format: String?

    /// A reading of one track.
    public init(track: Int, outcome: TrackOutcome, format: String? = nil) {
        self.track = track
        self.outcome = outcome
        self.format = format
    }

    /// The clear text, sentinels included and LRC left out, where the reader gave one.
    public var text: SensitiveText? {
        switch outcome {
        case .read(let text), .repaired(let text, _): text
        case .encrypted, .empty, .refused: nil
        }
    }
}

/// How the reading of one track ended.
public enum TrackOutcome: Sendable, Hashable {
    /// Every parity bit and the LRC were right.
    case read(SensitiveText)
    /// Right after `bits` doubtful bits were changed. Never counts as plain `ok`.
    case repaired(SensitiveText, bits: Int)
    /// The reader encrypted the track and gave a masked form of it, which may be shown.
    case encrypted(masked: String)
    /// Nothing is recorded there.
    case empty
    /// Something is recorded there and was not accepted.
    case refused(TrackRefusal)
}

/// Why a track was not accepted. Each has a stable name on the wire.
public enum TrackRefusal: Error, Sendable, Hashable {
    /// No start sentinel with right parity was found.
    case noStartSentinel
    /// The bits ended before an end sentinel.
    case noEndSentinel(atBit: Int)
    /// A character's parity bit was wrong.
    case parity(atBit: Int)
    /// The LRC character was wrong.
    case longitudinalRedundancy(atBit: Int)
    /// The text is longer than its format allows.
    case tooLong(atBit: Int)
    /// Two different readings were about as likely.
    case ambiguous
    /// The reader said that the track could not be decoded, or its report contradicts itself.
    case malformed

    /// The name on the wire.
    public var code: String {
        switch self {
        case .noStartSentinel: "no_start_sentinel"
        case .noEndSentinel: "no_end_sentinel"
        case .parity: "parity"
        case .longitudinalRedundancy: "lrc"
        case .tooLong: "too_long"
        case .ambiguous: "ambiguous"
        case .malformed: "malformed"
        }
    }

    /// Where in the bit run, counted from the first bit handed in, where that is known.
    public var bitPosition: Int? {
        switch self {
        case .noEndSentinel(let bit), .parity(let bit), .longitudinalRedundancy(let bit), .tooLong(let bit):
            bit
        case .noStartSentinel, .ambiguous, .malformed: nil
        }
    }
}
