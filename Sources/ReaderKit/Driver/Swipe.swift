package import CardData

/// One swipe, as a driver read it: in full. The daemon decides who sees how much of it.
package struct Swipe: Sendable, Hashable {
    package var tracks: [TrackReading]
    /// The card that the tracks make; nil when nothing was readable.
    package var card: Card?
    /// What the reader encrypted; nil from a reader that sends clear text.
    package var encryption: SwipeEncryption?
    package var quality: SwipeQuality
    /// The reader says that the card has a chip, which is to be used rather than its stripe.
    package var hasChip = false

    package init(
        tracks: [TrackReading], card: Card? = nil, encryption: SwipeEncryption? = nil,
        quality: SwipeQuality = SwipeQuality()
    ) {
        self.tracks = tracks
        self.card = card
        self.encryption = encryption
        self.quality = quality
    }
}
