public import CardData

/// What a swipe gave for one track, as far as one view may see it.
public struct TrackInfo: Sendable, Hashable {
    /// Which track, counted from the card's edge.
    public var track: Int
    /// How the reading ended.
    public var status: TrackStatus
    /// The name of the character format: `iso1`, `iso2`, `iso3`, `jis2`, …
    public var format: String?
    /// The text, sentinels included, with the account number and what follows it masked.
    public var masked: String?
    /// The text in clear, sentinels included. Only for the view `full`, and never from a reader that encrypts.
    public var text: SensitiveText?
    /// What the issuer keeps on a payment card's track 1 or 2, after the service code. Only for the view `full`.
    public var discretionary: SensitiveText?
    /// Where in the bits a refused track failed.
    public var atBit: Int?
    /// How many bits were changed to make a `repaired` track right.
    public var repairedBits: Int?

    /// What a swipe gave for one track.
    public init(
        track: Int, status: TrackStatus, format: String? = nil, masked: String? = nil,
        text: SensitiveText? = nil, discretionary: SensitiveText? = nil,
        atBit: Int? = nil, repairedBits: Int? = nil
    ) {
        self.track = track
        self.status = status
        self.format = format
        self.masked = masked
        self.text = text
        self.discretionary = discretionary
        self.atBit = atBit
        self.repairedBits = repairedBits
    }
}

/// How the reading of a track ended.
public enum TrackStatus: String, Sendable, Hashable, CaseIterable, OpenWord {
    /// Every parity bit and the LRC were right, or the reader says so.
    case ok
    /// Right after doubtful bits were changed.
    case repaired
    /// Nothing is recorded there.
    case empty
    /// No start sentinel was found.
    case noStartSentinel = "no_start_sentinel"
    /// The bits ended before an end sentinel.
    case noEndSentinel = "no_end_sentinel"
    /// A character's parity bit, or the LRC, was wrong.
    case parity, lrc
    /// The text is longer than its format allows.
    case tooLong = "too_long"
    /// The text is right and so short that chance makes such texts.
    case tooShort = "too_short"
    /// A text that keeps to its format is not to be relied on; the reader's report contradicts itself or says "error". A status that this
    /// version does not know is read as `malformed`: the track is not to be relied on.
    case ambiguous, malformed

    package static var unrecognized: TrackStatus { .malformed }

    /// How a reading ended.
    package init(_ outcome: TrackOutcome) {
        switch outcome {
        case .read, .encrypted: self = .ok
        case .repaired: self = .repaired
        case .empty: self = .empty
        case .refused(.noStartSentinel): self = .noStartSentinel
        case .refused(.noEndSentinel): self = .noEndSentinel
        case .refused(.parity): self = .parity
        case .refused(.longitudinalRedundancy): self = .lrc
        case .refused(.tooLong): self = .tooLong
        case .refused(.tooShort): self = .tooShort
        case .refused(.ambiguous): self = .ambiguous
        case .refused(.malformed): self = .malformed
        }
    }
}

extension TrackInfo: WireObject {
    package static var blank: TrackInfo { TrackInfo(track: 0, status: .malformed) }
    package static var definition: String? { "track" }

    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        try fields.required("track", &track)
        try fields.required("status", &status)
        try fields.optional("format", &format)
        try fields.optional("masked", &masked)
        try fields.optional("text", &text, as: Revealed.self)
        try fields.optional("discretionary", &discretionary, as: Revealed.self)
        try fields.optional("at_bit", &atBit)
        try fields.optional("repaired_bits", &repairedBits)
    }
}
