/// A track that gave text, in clear or covered by the reader, as the card parsers take it.
struct ReadTrack: Sendable {
    var number: Int
    var bytes: [UInt8]
    /// Whether the reader covered what matters and sent the rest.
    var isCovered: Bool

    init?(_ reading: TrackReading) {
        number = reading.track
        switch reading.outcome {
        case .read(let text), .repaired(let text, _):
            bytes = text.revealBytes()
            isCovered = false
        case .encrypted(let masked):
            guard !masked.isEmpty else { return nil }
            bytes = Array(masked.utf8)
            isCovered = true
        case .empty, .refused:
            return nil
        }
    }

    /// The character that stands for what the reader covered, by the middle of the account number.
    var filler: UInt8? {
        guard isCovered else { return nil }
        return ReaderCover.filler(of: bytes)
    }

    /// How many digits at each end of the account number are true: with `*` as filler every digit is, with `0` only
    /// those that the reader is set to leave.
    func shows(_ setting: AccountNumber.Shown) -> AccountNumber.Shown {
        filler == TrackMask.cover ? .most : setting
    }
}
