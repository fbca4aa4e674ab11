public import CardData
public import SwipeProtocol

/// A card that was swiped, under the names of mobile swipe SDKs.
public struct SwipedCard: Sendable, Hashable {
    /// All that the daemon told of the swipe.
    public let swipe: SwipeData

    /// Nil where nothing of the card could be read.
    init?(_ swipe: SwipeData) {
        let isRead = swipe.tracks.contains { $0.status == .ok || $0.status == .repaired }
        guard swipe.card != nil || swipe.encryption != nil || isRead else { return nil }
        self.swipe = swipe
    }

    /// The account number with all but the first and last digits as `*`; nil for the view `status` and for other cards.
    public var maskedCardNumber: String? { swipe.card?.pan?.masked }

    /// Month and year, `MMYY`. On the card, and in `CardInfo.expiry`, it is `YYMM`.
    public var expirationDate: String? {
        guard let expiry = swipe.card?.expiry, expiry.utf8.count == 4 else { return nil }
        return String(expiry.suffix(2) + expiry.prefix(2))
    }

    /// The name as on track 1: `DOE/JOHN`.
    public var cardholderName: SensitiveText? { swipe.card?.name }

    /// Track 1 in clear, sentinels included. Only for the view `full`, and never from a reader that encrypts.
    public var track1: SensitiveText? { text(1) }
    /// Track 2 in clear; see ``track1``.
    public var track2: SensitiveText? { text(2) }
    /// Track 3 in clear; see ``track1``.
    public var track3: SensitiveText? { text(3) }

    /// Whether the reader encrypted the card: then ``keySerialNumber`` and the encrypted tracks are what counts.
    public var isEncrypted: Bool { swipe.encryption != nil }

    /// The key serial number; nil from a reader that sends clear text.
    public var keySerialNumber: [UInt8]? { swipe.encryption?.keySerialNumber }

    /// A track's ciphertext. Only for the view `full`.
    public func encryptedTrack(_ number: Int) -> [UInt8]? {
        swipe.encryption?.tracks.first { $0.track == number }?.ciphertext
    }

    /// The MagnePrint, where the reader sends one. Only for the view `full`.
    public var magnePrint: SwipeEncryption.MagnePrint? { swipe.encryption?.magnePrint }

    private func text(_ number: Int) -> SensitiveText? { swipe.tracks.first { $0.track == number }?.text }
}
