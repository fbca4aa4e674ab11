import CardData
import ReaderKit
import SwipeProtocol

/// The one place that decides how much of a swipe a client sees.
///
/// | view | card | tracks | encryption |
/// |---|---|---|---|
/// | `status` | nothing | which were read, and why others were not | nothing |
/// | `masked` | number with first six and last four digits, keyed hash where there is a key, brand, expiry, service code, name, chip | text with everything else masked | scheme, KSN, key variant, counter, reader's status |
/// | `full` | everything that the reader gave | everything | everything, ciphertext |
///
/// Expiry, service code and name may be shown (PCI DSS 4.0.1, 3.4.1 limits the number); what a licence or a card of
/// unknown format says may not, since nothing shows what it is. What "masked" means in each of them is decided by
/// `MaskedSwipe`.
enum SwipeDisclosure {
    /// What a client with that view sees of a swipe.
    ///
    /// - Parameter hash: nil where the configuration has no key.
    static func data(of swipe: Swipe, for view: View, hash: CardHash? = nil) -> SwipeData {
        let masked = view == .status ? nil : MaskedSwipe(swipe.tracks, card: swipe.card)
        var shown = masked.flatMap { card($0, view) }
        shown?.hash = hash?.text(of: swipe)
        return SwipeData(
            card: shown,
            tracks: swipe.tracks.enumerated().map { index, reading in
                track(reading, of: swipe.card, masked: masked?.texts[index], view)
            },
            encryption: swipe.encryption.flatMap { encryption($0, view) }, quality: swipe.quality,
            hasChip: swipe.hasChip && view != .status)
    }

    private static func card(_ masked: MaskedSwipe, _ view: View) -> CardInfo? {
        switch view {
        case .status: nil
        case .masked: CardInfo(masked: masked)
        case .full: masked.card.map { CardInfo(full: $0, shown: masked.number) }
        }
    }

    private static func track(
        _ reading: TrackReading, of card: Card?, masked: String?, _ view: View
    ) -> TrackInfo {
        var info = TrackInfo(track: reading.track, status: TrackStatus(reading.outcome))
        if case .repaired(_, let bits) = reading.outcome { info.repairedBits = bits }
        if case .refused(let refusal) = reading.outcome { info.atBit = refusal.bitPosition }
        guard view != .status else { return info }
        info.format = reading.format
        info.masked = masked
        guard view == .full else { return info }
        info.text = reading.text
        info.discretionary = reading.discretionaryData(of: card)
        return info
    }

    private static func encryption(_ encryption: SwipeEncryption, _ view: View) -> SwipeEncryption? {
        switch view {
        case .status: nil
        case .masked:
            // A reader that lies has a card's digits in what it says of its keys.
            SwipeEncryption(
                scheme: encryption.scheme,
                keySerialNumber: encryption.isOfCard ? [] : encryption.keySerialNumber,
                counter: encryption.isOfCard ? nil : encryption.counter, keyVariant: encryption.keyVariant,
                isKeyVariantAssumed: encryption.isKeyVariantAssumed,
                isSchemeAssumed: encryption.isSchemeAssumed, readerStatus: encryption.readerStatus)
        case .full: encryption
        }
    }
}
