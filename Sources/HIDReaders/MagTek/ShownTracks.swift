import CardData
import ReaderPackets

/// What an encrypting reader shows of a card beside the ciphertext, where no byte of it names the card's coding.
struct ShownTracks: Sendable {
    /// Tracks 1 to 3 with the sentinels that the card has; empty where nothing is shown.
    private let texts: [[UInt8]]
    private let isLicenceInClear: Bool
    let coding: CardCoding?

    /// - Parameters:
    ///   - texts: tracks 1 to 3 as the reader sent them; empty where it sent nothing.
    ///   - named: the coding where some sentinel names it.
    init(_ texts: [[UInt8]], named: CardCoding? = nil) {
        self.texts = texts.map(TrackTextCheck.withUsualSentinel)
        isLicenceInClear = ReaderCover.isLicenceInClear(self.texts)
        let told = CardCoding.shown(
            byTrack1: self.texts[0].isEmpty ? nil : self.texts[0], track2: self.texts[1])
        coding = named ?? (isLicenceInClear ? .aamva : told)
    }

    /// Whether the reader sends a licence in clear, with a ciphertext or without.
    func isInClear(_ track: Int) -> Bool { isLicenceInClear && !texts[track - 1].isEmpty }

    /// What may be passed on of a track.
    func outcome(_ track: Int) -> TrackOutcome {
        let text = texts[track - 1]
        guard !isInClear(track) else { return TrackTextCheck.outcome(text, track: track) }
        return .encrypted(
            masked: coding == .aamva ? ReaderCover.opaque(text) : ReaderCover.checked(text, track: track))
    }
}
