/// What a swipe gave for one track: the text, or the reason that there is none.
public struct TrackReading: Sendable, Hashable {
    /// Which track, counted from the card's edge.
    public var track: Int
    /// What was read there.
    public var outcome: TrackOutcome
    /// The name of the ``TrackFormat`` the text was read in, where a text was read.
    public var format: String?

    /// A reading of one track. A JIS II text shows its format by its sentinel, which no other has.
    public init(track: Int, outcome: TrackOutcome, format: String? = nil) {
        self.track = track
        self.outcome = outcome
        self.format = format
        let first = text?.withRevealedBytes { $0.first }
        if format == nil, first == TrackFormat.jis2.startSentinel { self.format = TrackFormat.jis2.name }
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
    /// The text is right by its parity and LRC, and so short that chance makes such texts.
    case tooShort(atBit: Int)
    /// A text that keeps to its format is not to be relied on.
    case ambiguous(Doubt, atBit: Int)
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
        case .tooShort: "too_short"
        case .ambiguous: "ambiguous"
        case .malformed: "malformed"
        }
    }

    /// Where in the bit run, counted from the first bit handed in, where that is known.
    public var bitPosition: Int? {
        switch self {
        case .noEndSentinel(let bit), .parity(let bit), .longitudinalRedundancy(let bit), .tooLong(let bit),
            .tooShort(let bit), .ambiguous(_, let bit):
            bit
        case .noStartSentinel, .malformed: nil
        }
    }

    /// What ``ambiguous(_:atBit:)`` means.
    public var doubt: Doubt? {
        if case .ambiguous(let doubt, _) = self { doubt } else { nil }
    }

    /// Why a text that keeps to its format is not to be relied on.
    public enum Doubt: String, Sendable, Hashable, CaseIterable {
        /// Another text is about as likely; the place is where the likelier one begins.
        case rival
        /// Bits are so unsure that parity and LRC would allow other values; the place is that of the least sure one.
        case unsureBits = "unsure_bits"
        /// Neither clocking zeros nor silence bound the record at the place: it may be a piece of a longer one.
        case piece
        /// The clock does not run through: at the place samples are missing, or come twice, or are not of this swipe.
        case seam
        /// Every bit comes twice, as in a modem's tones; the place is where the text begins.
        case doubledBits = "doubled_bits"
        /// A start sentinel within the text, at the place, begins a whole record of its own.
        case secondBeginning = "second_beginning"
    }
}
